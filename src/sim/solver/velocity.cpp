#include "sim/solver/velocity.h"

#include "sim/solver/substep.h"

namespace coalesce {

namespace {

// Elastic constraints act on the positions x + dt v; their displacements are impulses.
void solveElastic(Stages& s, const StepContext& step, int iteration, View<const float> springMassScale) {
    if (s.bodies.hasSoft()) {
        s.velocityIntegration.beginElastic(step);
        s.bodies.solveSoft(step, iteration);
        s.velocityIntegration.endElastic(step, {});
    }
    if (step.world.solids.springs.size() > 0) {
        s.velocityIntegration.beginElastic(step);
        s.springs.solve(step, springMassScale);
        s.bending.solve(step);
        s.volumes.solve(step);
        s.velocityIntegration.endElastic(step, springMassScale);
        s.bodies.projectVelocities(step);
    }
}

// Twice for rigid bodies: their contacts share the mass of the whole body and converge more slowly.
void solveContacts(Stages& s, const StepContext& step, VelocityPass pass) {
    const int rounds = s.bodies.hasRigid() && pass != VelocityPass::restitution ? 2 : 1;
    for (int round = 0; round < rounds; ++round) {
        s.contactImpulses.solvePairs(step, s.bodies, pass);
        s.contactImpulses.solveRound(step, s.bodies, s.roundContacts, pass);
        s.contactImpulses.solveShapes(step, s.bodies, s.shapeContacts, pass);
    }
}

}  // namespace

// The order of the stages is written here and in substep.cpp. Contacts come after liquids, as in [SPR14].
void substepVelocity(Stages& s, const StepContext& step) {
    const Parameters& parameters = step.world.parameters;

    beginSubstep(s, step);

    // prepare the constraints for velocities
    s.shapeContacts.limitDepenetration(step);
    s.roundContacts.find(step, s.bodies);
    s.roundContacts.limitDepenetration(step);
    s.splashes.findDrops(step, s.shapeContacts);
    s.velocityIntegration.moveAnchored(step);
    s.contactImpulses.prepare(step);
    s.density.prepare(step);

    // solve the constraints for velocities, at the positions of the start and with bias
    s.densityImpulses.prepare(step, s.density, s.shapeContacts, VelocityPass::biased);
    s.contactImpulses.findInertia(step, s.bodies);
    s.bodies.projectVelocities(step);
    const View<const float> springMassScale = s.contactImpulses.findSpringMassScales(step, s.bodies);
    for (int k = 0; k < parameters.solver.iterations; ++k) {
        s.densityImpulses.solve(step, s.density, VelocityPass::biased);
        solveElastic(s, step, k, springMassScale);
        solveContacts(s, step, VelocityPass::biased);
    }
    s.densityImpulses.sumPressureOnShapes(step, s.shapeContacts);

    // the spin that the elastic constraints have taken from soft bodies
    s.bodies.findSoftLoss(step);

    // integrate positions, once; check their paths against the shapes
    s.velocityIntegration.integrate(step, s.bodies);
    s.shapeContacts.keepOutside(step);
    s.shapeContacts.updateTriggers(step);

    // relax: take back the velocities that the bias has added
    s.densityImpulses.prepare(step, s.density, s.shapeContacts, VelocityPass::relax);
    s.contactImpulses.findInertia(step, s.bodies);
    for (int k = 0; k < parameters.velocity.relaxIterations; ++k) {
        s.densityImpulses.solve(step, s.density, VelocityPass::relax);
        solveContacts(s, step, VelocityPass::relax);
    }
    s.densityImpulses.sumPressureOnShapes(step, s.shapeContacts);
    solveContacts(s, step, VelocityPass::restitution);

    // loads on shapes
    s.densityImpulses.report(step, s.density, s.shapeContacts);
    s.velocityIntegration.finish(step, s.shapeContacts);
    s.shapeContacts.sumLoads(step);
    s.springs.sumLoads(step);

    finishSubstep(s, step);
}

}  // namespace coalesce
