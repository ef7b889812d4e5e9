// What shapes tell: loads against mechanics, triggers against counting, channels against who went through.
#include <cmath>
#include <gtest/gtest.h>

#include "sim/make_bodies.h"
#include "sim/reference_shapes.h"
#include "support/each_backend.h"

namespace coalesce::test {
namespace {

constexpr double kGravity = 9.81;

class ShapeReports : public EachBackend {};

MaterialProperties dry(float spacing) {
    MaterialProperties m = water(spacing);
    m.viscosity = 0;
    return m;
}
double weight(const World& world) {
    return kGravity * static_cast<double>(world.count()) * particleMass(world.materials[0].properties);
}

// ---- loads ----

TEST_P(ShapeReports, FloorLoadEqualsWeight) {
    World world(exec);
    world.parameters.fluid.wallDensity = 0;
    addMaterial(world, dry(0.1f));
    addFloor(world);
    for (int i = 0; i < 20; ++i) addAt(world, {0.5f * static_cast<float>(i), 0.05f, 0});
    Solver solver(world);
    stepFrames(solver, 5);
    const Vec3 force = world.shapeReports[0].force, torque = world.shapeReports[0].torque;
    EXPECT_NEAR(force.y, -weight(world), 1e-3 * weight(world));
    EXPECT_NEAR(force.x, 0, 1e-3 * weight(world));
    // the moment of the weights about the plane's point, the origin: −Σ x m g along z
    EXPECT_NEAR(torque.z, -0.5 * 9.5 * weight(world), 1e-3 * 4.75 * weight(world));
    EXPECT_NEAR(torque.x, 0, 1e-3 * weight(world));
}

// Beside liquid bodies are solved without following their contacts further; what they press with is the same.
TEST_P(ShapeReports, FloorLoadIncludesABodyInLiquid) {
    for (const bool wet : {false, true}) {
        World world(exec);
        world.parameters.solver.iterations = 8;
        addMaterial(world, solid(MaterialKind::rigid, 0.1f));
        addMaterial(world, water(0.1f));
        addFloor(world);
        addBody(world, {.position = {0, 0.2f, 0}, .nx = 4, .ny = 4, .nz = 4});
        if (wet) {
            const ParticleDef drop{.x = {5, 1, 0}, .material = 1, .group = 7, .inverseMass = 0};
            world.addParticles({&drop, 1});
        }
        Solver solver(world);
        stepFrames(solver, 60);
        const double force = world.shapeReports[0].force.y, expected = -64 * 1.0 * kGravity;
        EXPECT_NEAR(force, expected, 0.05 * std::abs(expected)) << (wet ? "wet" : "dry");
    }
}

// Still water in a cube of 0.5 m. Opposite walls bear the same, ρ g h²/2 times their width: half the weight.
// Measured: 3.3 % less with 8 particles across, 2.9 % with 16.
class StillWater : public ShapeReports {
protected:
    void expectLoads(int across) {
        World world(exec);
        world.parameters.solver.substeps = 4;
        MaterialProperties m = water(0.5f / static_cast<float>(across));
        m.viscosity = 0.2f;
        m.damping = 2;
        addMaterial(world, m);
        addFloor(world);
        for (const Vec3 n : {Vec3{1, 0, 0}, Vec3{-1, 0, 0}, Vec3{0, 0, 1}, Vec3{0, 0, -1}})
            addPlane(world, -0.25f * n, n);
        addBlock(world, {.low = {-0.25f, 0, -0.25f}, .nx = across, .ny = across, .nz = across});
        Solver solver(world);
        stepFrames(solver, 120);
        world.materials[0].properties.damping = 0;  // it would bear a part of the weight itself
        stepFrames(solver, 60);
        double force[5][3] = {};
        for (int f = 0; f < 60; ++f) {
            solver.step();
            for (int s = 0; s < 5; ++s) {
                force[s][0] += world.shapeReports[s].force.x / 60;
                force[s][1] += world.shapeReports[s].force.y / 60;
                force[s][2] += world.shapeReports[s].force.z / 60;
            }
        }
        EXPECT_NEAR(force[0][1], -weight(world), 0.01 * weight(world));
        EXPECT_NEAR(force[1][0] + force[2][0], 0, 0.01 * weight(world));
        EXPECT_NEAR(force[2][0], 0.5 * weight(world), 0.025 * weight(world));
        RecordProperty("floor_over_weight", fmt::format("{:.4f}", -force[0][1] / weight(world)));
        RecordProperty("wall_over_half_weight", fmt::format("{:.4f}", force[2][0] / weight(world) * 2));
    }
};
FOR_EACH_BACKEND(StillWater);

TEST_P(StillWater, LoadsItsTankWithItsWeight) {
    expectLoads(8);
}
TEST_P(StillWater, LoadsItsTankWithItsWeightAtTwiceTheResolution) {
    expectLoads(16);
}

TEST_P(ShapeReports, ShapeImpulseEqualsParticleMomentumLoss) {
    // a swarm without gravity in a closed box with solids of every kind: Σ m Δv = −Σ force · time
    for (const float restitution : {0.0f, 0.7f}) {
        World world(exec);
        world.parameters.world.gravity = {0, 0, 0};
        world.parameters.fluid.wallDensity = 0;
        MaterialProperties m = dry(0.04f);
        m.restitution = restitution;
        m.staticFriction = m.dynamicFriction = 0.3f;
        addMaterial(world, m);
        world.shapes.push_back(asContainer(boxShape({0, 0, 0}, {1, 1, 1})));
        world.shapes.push_back(sphereShape({0.4f, 0.4f, 0}, 0.3f));
        world.shapes.push_back(formShape("hull", ShapeKind::convex, polytope(16, 5), quatFromEuler(1, 2, 3),
                                         {0.2f, 0.3f, 0.2f}));
        world.shapes.push_back(formShape("ball", ShapeKind::mesh, meshGeometry(ballMesh(8, 0.3f))));
        world.shapes[3].position = {-0.5f, -0.5f, 0};
        std::vector<ParticleDef> births;
        for (int i = 0; i < 300; ++i) {
            const Vec3 x = randomVec3(51, i, -0.9f, 0.9f);
            bool free = true;
            for (const Shape& s : world.shapes) free &= distanceFrom(s, 0, toDouble(x)) > 0.05;
            if (free && length(toDouble(x) - toDouble(world.shapes[3].position)) > 0.35)
                births.push_back({.x = x, .v = randomVec3(52, i, -5, 5)});
        }
        world.addParticles(births);
        Solver solver(world);
        const double mass = particleMass(world.materials[0].properties);
        for (int frame = 0; frame < 20; ++frame) {
            const std::vector<Vec4> before = velocities(world);
            solver.step();
            const std::vector<Vec4> after = velocities(world);
            Vec3d gained, lost;
            double scale = 0;
            for (size_t i = 0; i < after.size(); ++i) {
                gained = gained + mass * (toDouble(after[i]) - toDouble(before[i]));
                scale += mass * length(toDouble(after[i]) - toDouble(before[i]));
            }
            for (const ShapeReport& r : world.shapeReports) lost = lost + (1.0 / 60) * toDouble(r.force);
            ASSERT_GT(scale, 0);
            // density pushes particles that meet apart, and keeps their momentum
            EXPECT_LT(length(gained + lost), 2e-3 * scale)
                << "frame " << frame << ", restitution " << restitution;
        }
    }
}

TEST_P(ShapeReports, LoadsDoNotDependOnThreadCount) {
    expectSameBitsOnEveryMachine([](Exec& exec) {
        World world(exec);
        addMaterial(world, water(0.05f));
        world.shapes.push_back(asContainer(boxShape({0, 0.5f, 0}, {0.5f, 0.5f, 0.5f})));
        world.shapes.push_back(formShape("ball", ShapeKind::mesh, meshGeometry(ballMesh(8, 0.2f))));
        world.shapes[1].velocity = {0, 0.3f, 0};
        addBlock(world, {.low = {-0.4f, 0.3f, -0.4f}, .nx = 16, .ny = 10, .nz = 16, .jitter = 0.1f});
        Solver solver(world);
        std::vector<ShapeReport> reports;
        for (int frame = 0; frame < 10; ++frame) {
            solver.step();
            reports.insert(reports.end(), world.shapeReports.begin(), world.shapeReports.end());
        }
        return reports;
    });
}

// ---- channels ----

TEST_P(ShapeReports, CollisionMasksAreRespected) {
    World world(exec);
    world.parameters.fluid.wallDensity = 0;
    addMaterial(world, dry(0.02f));
    for (uint32_t k = 0; k < 8; ++k) {
        world.shapes.push_back(boxShape({0, -0.3f * static_cast<float>(k + 1), 0}, {2, 0.02f, 2}));
        world.shapes.back().name = "shelf" + std::to_string(k);
        world.shapes.back().collisionMask = 1u << k;
        world.groups.push_back({.name = "layer" + std::to_string(k), .collisionMask = 1u << k});
    }
    std::vector<ParticleDef> births;
    for (int i = 0; i < 160; ++i)
        births.push_back(
            {.x = {0.2f * static_cast<float>(i % 16) - 1.5f, 0.05f, 0.2f * static_cast<float>(i / 16) - 1},
             .group = static_cast<uint32_t>(i % 8)});
    world.addParticles(births);
    Solver solver(world);
    stepFrames(solver, 90);
    const std::vector<Vec4> x = positions(world);
    for (int i = 0; i < 160; ++i)
        EXPECT_NEAR(x[i].y, -0.3f * static_cast<float>(i % 8 + 1) + 0.03f, 1e-4f) << i;
}

// ---- triggers ----

TEST_P(ShapeReports, TriggersCountEntriesWithoutContact) {
    World world(exec);
    world.parameters.world.gravity = {0, 0, 0};
    world.parameters.fluid.wallDensity = 0;
    addMaterial(world, dry(0.02f));
    Shape gate = boxShape({0, 0, 0}, {0.1f, 1, 1});
    gate.trigger = true;
    world.shapes.push_back(gate);
    // slow ones pass through the gate in many substeps, fast ones in one; some never come
    for (int i = 0; i < 30; ++i) {
        const float speed = i % 3 == 0 ? 0.5f : i % 3 == 1 ? 60.0f : 0.0f;
        addAt(world, {-0.3f, 0.05f * static_cast<float>(i) - 0.7f, 0}, {speed, 0, 0});
    }
    addAt(world, {-0.05f, 0.95f, 0.5f});  // begins inside: present, never entered
    Solver solver(world);
    stepFrames(solver, 36);  // 0.6 s: the slow ones are at 0
    EXPECT_EQ(world.shapeReports[0].entered, 20u);
    EXPECT_EQ(world.shapeReports[0].present, 11u);
    stepFrames(solver, 36);
    EXPECT_EQ(world.shapeReports[0].entered, 20u);
    EXPECT_EQ(world.shapeReports[0].present, 1u);
    const std::vector<Vec4> v = velocities(world);
    for (int i = 0; i < 30; ++i)
        EXPECT_NEAR(v[i].x, i % 3 == 0 ? 0.5f : i % 3 == 1 ? 60.0f : 0.0f, 1e-4f) << i;
    EXPECT_EQ(length(world.shapeReports[0].force), 0);
}

TEST_P(ShapeReports, TriggersTeleportParticles) {
    World world(exec);
    world.parameters.fluid.wallDensity = 0;
    addMaterial(world, dry(0.02f));
    Shape pit = boxShape({0, -0.5f, 0}, {5, 0.5f, 5});
    pit.trigger = true;
    pit.sendTo = SendTo{{0, 2, 0}, {0.5f, 0.25f, 0.5f}};
    world.shapes.push_back(pit);
    for (int i = 0; i < 50; ++i) addAt(world, {0.1f * static_cast<float>(i) - 2.5f, 0.5f, 0});
    Solver solver(world);
    uint64_t sent = 0;
    std::vector<Vec4> before = positions(world);
    for (int frame = 0; frame < 120; ++frame) {
        solver.step();
        const std::vector<Vec4> x = positions(world), v = velocities(world);
        for (int i = 0; i < 50; ++i) {
            ASSERT_GT(x[i].y, 0);
            if (x[i].y < before[i].y + 0.5f) continue;  // else it was sent, in this frame
            ++sent;
            EXPECT_LE(std::abs(x[i].x), 0.5f);
            EXPECT_LE(std::abs(x[i].y - 2), 0.251f);
            EXPECT_LE(std::abs(x[i].z), 0.5f);
            EXPECT_GT(v[i].y, -kGravity / 60 - 1e-4);  // came to rest there
        }
        before = x;
    }
    EXPECT_GE(sent, 50u);
    EXPECT_EQ(world.shapeReports[0].entered, sent);
    EXPECT_EQ(world.shapeReports[0].present, 0u);
}

// ---- many shapes ----

// Reference: every particle against every shape, in double.
TEST_P(ShapeReports, ManyShapesAreAllReported) {
    World world(exec);
    world.parameters.fluid.wallDensity = 0;
    addMaterial(world, dry(0.05f));
    for (uint64_t i = 0; i < 1500; ++i) {
        Shape s = i % 3 == 0   ? boxShape({}, randomVec3(61, i, 0.03f, 0.15f))
                  : i % 3 == 1 ? sphereShape({}, 0.1f)
                               : capsuleShape({}, 0.05f, 0.1f);
        s.name += std::to_string(i);
        s.position = randomVec3(62, i, -1.5f, 1.5f);
        s.rotation = randomRotation(63, i);
        if (i % 5 == 0) s.velocity = randomVec3(66, i, -0.3f, 0.3f);
        if (i % 7 == 0) s.angularVelocity = randomVec3(67, i, -1, 1);
        world.shapes.push_back(s);
    }
    std::vector<ParticleDef> births;
    for (int i = 0; births.size() < 200; ++i) {
        const Vec3 x = randomVec3(64, i, -1.4f, 1.4f);
        bool free = true;
        for (const Shape& s : world.shapes) free &= distanceFrom(s, 0, toDouble(x)) > 0.03;
        if (free) births.push_back({.x = x, .v = randomVec3(65, i, -10, 10)});
    }
    world.addParticles(births);
    Solver solver(world);
    size_t touching = 0, overlapping = 0;
    for (int frame = 0; frame < 20; ++frame) {
        solver.step();
        for (const Vec4& x : positions(world))
            for (const Shape& s : world.shapes) {
                const double distance = distanceFrom(s, world.time, toDouble(x));
                touching += distance < 0.025 * 1.02;
                // between moving shapes there may be no room left
                overlapping += distance < 0.025 * 0.98;
                ASSERT_GT(distance, s.velocity == Vec3{} && s.angularVelocity == Vec3{} ? 0.0 : -0.01)
                    << "frame " << frame << ", " << s.name;
            }
    }
    EXPECT_GT(touching, 500u);
    EXPECT_LT(overlapping, touching / 50);
    RecordProperty("touching", fmt::format("{}", touching));
    RecordProperty("overlapping", fmt::format("{}", overlapping));
}

FOR_EACH_BACKEND(ShapeReports);

}  // namespace
}  // namespace coalesce::test
