// Degenerate worlds, quarantine, and independence of scale.
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <limits>

#include "sim/make_bodies.h"
#include "sim/make_world.h"
#include "support/each_backend.h"
#include "support/each_method.h"

namespace coalesce::test {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

class Robustness : public EachBackend {
protected:
    // Runs a world made by build(world) twice, and once with shuffled storage: finite at the end of every
    // frame (or the hash throws), equal in all runs, none lost, none put into quarantine. Gives the last
    // status.
    template <class Build>
    Status expectCalm(Build&& build, int frames = 12) {
        uint64_t first = 0;
        Status last;
        for (int run = 0; run < 3; ++run) {
            World world(exec);
            build(world);
            const size_t count = world.count();
            if (run == 2) shuffleStorage(world, 77);
            Solver solver(world);
            for (int frame = 0; frame < frames; ++frame) {
                last = solver.step();
                EXPECT_EQ(last.worst.nonFinite, 0u);
                EXPECT_FALSE(last.truncated);
                stateHash(world);
            }
            EXPECT_EQ(world.count(), count);
            const uint64_t hash = stateHash(world);
            if (run == 0) first = hash;
            EXPECT_EQ(hash, first) << "run " << run;
        }
        return last;
    }
};

// The whole span of cells takes 21 bits per axis, 63 in all; what is beyond is reported and harms nobody.
TEST_P(Robustness, EveryPositionInTheDomainHasACellKey) {
    for (const float far : {1.5e4f, 3e4f}) {  // [m]: 0.02 m cells reach 2^20 of them at 21 km
        World world(exec);
        addMaterial(world, water(0.01f));
        world.addParticles(
            std::vector<ParticleDef>{{.x = {far, far, far}}, {.x = {-far, -far, -far}}, {.x = {0, 0, 0}}});
        Solver solver(world);
        for (int frame = 0; frame < 3; ++frame) {
            const Status status = solver.step();
            EXPECT_EQ((status.worst.flags & kDomainOverflow) != 0, far > 2e4f);
        }
        EXPECT_EQ(world.count(), 3u);
    }
}

TEST_P(Robustness, CoincidentParticles) {
    for (const int count : {2, 10, 1000})
        expectCalm([&](World& world) {
            addMaterial(world, water(0.05f));
            addFloor(world);
            for (int i = 0; i < count; ++i) addAt(world, {0.1f, 0.5f, -0.2f});
            addBlock(world, {.low = {0.05f, 0.4f, -0.3f}, .nx = 4, .ny = 4, .nz = 4});
        });
}

TEST_P(Robustness, EmptyAndSmallWorlds) {
    for (const int count : {0, 1, 2, 15, 16, 17, 31, 32, 33}) {
        expectCalm([&](World& world) {
            addMaterial(world, water(0.05f));
            addFloor(world);
            for (int i = 0; i < count; ++i)
                addAt(world,
                      {0.05f * static_cast<float>(i % 4), 0.1f + 0.04f * static_cast<float>(i / 4), 0});
        });
    }
}

TEST_P(Robustness, WithoutShapesAndWithMany) {
    expectCalm([](World& world) {
        addMaterial(world, water(0.05f));
        addBlock(world, {});
    });
    expectCalm([](World& world) {
        addMaterial(world, water(0.05f));
        addBlock(world, {.low = {-0.2f, -0.2f, -0.2f}});
        // forty planes around all particles, which cannot all be kept
        for (int k = 0; k < 40; ++k) addPlane(world, {0, 0, 0}, rotate(randomRotation(61, k), {0, 1, 0}));
    });
}

TEST_P(Robustness, EverythingPinned) {
    expectCalm([](World& world) {
        addMaterial(world, water(0.05f));
        addFloor(world);
        for (int i = 0; i < 60; ++i) addAt(world, randomVec3(62, i, 0, 0.2f), {1, 2, 3}, 0, 0);
    });
}

TEST_P(Robustness, MassRatiosOfAMillion) {
    expectCalm([](World& world) {
        addMaterial(world, water(0.05f));
        addFloor(world);
        for (int i = 0; i < 200; ++i) addAt(world, randomVec3(63, i, 0, 0.3f), {}, 0, i % 2 ? 1e-6f : 1e6f);
    });
}

TEST_P(Robustness, NoGravity) {
    World world(exec);
    world.parameters.world.gravity = {0, 0, 0};
    addMaterial(world, water(0.05f));
    addBlock(world, {.nx = 6, .ny = 6, .nz = 6});
    const std::vector<Vec4> before = positions(world);
    Solver solver(world);
    stepFrames(solver, 30);
    // a lattice at rest density stays where it is, but for the rounding of its volume fraction near 1
    const std::vector<Vec4> after = positions(world);
    for (size_t i = 0; i < before.size(); ++i) EXPECT_LT(length(xyz(after[i]) - xyz(before[i])), 1e-5f);
}

TEST_P(Robustness, ExtremesOfTimeStepSpacingAndSpeed) {
    const auto block = [](World& world, float spacing) {
        addMaterial(world, water(spacing));
        addFloor(world);
        addBlock(world, {.low = {0, 2 * spacing, 0}, .nx = 6, .ny = 6, .nz = 6, .jitter = 0.2f});
    };
    for (const float rate : {1.0f, 10000.0f})
        expectCalm([&](World& world) {
            world.parameters.solver.frameRate = rate;
            block(world, 0.05f);
        });
    for (const float spacing : {1e-3f, 10.0f}) expectCalm([&](World& world) { block(world, spacing); });
    const Status status = expectCalm(
        [&](World& world) {
            block(world, 0.05f);
            world.parameters.solver.maxSpeed = 1e6f;
            std::vector<Vec4> v = world.particles.v.download();
            for (size_t i = 0; i < v.size(); ++i) v[i] = vec4(1e6f * randomVec3(64, i, -0.5f, 0.5f), 1.0f);
            world.particles.v.upload(v);
        },
        3);
    EXPECT_EQ(status.worst.flags & kNeighborOverflow, 0u);
}

TEST_P(Robustness, EverythingInOneCell) {
    expectCalm([](World& world) {
        addMaterial(world, water(0.05f));
        addFloor(world);
        std::vector<ParticleDef> births;
        for (int i = 0; i < 600; ++i)
            births.push_back({.x = Vec3{0.01f, 0.11f, 0.01f} + randomVec3(65, i, 0, 0.08f)});
        world.addParticles(births);
    });
}

TEST_P(Robustness, DenormalAndNegativeZeroInput) {
    expectCalm([](World& world) {
        addMaterial(world, water(0.05f));
        addFloor(world);
        addAt(world, {-0.0f, 1e-40f, -1e-42f}, {1e-41f, -0.0f, 0});
        addAt(world, {0, 0.06f, 0}, {-1e-45f, 0, -0.0f});
    });
}

// ---- quarantine ----

TEST_P(Robustness, NonFiniteParticlesAreFrozenAndReported) {
    const auto run = [&](const std::function<void(World&)>& poison) {
        World world(exec);
        world.parameters.solver.iterations = 3;
        addMaterial(world, water(0.05f));
        addFloor(world);
        addBlock(world, {.low = {0, 0.1f, 0}, .nx = 5, .ny = 5, .nz = 5});
        Solver solver(world);
        stepFrames(solver, 2);
        poison(world);
        const Status status = solver.step();
        EXPECT_EQ(status.worst.nonFinite, 1u);
        EXPECT_EQ(status.worst.firstBadId, 62u);
        EXPECT_NE(status.message().find("first id 62"), std::string::npos) << status.message();
        // it stays, and is reported once
        const Vec4 there = positions(world)[62];
        for (int frame = 0; frame < 20; ++frame) EXPECT_EQ(solver.step().worst.nonFinite, 0u);
        EXPECT_NE(byId(world, world.particles.phase)[62] & kFrozen, 0u);
        EXPECT_EQ(positions(world)[62].w, 0);
        EXPECT_EQ(0, std::memcmp(&there, &positions(world)[62], sizeof(Vec4)));
        // all others are finite and go on
        const std::vector<Vec4> x = positions(world), v = velocities(world);
        for (uint32_t i = 0; i < x.size(); ++i) {
            if (i == 62) continue;
            ASSERT_TRUE(isFinite(xyz(x[i])) && isFinite(xyz(v[i]))) << i;
            ASSERT_EQ(byId(world, world.particles.phase)[i] & kFrozen, 0u) << i;
        }
        EXPECT_LT(x[0].y, 0.06f);
    };
    run([](World& world) { setById(world, world.particles.v, 62, Vec4{0, kNan, 0, 1}); });
    run([](World& world) {
        setById(world, world.particles.v, 62, Vec4{std::numeric_limits<float>::infinity(), 0, 0, 1});
    });
    run([](World& world) { setById(world, world.particles.x, 62, vec4(xyz(positions(world)[62]), kNan)); });
    run([](World& world) {
        const Vec4 x = positions(world)[62];
        setById(world, world.particles.x, 62, Vec4{x.x, kNan, x.z, x.w});
    });
}

// One of a soft body leaves the others where they are, under every method.
TEST_P(Robustness, NonFiniteParticlesOfSoftBodiesAreFrozenAlone) {
    for (const Method method : kMethods) {
        SCOPED_TRACE(nameOf(method));
        World world(exec);
        world.parameters.solver.method = method;
        world.parameters.world.gravity = {0, 0, 0};
        MaterialProperties soft = solid(MaterialKind::soft, 0.1f);
        soft.stiffness = 0.5f;
        addMaterial(world, soft);
        addBody(world, {.nx = 3, .ny = 3, .nz = 3, .angularVelocity = {0, 2, 0}});
        Solver solver(world);
        stepFrames(solver, 2);
        setById(world, world.particles.v, 5, Vec4{0, kNan, 0, 0});
        EXPECT_EQ(solver.step().worst.nonFinite, 1u);
        stepFrames(solver, 5);
        const std::vector<uint32_t> phase = byId(world, world.particles.phase);
        for (uint32_t i = 0; i < 27; ++i) {
            EXPECT_EQ((phase[i] & kFrozen) != 0, i == 5) << i;
            EXPECT_TRUE(i == 5 || isFinite(xyz(velocities(world)[i]))) << i;
        }
    }
}

// ---- scale ----

// A splash of two materials past a moving ball, with lengths multiplied by `scale` and times by its root;
// everything else by its units. With powers of two all numbers are then the same but for their exponents.
std::vector<Vec4> splash(Exec& exec, float scale, float time, Stiffness stiffness) {
    World world(exec);
    const float speed = scale / time;
    Parameters& p = world.parameters;
    p.solver.frameRate = 64 / time;
    p.solver.maxSpeed *= speed;
    p.contacts.bounceSpeed *= speed;
    p.fluid.stiffness = stiffness;
    p.fluid.tensile = 0.05f;
    p.fluid.recoveryTime = 0.02f * time;  // above the substep
    for (const float density : {1000.0f, 3000.0f}) {
        MaterialProperties m = water(0.05f * scale);
        m.density = density;
        m.viscosity = 0.05f;
        m.vorticity = 2 / time;
        m.damping = 0.1f / time;
        m.maxDepenetration *= speed;
        m.staticFriction = 0.4f;
        m.dynamicFriction = 0.3f;
        m.restitution = 0.3f;
        addMaterial(world, m);
    }
    addFloor(world);
    addPlane(world, {-0.02f * scale, 0, 0}, {1, 0.2f, 0});
    Shape ball;
    ball.name = "ball", ball.kind = ShapeKind::sphere, ball.radius = 0.125f * scale;
    ball.position = {0.8f * scale, 0.1f * scale, 0.15f * scale};
    ball.velocity = {-0.5f * speed, 0, 0};
    ball.angularVelocity = {0, 0, 1 / time};
    world.shapes.push_back(ball);
    Shape box;
    box.name = "box", box.kind = ShapeKind::box, box.halfExtents = scale * Vec3{0.1f, 0.05f, 0.3f};
    box.position = scale * Vec3{0.3f, 0.02f, 0.15f};
    world.shapes.push_back(box);
    for (const uint32_t material : {0u, 1u})
        addBlock(world, {.low = scale * Vec3{0.04f, 0.1f + 0.3f * static_cast<float>(material), 0.02f},
                         .nx = 7,
                         .ny = 6,
                         .nz = 6,
                         .material = material,
                         .velocity = speed * Vec3{1, -1, 0},
                         .jitter = 0.1f});
    Solver solver(world);
    stepFrames(solver, 40);
    return positions(world);
}

TEST_P(Robustness, ResultsScaleWithTheUnitOfLength) {
    for (const Stiffness stiffness : {Stiffness::relaxed, Stiffness::regularized}) {
        const std::vector<Vec4> one = splash(exec, 1, 1, stiffness);
        for (const float scale : {16.0f, 1.0f / 16}) {
            const std::vector<Vec4> other = splash(exec, scale, std::sqrt(scale), stiffness);
            size_t different = 0;
            for (size_t i = 0; i < one.size(); ++i) different += !(scale * xyz(one[i]) == xyz(other[i]));
            EXPECT_EQ(different, 0u) << "of " << one.size() << " particles, scale " << scale;
        }
    }
}

FOR_EACH_BACKEND(Robustness);

}  // namespace
}  // namespace coalesce::test
