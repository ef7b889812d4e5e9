// The same scene gives the same state, bit for bit: on any number of threads, in any order of execution,
// after an overflow, and after saving and loading. The references are runs of the same
// solver; the test OneInitialBitChangesTheFinalHash shows that the comparison can fail.
#include <cmath>
#include <functional>
#include <gtest/gtest.h>

#include "sim/make_bodies.h"
#include "support/each_backend.h"
#include "support/small_scene.h"

namespace coalesce::test {
namespace {

// A small dam break of two liquids in a tank, around a turning box.
void buildDamBreak(World& world) {
    MaterialProperties m = water(0.05f);
    m.viscosity = 0.02f;
    m.vorticity = 1;
    m.staticFriction = 0.1f;
    m.dynamicFriction = 0.1f;
    addMaterial(world, m);
    m.density = 2500;
    m.spacing = 0.06f;
    addMaterial(world, m);
    Shape tank;
    tank.name = "tank", tank.kind = ShapeKind::box, tank.container = true;
    tank.position = {0.6f, 0.6f, 0.2f}, tank.halfExtents = {0.6f, 0.6f, 0.2f};
    world.shapes.push_back(tank);
    Shape paddle;
    paddle.name = "paddle", paddle.kind = ShapeKind::box;
    paddle.position = {0.8f, 0.1f, 0.2f}, paddle.halfExtents = {0.15f, 0.02f, 0.15f};
    paddle.angularVelocity = {0, 0, 4};
    world.shapes.push_back(paddle);
    addBlock(world, {.low = {0, 0, 0}, .nx = 8, .ny = 12, .nz = 8, .jitter = 0.05f});
    addBlock(world, {.low = {0, 0.62f, 0}, .nx = 6, .ny = 5, .nz = 6, .material = 1});
}

constexpr int kFrames = 40;

std::vector<uint64_t> hashes(Exec& exec, const std::function<void(World&)>& change = {}) {
    World world(exec);
    buildDamBreak(world);
    if (change) change(world);
    Solver solver(world);
    std::vector<uint64_t> all;
    for (int frame = 0; frame < kFrames; ++frame) {
        solver.step();
        all.push_back(stateHash(world));
    }
    return all;
}

// the first frame that differs, or "equal"
std::string compared(const std::vector<uint64_t>& a, const std::vector<uint64_t>& b) {
    for (size_t k = 0; k < a.size(); ++k)
        if (a[k] != b[k]) return fmt::format("frame {}: {:016x} and {:016x}", k + 1, a[k], b[k]);
    return a.size() == b.size() ? "equal" : "different lengths";
}

const std::vector<uint64_t>& reference() {
    static const std::vector<uint64_t> one = [] {
        Exec exec({.backend = "cpu", .threads = 1});
        return hashes(exec);
    }();
    return one;
}

TEST(Determinism, BitwiseEqualAcrossBackends) {
    for (const Machine& machine : machines()) {
        Exec exec(machine.options);
        EXPECT_EQ(compared(reference(), hashes(exec)), "equal") << machine.name;
    }
    Exec three({.backend = "cpu", .threads = 3});
    EXPECT_EQ(compared(reference(), hashes(three)), "equal") << "3 threads";
}

TEST(Determinism, HashDoesNotDependOnExecutionOrder) {
    for (uint64_t seed = 1; seed <= 8; ++seed) {
        Exec exec({.backend = "cpu", .threads = seed % 2 ? 1 : 4, .shuffle = mix(seed)});
        EXPECT_EQ(compared(reference(), hashes(exec)), "equal") << "seed " << seed;
    }
}

class DeterminismPerBackend : public EachBackend {};

TEST_P(DeterminismPerBackend, HashDoesNotDependOnStorageOrder) {
    for (uint64_t seed = 1; seed <= 8; ++seed)
        EXPECT_EQ(compared(reference(), hashes(exec, [seed](World& world) { shuffleStorage(world, seed); })),
                  "equal")
            << "seed " << seed;
}

TEST_P(DeterminismPerBackend, HashDoesNotDependOnAnOverflow) {
    EXPECT_EQ(
        compared(reference(), hashes(exec, [](World& world) { world.parameters.neighbors.capacity = 4; })),
        "equal");
    EXPECT_EQ(
        compared(reference(), hashes(exec, [](World& world) { world.parameters.neighbors.capacity = 700; })),
        "equal");
}

TEST_P(DeterminismPerBackend, HashDoesNotDependOnSavingAndLoading) {
    const TemporaryFolder folder;
    std::vector<uint64_t> all;
    for (int frame = 0; frame < kFrames; ++frame) {
        // a new world and a new solver every ten frames
        World world(exec);
        buildDamBreak(world);
        if (frame > 0) loadState(world, folder / "state");
        Solver solver(world);
        for (const int until = frame + 9; frame < until; ++frame) {
            solver.step();
            all.push_back(stateHash(world));
        }
        solver.step();
        all.push_back(stateHash(world));
        saveState(world, folder / "state");
    }
    EXPECT_EQ(compared(reference(), all), "equal");
}

TEST_P(DeterminismPerBackend, OneStepReplaysExactly) {
    World world(exec);
    buildDamBreak(world);
    Solver solver(world);
    stepFrames(solver, 20);
    const TemporaryFolder folder;
    saveState(world, folder / "state");
    solver.step();
    const uint64_t once = stateHash(world);
    EXPECT_EQ(once, reference()[20]);
    for (int replay = 0; replay < 20; ++replay) {
        loadState(world, folder / "state");
        solver.step();
        ASSERT_EQ(stateHash(world), once) << "replay " << replay;
    }
}

TEST_P(DeterminismPerBackend, OneInitialBitChangesTheFinalHash) {
    const std::vector<uint64_t> other = hashes(exec, [](World& world) {
        Vec4 x = positions(world)[17];
        x.x = std::nextafter(x.x, 1.0f);
        setById(world, world.particles.x, 17, x);
    });
    for (int frame = 0; frame < kFrames; ++frame)
        EXPECT_NE(other[frame], reference()[frame]) << "frame " << frame;
}

// ---- all kinds together: liquid, grains, rigid and soft bodies fall into a tank ----

void buildMixture(World& world) {
    world.parameters.contacts.stackScaling = 2;
    MaterialProperties liquid = water(0.05f);
    liquid.vorticity = 1;
    addMaterial(world, liquid);
    MaterialProperties sand = solid(MaterialKind::grains, 0.04f, 0.6f);
    sand.cohesion = 2, sand.restitution = 0.3f, sand.rollingResistance = 0.5f;
    addMaterial(world, sand);
    MaterialProperties stone = solid(MaterialKind::rigid, 0.05f, 0.4f);
    stone.density = 2000, stone.restitution = 0.2f;
    addMaterial(world, stone);
    MaterialProperties clay = solid(MaterialKind::soft, 0.05f, 0.4f);
    clay.stiffness = 0.4f, clay.plasticYield = 0.05f;
    addMaterial(world, clay);
    MaterialProperties jelly = solid(MaterialKind::soft, 0.05f, 0.2f);
    jelly.compliance = 1e-5f;
    addMaterial(world, jelly);
    Shape tank;
    tank.name = "tank", tank.kind = ShapeKind::box, tank.container = true;
    tank.position = {0.4f, 1, 0.3f}, tank.halfExtents = {0.4f, 1, 0.3f};
    world.shapes.push_back(tank);
    addBlock(world, {.low = {0, 0, 0}, .nx = 8, .ny = 6, .nz = 10, .jitter = 0.05f});
    addBlock(world, {.low = {0.45f, 0, 0.05f}, .nx = 8, .ny = 8, .nz = 10, .material = 1, .jitter = 0.05f});
    for (int k = 0; k < 4; ++k) {
        addBody(world, {.position = {0.2f + 0.25f * static_cast<float>(k % 2), 0.6f,
                                     0.15f + 0.3f * static_cast<float>(k / 2)},
                        .rotation = randomRotation(3, k),
                        .nx = 3 + k % 2,
                        .material = 2,
                        .angularVelocity = randomVec3(4, k, -8, 8),
                        .distances = k < 3});
        addBody(world, {.position = {0.2f + 0.3f * static_cast<float>(k % 2), 0.9f,
                                     0.15f + 0.3f * static_cast<float>(k / 2)},
                        .rotation = randomRotation(5, k),
                        .nx = 4,
                        .material = 3 + static_cast<uint32_t>(k % 2),
                        .selfCollide = k > 1,
                        .clusterSpacing = 0.1f});
    }
}

std::vector<uint64_t> mixture(Exec& exec, const std::function<void(World&)>& change = {}) {
    World world(exec);
    buildMixture(world);
    if (change) change(world);
    Solver solver(world);
    std::vector<uint64_t> all;
    for (int frame = 0; frame < kFrames; ++frame) {
        if (frame == 15) {
            const std::vector<uint32_t> gone = {3, 500, 1130, 1131, 1200};
            EXPECT_EQ(world.removeParticles(gone), gone.size());
        }
        if (frame == 20)
            addBody(world, {.position = {0.4f, 1.5f, 0.3f}, .material = 2, .velocity = {0, -2, 0}});
        solver.step();
        all.push_back(stateHash(world));
    }
    return all;
}

const std::vector<uint64_t>& mixtureReference() {
    static const std::vector<uint64_t> one = [] {
        Exec exec({.backend = "cpu", .threads = 1});
        return mixture(exec);
    }();
    return one;
}

TEST(DeterminismOfBodies, BitwiseEqualAcrossBackends) {
    for (const Machine& machine : machines()) {
        Exec exec(machine.options);
        EXPECT_EQ(compared(mixtureReference(), mixture(exec)), "equal") << machine.name;
    }
    Exec three({.backend = "cpu", .threads = 3});
    EXPECT_EQ(compared(mixtureReference(), mixture(three)), "equal") << "3 threads";
    for (uint64_t seed = 1; seed <= 4; ++seed) {
        Exec exec({.backend = "cpu", .threads = seed % 2 ? 1 : 4, .shuffle = mix(seed)});
        EXPECT_EQ(compared(mixtureReference(), mixture(exec)), "equal") << "seed " << seed;
    }
}

class DeterminismOfBodiesPerBackend : public EachBackend {};

TEST_P(DeterminismOfBodiesPerBackend, HashDoesNotDependOnStorageOrderOrOverflow) {
    const auto with = [&](auto&& change) { return compared(mixtureReference(), mixture(exec, change)); };
    for (uint64_t seed = 1; seed <= 3; ++seed)
        EXPECT_EQ(with([seed](World& world) { shuffleStorage(world, seed); }), "equal") << "seed " << seed;
    EXPECT_EQ(with([](World& world) { world.parameters.neighbors.pairCapacity = 1; }), "equal");
    EXPECT_EQ(with([](World& world) { world.parameters.neighbors.pairCapacity = 64; }), "equal");
    EXPECT_EQ(with([](World& world) { world.parameters.neighbors.capacity = 4; }), "equal");
}

TEST_P(DeterminismOfBodiesPerBackend, HashDoesNotDependOnSavingAndLoading) {
    const TemporaryFolder folder;
    std::vector<uint64_t> all;
    for (int frame = 0; frame < 15; ++frame) {
        World world(exec);
        buildMixture(world);
        if (frame > 0) loadState(world, folder / "state");
        Solver solver(world);
        solver.step();
        all.push_back(stateHash(world));
        saveState(world, folder / "state");
    }
    const std::vector<uint64_t> expected(mixtureReference().begin(), mixtureReference().begin() + 15);
    EXPECT_EQ(compared(expected, all), "equal");
}

FOR_EACH_BACKEND(DeterminismOfBodiesPerBackend);
FOR_EACH_BACKEND(DeterminismPerBackend);

}  // namespace
}  // namespace coalesce::test
