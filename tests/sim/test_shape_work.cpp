// A moving shape gives a liquid no more energy than the work of the forces that are measured on it. The forces
// come from the contacts, the energy from positions and velocities.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <utility>
#include <vector>

#include "geometry/math/quatd.h"
#include "geometry/shapes/distance_volume.h"
#include "geometry/shapes/solid.h"
#include "sim/make_world.h"
#include "sim/moving_slab.h"
#include "support/each_backend.h"

namespace coalesce::test {
namespace {

constexpr double kFrame = 1.0 / 60;  // [s]
constexpr float kSpacing = 0.0625f;  // [m]

class ShapeWork : public EachBackend {};

// Kinetic and potential energy [J] of all particles, potential 0 at the origin.
double energyOf(const World& world) {
    const double mass = particleMass(world.materials[0].properties);
    const Vec3d g = coalesce::toDouble(world.parameters.world.gravity);
    double energy = 0;
    for (const Vec4& v : velocities(world)) energy += 0.5 * mass * dot(toDouble(v), toDouble(v));
    for (const Vec4& x : positions(world)) energy -= mass * dot(g, toDouble(x));
    return energy;
}

// Walls of a tank of 1 × 1 m without friction.
void addWalls(World& world) {
    for (const Vec3 n : {Vec3{1, 0, 0}, Vec3{-1, 0, 0}, Vec3{0, 0, 1}, Vec3{0, 0, -1}})
        addPlane(world, -0.5f * n, n).friction = 0;
}

// Angular velocity [rad/s] that turns one rotation to another within a frame.
Vec3d angularVelocity(Quat from, Quat to) {
    Quatd step = coalesce::toDouble(to) * coalesce::toDouble(from).conjugate();
    if (step.w() < 0) step.coeffs() = -step.coeffs();
    const Vec3d axis{step.x(), step.y(), step.z()};
    const double sine = length(axis);
    return sine > 0 ? (2 * std::atan2(sine, step.w()) / (sine * kFrame)) * axis : Vec3d{};
}

// The course of a run: for each frame the work of the shape until then, and the energy gained [J].
struct Balance {
    std::vector<double> work, gained;

    double mostWork() const { return *std::ranges::max_element(work); }
    // The largest energy gained beyond a share of the work until then.
    double excess(double share = 1) const {
        double most = -1e300;
        for (size_t k = 0; k < work.size(); ++k) most = std::max(most, gained[k] - share * work[k]);
        return most;
    }
};

// Steps a world whose last shape does the work Σ (F·v + T·ω) Δt: F and T are the opposite of its loads.
// motion(t): its velocities v [m/s] and ω [rad/s] in the frame that starts at t.
template <class Motion>
Balance balanceOf(World& world, Solver& solver, int frames, Motion&& motion) {
    Balance balance;
    const double start = energyOf(world);
    double work = 0;
    for (int frame = 0; frame < frames; ++frame) {
        const auto [velocity, turning] = motion(world.time);
        solver.step();
        const ShapeReport& report = world.shapeReports.back();
        work -= kFrame * (dot(coalesce::toDouble(report.force), velocity) +
                          dot(coalesce::toDouble(report.torque), turning));
        balance.work.push_back(work);
        balance.gained.push_back(energyOf(world) - start);
    }
    return balance;
}

TEST_P(ShapeWork, APlungerGivesALiquidNoMoreThanItsWork) {
    World world(exec);
    world.parameters.solver.substeps = 4;
    addMaterial(world, water(kSpacing));
    addFloor(world);
    addWalls(world);
    addBlock(world, {.low = {-0.5f, 0, -0.5f}, .nx = 16, .ny = 10, .nz = 16});
    const auto solid = makeSolid({.shape = "brick", .size = {0.5f, 0.4f, 0.3f}});
    Shape plunger;
    plunger.name = "plunger";
    plunger.kind = ShapeKind::sdf;
    plunger.geometry = fieldGeometry(bakeVolume(*solid, 0.02f, 0.06f, size_t{1} << 30, ""), solid->mesh());
    // waits above the water, plunges, stirs, and is pulled out
    const Quat turned = quatFromEuler(0.3, 2.5, 0.2);
    plunger.keys = {{0, {0, 1.2f, 0}, {}},
                    {1, {0, 1.2f, 0}, {}},
                    {1.5, {0, 0.45f, 0}, {}},
                    {2.5, {0.05f, 0.4f, 0}, turned},
                    {3, {0, 1.2f, 0}, turned}};
    world.shapes.push_back(plunger);
    Solver solver(world);
    stepFrames(solver, 60);
    const Balance balance = balanceOf(world, solver, 150, [&](double t) {
        const Pose from = poseAt(plunger, t), to = poseAt(plunger, t + kFrame);
        const Vec3d way = coalesce::toDouble(to.position) - coalesce::toDouble(from.position);
        return std::pair<Vec3d, Vec3d>(way / kFrame, angularVelocity(from.rotation, to.rotation));
    });
    const double most = balance.mostWork();
    EXPECT_GT(most, 400);
    EXPECT_LT(balance.excess(), 0.005 * most);
    // water that is lifted keeps two thirds of the work until it falls again: three fifths do not pay for it
    EXPECT_GT(balance.excess(0.6), 0.02 * most) << "the control must fail";
    RecordProperty("work", fmt::format("{:.1f}", most));
    RecordProperty("excess", fmt::format("{:.3f}", balance.excess()));
}

TEST_P(ShapeWork, ASlabThatMovesByItsFilesGivesNoMoreThanItsWork) {
    const Vec3 way{0, 0.5f, 0};
    const Slab slab("coalesce_work", way);
    World world(exec);
    world.parameters.solver.substeps = 4;
    addMaterial(world, water(kSpacing));
    addWalls(world);
    addBlock(world, {.low = {-0.5f, 0.1f, -0.5f}, .nx = 16, .ny = 8, .nz = 16});
    world.shapes.push_back(slab.shape(0.05f));
    Solver solver(world);
    const Balance balance = balanceOf(
        world, solver, 54, [&](double) { return std::pair<Vec3d, Vec3d>(coalesce::toDouble(way), Vec3d{}); });
    const double most = balance.mostWork(), lifted = balance.gained.back();
    EXPECT_GT(most, 2000);
    EXPECT_LT(balance.excess(), 0.005 * most);
    EXPECT_GT(lifted, 0.95 * balance.work.back()) << "it only lifts the water";
    EXPECT_GT(balance.excess(0.95), 0.01 * most) << "the control must fail";
    RecordProperty("work", fmt::format("{:.1f}", balance.work.back()));
    RecordProperty("gained", fmt::format("{:.1f}", lifted));
}

FOR_EACH_BACKEND(ShapeWork);

}  // namespace
}  // namespace coalesce::test
