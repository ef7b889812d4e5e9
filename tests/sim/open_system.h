// The coupled rows of projective dynamics with all that they need, outside of a frame.
#pragma once

#include "sim/contact/shape_contacts.h"
#include "sim/make_world.h"
#include "sim/projective/coupled_rows.h"
#include "sim/projective/density_rows.h"
#include "sim/projective/objective.h"

namespace coalesce::test {

// The stages of a substep, opened at x* = x.
struct OpenSystem {
    explicit OpenSystem(World& world)
        : open(world),
          bodies(world.exec),
          springs(world.exec),
          bending(world.exec),
          volumes(world.exec),
          density(world.exec),
          contacts(world.exec),
          densityRows(world.exec),
          rows(world.exec),
          objective(world.exec) {
        bodies.indexParticles(open.step);
        springs.prepare(open.step);
        bending.prepare(open.step);
        volumes.prepare(open.step);
        density.prepare(open.step);
        densityRows.prepare(open.step);
        rows.prepare(open.step, constraints());
    }
    BodyConstraints constraints() { return {bodies, springs, bending, volumes}; }
    void round(int number = 0) {
        rows.project(open.step, constraints());
        objective.evaluate(open.step, densityRows, rows, number);
        densityRows.solve(open.step, density, contacts, 0);
        rows.solve(open.step, densityRows.descent(), {}, 1, 0);
    }

    OpenWorld open;
    ShapeMatching bodies;
    DistanceConstraints springs;
    DihedralBending bending;
    VolumeConstraints volumes;
    DensityConstraint density;
    ShapeContacts contacts;
    DensityRows densityRows;
    CoupledRows rows;
    Objective objective;
};

}  // namespace coalesce::test
