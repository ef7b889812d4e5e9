#include "sim/solver/projective.h"

namespace coalesce {

// The order of the stages is written here and nowhere else.
void substepProjective(Stages& s, const StepContext& step) {
    const Parameters::Projective& parameters = step.world.parameters.projective;
    const BodyConstraints constraints{s.bodies, s.springs, s.bending, s.volumes};

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

    // s = x*: where everything would be without constraints; the minimization starts there
    s.densityRows.prepare(step);
    s.coupledRows.prepare(step, constraints);

    for (int round = 0; round < parameters.iterations; ++round) {
        // local step: project the copies of every constraint
        s.shapeContacts.addWallDensity(step);
        s.densityRows.project(step, s.density);
        s.coupledRows.project(step, constraints);

        // global step: rows with D = I directly, those of bodies as one system
        s.densityRows.solve(step, s.density, round);
        s.coupledRows.solve(step, s.densityRows.descent(), s.densityRows.resistance());

        // contacts are impulses: they move x* and s
        s.densityRows.beginContacts(step);
        s.particleContacts.solve(step, s.bodies);
        s.densityRows.endContacts(step, false);
        s.densityRows.beginContacts(step);
        s.shapeContacts.carryImpulses(step, s.density.xLambda().view(), s.densityRows.resistance(),
                                      s.densityRows.chebyshev());
        s.shapeContacts.solve(step, s.densityRows.descent(), {});
        s.densityRows.endContacts(step, true);
    }
    s.density.sumLambda(step);

    // resolve what the rounds have left inside shapes
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
