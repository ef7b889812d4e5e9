#include "sim/solver/position.h"

namespace coalesce {

// The order of the stages is written here and nowhere else.
void substepPosition(Stages& s, const StepContext& step) {
    const Parameters::Solver& parameters = step.world.parameters.solver;

    // apply external forces: mouse, force fields, air
    s.mouse.applyForces(step, s.bodies);
    s.integration.applyForceFields(step);
    s.air.apply(step);

    // predict positions; scale masses of what is grabbed, move what is anchored to shapes
    s.integration.predict(step);
    s.springs.moveAnchors(step);
    s.mouse.applyMass(step);

    // find neighbors; surface tension needs them and repeats the prediction
    s.neighbors.build(step);
    s.tension.applyForces(step);

    // find contacts, prepare the constraints
    s.bodies.indexParticles(step);
    s.springs.prepare(step);
    s.bending.prepare(step);
    s.volumes.prepare(step);
    s.shapeContacts.find(step);
    s.tension.applyShapeAdhesion(step, s.shapeContacts);
    s.particleContacts.prepare(step, s.shapeContacts);
    s.density.prepare(step);

    // stabilize: resolve the overlaps at the start of the substep without changing velocities
    s.particleContacts.preStabilize(step, s.bodies);
    s.bodies.saveStart(step);
    s.shapeContacts.preStabilize(step);
    s.bodies.translateRigid(step);

    // solve the constraints
    for (int k = 0; k < parameters.iterations; ++k) {
        s.shapeContacts.addWallDensity(step);
        s.density.solve(step);
        s.bodies.solve(step, k);
        s.bodies.savePreContact(step, k + 1 < parameters.iterations);
        // mass scales: springs pull at a particle of a rigid body as at the whole body, like contacts
        s.springs.solve(step, s.bodies.massScales());
        s.bending.solve(step);
        s.volumes.solve(step);
        s.particleContacts.solve(step, s.bodies);
        s.shapeContacts.solve(step, s.density.xLambda().view(), s.bodies.contactResponses());
    }

    // resolve what the iterations have left inside shapes
    s.shapeContacts.resolvePenetration(step);
    s.shapeContacts.updateTriggers(step);

    // update velocities and positions
    const Contacts contacts = s.shapeContacts.view(step.device, step.substep);
    s.integration.updateVelocities(step, contacts, s.shapeContacts.accumulatedImpulse());
    s.shapeContacts.sumLoads(step);
    s.springs.sumLoads(step);

    // correct velocities: restitution, viscosity, vorticity; diffuse attributes
    s.particleContacts.applyRestitution(step, s.bodies);
    s.viscosity.applyXsph(step, s.density);
    s.viscosity.confineVorticity(step, s.density);
    s.diffusion.diffuse(step);

    // bodies: poses at the final positions, velocities of rigid ones, plastic flow
    s.bodies.finishSubstep(step);
}

}  // namespace coalesce
