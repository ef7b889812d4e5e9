// Flight, clamps, and where shapes are. Reference: closed forms in double.
#include <cmath>
#include <gtest/gtest.h>

#include "sim/make_world.h"
#include "support/each_backend.h"

namespace coalesce::test {
namespace {

class Flight : public EachBackend {};

TEST_P(Flight, FreeFallFollowsTheIntegratorAndNearlyTheParabola) {
    for (const int substeps : {1, 2, 7}) {
        World world(exec);
        world.parameters.solver.substeps = substeps;
        addMaterial(world, water(0.05f));
        addAt(world, {0.5f, 3, -0.25f}, {2, 1, -0.5f});
        Solver solver(world);
        stepFrames(solver, 60);
        const int n = 60 * substeps;
        const double dt = 1.0 / n, g = -double{9.81f};
        // v_n = v0 + n dt g,  x_n = x0 + n dt v0 + dt² g n(n + 1)/2
        const Vec4 x = positions(world)[0], v = velocities(world)[0];
        // every substep rounds the position, 3 m: 1.2e-7 m, which is a velocity of 1.2e-7/dt
        const double step = 1.2e-7 * n;
        EXPECT_NEAR(x.x, 0.5 + 2, step);
        EXPECT_NEAR(x.y, 3 + 1 + dt * dt * g * n * (n + 1) / 2, 40 * step);
        EXPECT_NEAR(x.z, -0.25 - 0.5, step);
        EXPECT_NEAR(v.y, 1 + g, 40 * step);
        // the parabola, to twice the integrator's own error g t dt/2
        EXPECT_NEAR(x.y, 3 + 1 + g / 2, -g * dt);
    }
}

TEST_P(Flight, GravityScaleAndDampingArePerMaterial) {
    World world(exec);
    MaterialProperties up = water(0.05f), slow = water(0.05f);
    up.gravityScale = -0.5f;
    slow.damping = 2;
    slow.gravityScale = 0;
    addMaterial(world, up);
    addMaterial(world, slow);
    addAt(world, {0, 0, 0}, {}, 0);
    addAt(world, {5, 0, 0}, {1, 0, 0}, 1);
    Solver solver(world);
    stepFrames(solver, 30);
    EXPECT_NEAR(velocities(world)[0].y, 0.5 * 9.81 * 0.5, 1e-4);
    EXPECT_NEAR(velocities(world)[1].x, std::pow(1 + 2.0 / 120, -60), 1e-5);  // implicit decay, 60 substeps
}

TEST_P(Flight, PinnedParticlesStay) {
    World world(exec);
    addMaterial(world, water(0.05f));
    addAt(world, {0, 1, 0}, {3, 0, 0}, 0, 0);
    addAt(world, {0.02f, 1, 0});  // pushed away by the pinned one, and falls
    addFloor(world);
    Solver solver(world);
    stepFrames(solver, 20);
    EXPECT_EQ(xyz(positions(world)[0]), (Vec3{0, 1, 0}));
    EXPECT_EQ(xyz(velocities(world)[0]), (Vec3{0, 0, 0}));
    EXPECT_LT(positions(world)[1].y, 0.8f);
}

TEST_P(Flight, SpeedsAreLimitedAndCounted) {
    World world(exec);
    world.parameters.solver.maxSpeed = 20;
    world.parameters.solver.substeps = 1;
    world.parameters.world.gravity = {0, 0, 0};
    addMaterial(world, water(0.05f));
    addAt(world, {0, 0, 0}, {300, 400, 0});
    addAt(world, {0, 5, 0}, {0, 0, -1e15f});
    addAt(world, {0, 0, 9}, {19, 0, 0});
    Solver solver(world);
    const Status status = solver.step();
    EXPECT_EQ(status.worst.clamped, 2u);
    EXPECT_NE(status.message().find("solver.maxSpeed"), std::string::npos) << status.message();
    const std::vector<Vec4> v = velocities(world);
    EXPECT_NEAR(length(xyz(v[0])), 20, 1e-4);
    EXPECT_NEAR(v[0].x / v[0].y, 0.75, 1e-4);
    EXPECT_NEAR(v[1].z, -20, 1e-3);
    EXPECT_NEAR(v[2].x, 19, 1e-3);
}

TEST_P(Flight, EmptyWorldOnlyAdvancesTime) {
    World world(exec);
    addMaterial(world, water(0.05f));
    addFloor(world);
    Solver solver(world);
    const Status status = stepFrames(solver, 3);
    EXPECT_EQ(status.message(), "");
    EXPECT_EQ(world.step, 6u);
    EXPECT_EQ(world.frame, 3u);
    EXPECT_NEAR(world.time, 0.05, 1e-12);
    solver.findNeighbors();
    stateHash(world);
}

FOR_EACH_BACKEND(Flight);

// ---- poses ----

// rotates a by the unit quaternion of this axis and angle: Rodrigues' formula
Vec3d turned(Vec3d axis, double angle, Vec3d a) {
    const Vec3d u = 1 / length(axis) * axis;
    return std::cos(angle) * a + std::sin(angle) * cross(u, a) + (1 - std::cos(angle)) * dot(u, a) * u;
}

TEST(PoseAt, ConstantVelocitiesTranslateAndRotate) {
    Shape s;
    s.position = {1, 2, 3};
    s.velocity = {0.5f, -1, 0.25f};
    s.angularVelocity = {0.3f, -2, 1};
    s.rotation = quatFromEuler(0.4, -0.7, 1.1);
    for (const double t : {0.0, 0.1, 1.0, 17.3}) {
        const Pose pose = poseAt(s, t);
        EXPECT_LT(length(toDouble(pose.position) - Vec3d{1 + 0.5 * t, 2 - t, 3 + 0.25 * t}), 2e-6);
        for (const Vec3 a : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0.3f, -0.2f, 0.9f}}) {
            // Euler angles: about x, then y, then z; then the turn
            Vec3d b = turned({1, 0, 0}, 0.4, toDouble(a));
            b = turned({0, 0, 1}, 1.1, turned({0, 1, 0}, -0.7, b));
            const Vec3d w = toDouble(s.angularVelocity);
            b = turned(w, length(w) * t, b);
            EXPECT_LT(length(toDouble(rotate(pose.rotation, a)) - b), 1e-6) << t;
        }
    }
}

TEST(PoseAt, KeysAreInterpolatedLinearlyAndSpherically) {
    Shape s;
    s.position = {9, 9, 9};
    s.velocity = {9, 9, 9};  // keys take the place of both
    s.keys = {{.t = 1, .position = {0, 0, 0}, .rotation = quatFromEuler(0, 0, 0)},
              {.t = 3, .position = {2, 4, -6}, .rotation = quatFromEuler(0, 0, 1.2)},
              {.t = 4, .position = {2, 0, 0}, .rotation = quatFromEuler(0, 0, -2.0)}};
    const auto expectPose = [&](double t, Vec3d place, double angle) {
        const Pose pose = poseAt(s, t);
        EXPECT_LT(length(toDouble(pose.position) - place), 1e-6) << t;
        EXPECT_LT(
            length(toDouble(rotate(pose.rotation, {1, 0, 0})) - Vec3d{std::cos(angle), std::sin(angle), 0}),
            1e-6)
            << t;
    };
    expectPose(-5, {0, 0, 0}, 0);  // held before the first
    expectPose(1, {0, 0, 0}, 0);
    expectPose(1.5, {0.5, 1, -1.5}, 0.3);
    expectPose(2.9, {1.9, 3.8, -5.7}, 1.14);
    expectPose(3, {2, 4, -6}, 1.2);
    // from 1.2 to −2.0: the short way is through π
    const double shortWay = 2 * 3.14159265358979 - 3.2;
    expectPose(3.25, {2, 3, -4.5}, 1.2 + 0.25 * shortWay);
    expectPose(4, {2, 0, 0}, -2);
    expectPose(1e6, {2, 0, 0}, -2);  // and after the last
}

TEST(PoseAt, NormalRotatesTheYAxis) {
    for (const Vec3 n :
         {Vec3{0, 1, 0}, Vec3{0, -1, 0}, Vec3{1, 0, 0}, Vec3{-0.5f, -3, 2}, Vec3{1e-4f, -1, 0}}) {
        const Vec3d unit = 1 / length(toDouble(n)) * toDouble(n);
        EXPECT_LT(length(toDouble(rotate(quatFromNormal(n), {0, 1, 0})) - unit), 1e-6) << n.x << ' ' << n.y;
    }
}

}  // namespace
}  // namespace coalesce::test
