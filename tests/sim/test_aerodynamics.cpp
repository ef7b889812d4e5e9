// Drag and lift of cloth against the formulas of thin airfoils in double.
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

#include "kernels/cloth/lift_and_drag.h"
#include "sim/make_cloth.h"
#include "sim/same_states.h"
#include "support/each_backend.h"

namespace coalesce::test {
namespace {

// [KKWS04] with drag along u, and lift across it by its sine; per area and density.
Vec3d airForce(Vec3d n, Vec3d u, double drag, double lift) {
    const double speed = length(u);
    const Vec3d along = 1 / speed * u;
    if (dot(n, u) < 0) n = -1.0 * n;
    const double cosine = dot(n, along);
    return 0.5 * speed * speed * cosine * (drag * along + lift * (n - cosine * along));
}

Vec3 randomDirection(uint64_t seed, uint64_t k) {
    return normalizeOr(randomVec3(seed, k, -1, 1), {0, 1, 0});
}

TEST(AirImpulse, MatchesThinAirfoilForceAtSmallSteps) {
    const float dt = 1e-5f, area = 0.02f, density = 1.2f, w = 50;
    for (int k = 0; k < 1000; ++k) {
        const Vec3 n = randomDirection(1, k), u = randomVec3(2, k, -8, 8);
        const float drag = 0.2f + 0.001f * k, lift = 0.8f - 0.0007f * k;
        const Vec3 impulse = airImpulse(n, area, u, u, w, density, drag, lift, dt);
        const Vec3d force = density * double{area} * airForce(toDouble(n), toDouble(u), drag, lift);
        // implicit: less by dt k w, here up to 1e-4
        EXPECT_LT(length(1 / double{dt} * toDouble(impulse) - force), 3e-4 * length(force) + 1e-5);
    }
}

TEST(AirImpulse, LiftIsPerpendicularToTheWindTowardTheNormal) {
    for (int k = 0; k < 300; ++k) {
        const Vec3 n = randomDirection(3, k), u = randomVec3(4, k, -8, 8);
        const Vec3d lift = toDouble(airImpulse(n, 0.02f, u, u, 50, 1.2f, 0, 1, 1e-5f));
        const Vec3d N = dot(toDouble(n), toDouble(u)) < 0 ? -1.0 * toDouble(n) : toDouble(n);
        EXPECT_LT(std::abs(dot(lift, toDouble(u))), 1e-3 * length(lift) * length(toDouble(u)) + 1e-12);
        EXPECT_LT(std::abs(dot(lift, cross(N, toDouble(u)))),
                  1e-3 * length(lift) * length(toDouble(u)) + 1e-12);
        EXPECT_GT(dot(lift, N), 0) << "to the side to which the wind pushes";
    }
}

TEST(AirImpulse, IsZeroEdgeOnAndWithoutWind) {
    const Vec3 nothing{0, 0, 0};
    EXPECT_EQ(airImpulse({0, 1, 0}, 1, {3, 0, 0}, {3, 0, 0}, 1, 1.2f, 1, 1, 0.01f), nothing);
    EXPECT_EQ(airImpulse({0, 1, 0}, 1, nothing, nothing, 1, 1.2f, 1, 1, 0.01f), nothing);
    // face-on: all drag
    const Vec3 full = airImpulse({0, 1, 0}, 1, {0, -3, 0}, {0, -3, 0}, 1, 1.2f, 1, 1, 1e-6f);
    EXPECT_NEAR(full.y, -0.5 * 1.2 * 9 * 1e-6, 1e-10);
    EXPECT_EQ(full.x, 0);
}

TEST(AirImpulse, NeverReversesOrAcceleratesTheRelativeWind) {
    for (int k = 0; k < 20000; ++k) {
        const Vec3 n = randomDirection(5, k), u = randomVec3(6, k, -30, 30);
        const float drag = 2 * randomUnit(7, k), lift = 2 * randomUnit(8, k), w = 1;
        const float density = std::exp2(40 * randomUnit(9, k) - 20);  // from hardly any to far too much
        const Vec3 after = u - w * airImpulse(n, 1, u, u, w, density, drag, lift, 0.02f);
        const float before = dot(n, u), now = dot(n, after);
        EXPECT_GE(before > 0 ? now : -now, -2e-6f * length(u)) << "density " << density;
        EXPECT_LE(length(after), length(u) * (1 + 1e-6f)) << "density " << density;
    }
}

class AirOnCloth : public EachBackend {
protected:
    static constexpr float kSpacing = 0.05f;
    void setWind(World& world, Vec3 direction, float speed) {
        ForceField wind;
        wind.properties.kind = FieldKind::wind;
        wind.properties.direction = direction;
        wind.properties.strength = speed;
        world.forceFields = {wind};
    }
};

TEST_P(AirOnCloth, TotalForceOnAPlateAtAnAngle) {
    for (const double angle : {0.0, 15.0, 40.0, 75.0, 90.0}) {
        World world(exec);
        world.parameters.world.gravity = {0, 0, 0};
        world.parameters.solver.frameRate = 5000;
        world.parameters.solver.substeps = 1;
        addMaterial(world, cloth(kSpacing, 0.7f, 0.4f));
        const double a = angle * std::numbers::pi / 180;
        addCloth(world, {.rotation = quatFromEuler(0, 0, a)});
        setWind(world, {1, 0, 0}, 4);
        Solver solver(world);
        solver.step();
        const Vec3d momentum = momentaOf(world).linear;
        const double area = areaOf({}, kSpacing);
        const Vec3d force = 1.2 * area * airForce({-std::sin(a), std::cos(a), 0}, {4, 0, 0}, 0.7, 0.4);
        // a step of implicit drag: less by dt k w, 1e-3; then rounding of positions in velocities
        EXPECT_LT(length(5000 * momentum - force), 2e-3 * length(force) + 2e-3) << angle << " degrees";
    }
}

TEST_P(AirOnCloth, FlatClothFallsAtTerminalSpeed) {
    for (const int substeps : {2, 8}) {
        World world(exec);
        world.parameters.solver.substeps = substeps;
        world.parameters.solver.iterations = 8;
        addMaterial(world, cloth(kSpacing, 1.1f, 0));
        addCloth(world, {});
        Solver solver(world);
        const float start = positions(world)[0].y;
        stepFrames(solver, 75);
        double momentum = 0, mass = 0;
        const std::vector<Vec4> x = positions(world), v = velocities(world);
        for (size_t i = 0; i < x.size(); ++i) momentum += v[i].y / x[i].w, mass += 1 / x[i].w;
        EXPECT_NEAR(mass, 0.3 * areaOf({}, kSpacing), 1e-6);
        // it bends a little, which lets it fall faster
        const double terminal = std::sqrt(2 * 0.3 * 9.81 / (1.2 * 1.1));
        EXPECT_NEAR(-momentum / mass / terminal, 1, 0.01) << substeps << " substeps";
        EXPECT_LT(positions(world)[0].y, start - 1);
    }
}

TEST_P(AirOnCloth, NoForceWhenMovingWithTheWind) {
    World world(exec);
    world.parameters.world.gravity = {0, 0, 0};
    addMaterial(world, cloth(kSpacing, 1, 1));
    addCloth(world, {.rotation = quatFromEuler(0.4, 0, 0.7), .velocity = {2, 0, 0}});
    setWind(world, {1, 0, 0}, 2);
    Solver solver(world);
    stepFrames(solver, 30);
    for (const Vec4& v : velocities(world)) EXPECT_LT(length(xyz(v) - Vec3{2, 0, 0}), 2e-4f);
    world.parameters.world.airDensity = 0;
    setWind(world, {1, 0, 0}, 50);
    stepFrames(solver, 5);
    for (const Vec4& v : velocities(world)) EXPECT_LT(length(xyz(v) - Vec3{2, 0, 0}), 2e-4f) << "no air";
}

TEST_P(AirOnCloth, StableInStrongWindAtLargeTimeSteps) {
    World world(exec);
    world.parameters.solver.substeps = 1;
    world.parameters.solver.frameRate = 30;
    world.parameters.world.airDensity = 100;
    addMaterial(world, cloth(kSpacing, 2, 1));
    addCloth(world, {.rotation = quatFromEuler(0.3, 0, 0.2)});
    setWind(world, {1, 0.3f, 0}, 40);
    world.forceFields[0].properties.gust = {20, 20, 20};
    Solver solver(world);
    stepFrames(solver, 60);
    for (const Vec4& v : velocities(world)) EXPECT_LT(length(xyz(v)), 40 + 20 * std::sqrt(3.0f) + 1);
}

FOR_EACH_BACKEND(AirOnCloth);

TEST(AirDeterminism, BitwiseEqualAcrossBackends) {
    expectSameStatesOnEveryMachine(20, [](World& world) {
        addMaterial(world, cloth(0.05f, 1, 0.5f));
        for (int k = 0; k < 4; ++k)
            addCloth(world, {.position = {0, 0.6f * k, 0},
                             .rotation = quatFromEuler(0.3 * k, 0, 0.2),
                             .nx = 17,
                             .nz = 13});
        ForceField wind;
        wind.properties.kind = FieldKind::wind;
        wind.properties.direction = {1, 0, 0};
        wind.properties.gust = {5, 5, 5};
        world.forceFields = {wind};
    });
}

}  // namespace
}  // namespace coalesce::test
