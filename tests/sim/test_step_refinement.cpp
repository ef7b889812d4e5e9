// The limit of short substeps: what an exact solution keeps must be kept, however many substeps there are.
// Reference: conservation of momentum and energy, in double.
#include <gtest/gtest.h>

#include "sim/make_bodies.h"
#include "support/each_backend.h"

namespace coalesce::test {
namespace {

class StepRefinement : public EachBackend {};

struct Steps {
    float frameRate;
    int substeps, iterations;
};

// Kinetic and potential energy [J], heights from the floor at 0.
double energyOf(const World& world) {
    double sum = 0;
    const double g = -double{world.parameters.world.gravity.y};
    const std::vector<Vec4> x = positions(world), v = velocities(world);
    for (size_t i = 0; i < x.size(); ++i)
        sum += (0.5 * dot(toDouble(v[i]), toDouble(v[i])) + g * double{x[i].y}) / double{x[i].w};
    return sum;
}

// Growth of the energy over its value at the start, the largest of all frames, as a share of it.
double energyGain(World& world, const Steps& steps, double seconds) {
    world.parameters.solver.frameRate = steps.frameRate;
    world.parameters.solver.substeps = steps.substeps;
    world.parameters.solver.iterations = steps.iterations;
    Solver solver(world);
    const double before = energyOf(world);
    double gain = 0;
    const int frames = int(seconds * double{steps.frameRate});
    for (int f = 0; f < frames; ++f) {
        solver.step();
        gain = std::max(gain, energyOf(world) - before);
    }
    return gain / before;
}

constexpr Steps kSteps[] = {{60, 4, 3}, {60, 50, 3}, {60, 100, 8}, {6000, 1, 8}};

MaterialProperties inviscidWater(float spacing) {
    MaterialProperties m = water(spacing);
    m.viscosity = 0;
    return m;
}

// Two blocks of water far from the origin, where positions are coarse, collide without gravity. Their
// pressure acts between particles only; corrections below half a step of a float must not be lost.
TEST_P(StepRefinement, CollidingBlocksOfWaterKeepMomentumAndGainNoEnergy) {
    for (const Steps& steps : kSteps) {
        World world(exec);
        world.parameters.world.gravity = {0, 0, 0};
        addMaterial(world, inviscidWater(0.08f));
        addBlock(world, {.low = {4, 0, 0}, .nx = 5, .ny = 5, .nz = 5, .velocity = {1, 0, 0}});
        addBlock(world, {.low = {4.45f, 0.1f, 0.15f}, .nx = 5, .ny = 5, .nz = 5, .velocity = {-1, 0, 0}});
        const Momenta before = momentaOf(world);
        EXPECT_LT(energyGain(world, steps, 0.25), 1e-5) << steps.substeps << " " << steps.iterations;
        const Momenta after = momentaOf(world);
        EXPECT_LT(length(after.linear - before.linear), 2e-5 * before.speed)
            << steps.substeps << " " << steps.iterations;
        EXPECT_LT(after.speed, 0.99 * before.speed) << "they have not collided";
    }
}

// A column in the corner of two walls begins to fall. Where walls meet, the density of
// its lattice is not exactly that at rest, and correcting this in one short substep
// would give the particles there meters per second.
TEST_P(StepRefinement, AColumnOfWaterGainsNoEnergyAtItsStart) {
    const auto gain = [&](const Steps& steps, float recoveryTime) {
        World world(exec);
        if (recoveryTime >= 0) world.parameters.fluid.recoveryTime = recoveryTime;
        addMaterial(world, inviscidWater(0.08f));
        addBlock(world, {.nx = 6, .ny = 9, .nz = 6});
        addFloor(world);
        addPlane(world, {0, 0, 0}, {1, 0, 0}), addPlane(world, {2, 0, 0}, {-1, 0, 0});
        addPlane(world, {0, 0, 0}, {0, 0, 1}), addPlane(world, {0, 0, 0.48f}, {0, 0, -1});
        return energyGain(world, steps, 0.15);
    };
    for (const Steps& steps : kSteps)
        EXPECT_LT(gain(steps, -1), 5e-4) << steps.substeps << " " << steps.iterations;
    EXPECT_GT(gain(kSteps[2], 0), 2e-2) << "control: all of the initial compression is corrected at once";
}

// A column collapses and hits the far wall: it gains no energy, and loses the same share at every step, within 1 %.
TEST_P(StepRefinement, ADamGainsNoEnergyWhileItCollapses) {
    constexpr Steps kSeries[] = {{60, 50, 3}, {60, 100, 3}, {100, 100, 3}, {10000, 1, 3}};
    std::vector<double> left;
    for (const Steps& steps : kSeries) {
        World world(exec);
        addMaterial(world, inviscidWater(0.08f));
        addBlock(world, {.nx = 6, .ny = 9, .nz = 4});
        addFloor(world);
        addPlane(world, {0, 0, 0}, {1, 0, 0}), addPlane(world, {1.2f, 0, 0}, {-1, 0, 0});
        addPlane(world, {0, 0, 0}, {0, 0, 1}), addPlane(world, {0, 0, 0.32f}, {0, 0, -1});
        const double before = energyOf(world);
        EXPECT_LT(energyGain(world, steps, 2), 5e-4) << steps.frameRate << " " << steps.substeps;
        left.push_back(energyOf(world) / before);
    }
    for (const double share : left) EXPECT_NEAR(share, left.back(), 0.01);
    EXPECT_LT(left.back(), 0.6) << "it has not collapsed";
}

FOR_EACH_BACKEND(StepRefinement);

}  // namespace
}  // namespace coalesce::test
