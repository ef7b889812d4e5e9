#include "sim/solver/position.h"

#include "sim/solver/substep.h"

namespace coalesce {

// The order of the stages is written here and in substep.cpp.
void substepPosition(Stages& s, const StepContext& step) {
    const Parameters::Solver& parameters = step.world.parameters.solver;
    const bool liquidAlone = step.device.summary.hasFluid && !step.device.summary.hasSolids;

    beginSubstep(s, step);
    stabilize(s, step);
    s.bodies.findRoundingErrors(step);
    s.density.limitRecovery(step, s.shapeContacts);

    // solve the constraints
    for (int k = 0; k < parameters.iterations; ++k) {
        // where there is nothing but liquid, its contacts with shapes follow its deltas within one launch
        s.density.solve(step, s.shapeContacts, liquidAlone);
        if (liquidAlone) continue;
        s.bodies.solve(step, k);
        s.roundContacts.solve(step);
        s.bodies.savePreContact(step, k + 1 < parameters.iterations);
        // mass scales: springs pull at a particle of a rigid body as at the whole body, like contacts
        s.springs.solve(step, s.bodies.massScales());
        s.bending.solve(step);
        s.volumes.solve(step);
        s.particleContacts.solve(step, s.bodies);
        s.shapeContacts.solve(step, s.density.xLambda().view(), s.bodies.contactResponses());
    }

    s.bodies.findSoftLoss(step);
    updateMotion(s, step);
    finishSubstep(s, step);
}

}  // namespace coalesce
