#include "sim/solver/substep.h"

#include "kernels/motion/update_velocities.h"

namespace coalesce {

void beginSubstep(Stages& s, const StepContext& step) {
    // apply external forces: mouse, force fields, air
    s.mouse.applyForces(step, s.bodies);
    s.integration.applyForceFields(step);
    s.gas.applyBuoyancy(step);
    s.air.apply(step);

    // predict velocities and positions; scale masses of what is grabbed, move what is anchored to shapes
    s.integration.predict(step);
    s.springs.moveAnchors(step);
    s.mouse.applyMass(step);

    // find neighbors; surface tension needs them and repeats the prediction
    s.neighbors.build(step);
    s.tension.applyForces(step);

    // prepare the constraints, find contacts with shapes
    s.bodies.indexParticles(step);
    s.springs.prepare(step);
    s.bending.prepare(step);
    s.volumes.prepare(step);
    s.roundContacts.gatherRadii(step, s.bodies);
    s.shapeContacts.findAndPreStabilize(step);
    s.tension.applyShapeAdhesion(step, s.shapeContacts);
}

void stabilize(Stages& s, const StepContext& step) {
    s.particleContacts.prepare(step, s.shapeContacts);
    s.density.prepare(step);
    s.particleContacts.preStabilize(step, s.bodies, s.shapeContacts);
    s.bodies.saveStart(step);
    s.shapeContacts.preStabilize(step);
    s.bodies.moveRigidOut(step);
    s.roundContacts.find(step, s.bodies);
    s.roundContacts.preStabilize(step);
}

void updateMotion(Stages& s, const StepContext& step) {
    // resolve what the constraints have left inside shapes; update velocities and positions; loads on shapes
    Scratch::Scope scratch(step.world.exec);
    const View<const Vec4> predicted = s.viscosity.copyPredicted(step, scratch);
    const Contacts contacts = s.shapeContacts.view(step.device, step.substep);
    s.shapeContacts.resolvePenetration(
        step, s.integration.updateVelocitiesKernel(step, contacts, s.shapeContacts.accumulatedImpulse()));
    s.viscosity.correctSpin(step, s.density, predicted);
    s.particleContacts.updateSlip(step, s.shapeContacts);
    s.springs.sumLoads(step);
    s.particleContacts.applyRestitution(step, s.bodies);
}

void finishSubstep(Stages& s, const StepContext& step) {
    // correct velocities; diffuse attributes
    s.viscosity.applyXsph(step, s.density);
    s.viscosity.applyStrainViscosity(step, s.density);
    s.viscosity.confineVorticity(step, s.density);
    s.gas.applyTurbulence(step, s.density);
    s.diffusion.diffuse(step);

    // bodies: poses at the final positions, velocities of rigid ones, plastic flow
    s.bodies.findVelocities(step);
    if (step.world.parameters.solver.method != Method::velocity)  // whose contacts have bounced
        s.roundContacts.bounce(step, s.bodies);
    s.roundContacts.sumLoads(step);
    s.bodies.finishSubstep(step);
}

}  // namespace coalesce
