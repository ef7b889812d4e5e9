#include "sim/solver/projective.h"

#include "sim/solver/substep.h"

namespace coalesce {

// The order of the stages is written here and in substep.cpp.
void substepProjective(Stages& s, const StepContext& step) {
    const Parameters::Projective& parameters = step.world.parameters.projective;
    // then the global step of the liquid brings its contacts with shapes along
    const bool liquidAlone = step.device.summary.hasFluid && !step.device.summary.hasSolids;
    const BodyConstraints constraints{s.bodies, s.springs, s.bending, s.volumes};

    beginSubstep(s, step);
    stabilize(s, step);

    // s = x*: where everything would be without constraints; the minimization starts there
    s.densityRows.prepare(step);
    s.coupledRows.prepare(step, constraints);

    for (int round = 0; round < parameters.iterations; ++round) {
        // local step: project the copies of every constraint
        s.densityRows.project(step, s.density, s.shapeContacts, s.objective.densityEnergy(step));
        s.coupledRows.project(step, constraints);
        s.objective.evaluate(step, s.densityRows, s.coupledRows, round);

        // global step: rows with a diagonal matrix directly, those of bodies as one system
        s.densityRows.solve(step, s.density, s.shapeContacts, round);
        if (liquidAlone) continue;
        s.coupledRows.solve(step, s.densityRows.descent(), s.densityRows.resistance(),
                            s.densityRows.chebyshev(), round);

        // contacts are impulses: they move x* and s
        s.densityRows.beginContacts(step);
        s.particleContacts.solve(step, s.bodies);
        s.densityRows.endContacts(step, false);
        s.densityRows.beginContacts(step);
        s.roundContacts.fitAndSolve(step, s.bodies);
        s.shapeContacts.carryImpulses(step, s.density.xLambda().view(), s.densityRows.resistance(),
                                      s.densityRows.chebyshev());
        s.shapeContacts.solve(step, {}, {});
        s.densityRows.endContacts(step, true);
    }

    updateMotion(s, step);
    finishSubstep(s, step);
}

}  // namespace coalesce
