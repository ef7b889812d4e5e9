// States whose particles come and go, and states with bodies.
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>
#include <set>

#include "sim/make_bodies.h"
#include "sim/state/frame_backup.h"
#include "sim/state/state_compare.h"
#include "sim/state/state_hasher.h"
#include "sim/state/world_snapshot.h"
#include "sim/state_suite.h"
#include "support/each_backend.h"

namespace coalesce::test {
namespace {

// ---- adding and removing particles ----

TEST_P(State, IdsAreNeverReused) {
    World world(exec);
    build(world);
    Solver solver(world);
    std::set<uint32_t> seen;
    for (int round = 0; round < 6; ++round) {
        std::vector<uint32_t> ids = world.particles.id.download();
        // new ids were never used before
        for (const uint32_t id : ids) seen.insert(id);
        EXPECT_EQ(seen.size(), world.nextId);
        EXPECT_EQ(world.particlesAdded - world.particlesRemoved, world.count());
        // remove the newest and some others; unknown and repeated ids are ignored
        std::sort(ids.begin(), ids.end());
        const std::vector<uint32_t> gone = {ids.back(), ids[ids.size() / 2], ids[7], ids[7], 4000000000u};
        const size_t before = world.count();
        EXPECT_EQ(world.removeParticles(gone), 3u);
        EXPECT_EQ(world.count(), before - 3);
        EXPECT_EQ(world.removeParticles(gone), 0u);
        stepFrames(solver, 2);
        addAt(world, {0.3f * round, 1, 0});
        addAt(world, {0.3f * round, 1.2f, 0});
    }
}

TEST_P(State, RemovalKeepsAllValuesOfRemainingParticles) {
    World world(exec);
    build(world);
    Solver solver(world);
    stepFrames(solver, 3);
    const std::vector<Vec4> x = positions(world), v = velocities(world);
    std::vector<uint32_t> gone;
    for (uint32_t id = 0; id < world.nextId; id += 3) gone.push_back(id);
    world.removeParticles(gone);
    const std::vector<uint32_t> ids = world.particles.id.download();
    const std::vector<Vec4> xNow = world.particles.x.download(), vNow = world.particles.v.download();
    EXPECT_EQ(ids.size(), x.size() - gone.size());
    for (size_t i = 0; i < ids.size(); ++i) {
        ASSERT_NE(ids[i] % 3, 0u);
        ASSERT_EQ(0, std::memcmp(&xNow[i], &x[ids[i]], sizeof(Vec4)));
        ASSERT_EQ(0, std::memcmp(&vNow[i], &v[ids[i]], sizeof(Vec4)));
    }
    // all of them
    world.removeParticles(ids);
    EXPECT_EQ(world.count(), 0u);
    stepFrames(solver, 2);
    addAt(world, {0, 1, 0});
    EXPECT_EQ(world.particles.id.download()[0], world.nextId - 1);
    stepFrames(solver, 2);
}

TEST_P(State, HashDoesNotDependOnStorageOrder) {
    std::set<uint64_t> hashes;
    for (uint64_t seed = 0; seed < 4; ++seed) {
        World world(exec);
        build(world);
        if (seed > 0) shuffleStorage(world, seed);
        Solver solver(world);
        stepFrames(solver, 8);
        const uint32_t gone[] = {9, 100, 55};
        world.removeParticles(gone);
        addAt(world, {0, 1, 0});
        if (seed > 0) shuffleStorage(world, seed + 50);
        stepFrames(solver, 8);
        hashes.insert(stateHash(world));
    }
    EXPECT_EQ(hashes.size(), 1u);
}

TEST_P(State, InvalidParticlesAreRejectedWithoutSideEffects) {
    World world(exec);
    build(world);
    const uint64_t before = stateHash(world);
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN(),
                    kInf = std::numeric_limits<float>::infinity();
    const ParticleDef bad[] = {{.x = {kNan, 0, 0}},
                               {.v = {0, kInf, 0}},
                               {.inverseMass = kNan},
                               {.material = 2},
                               {.group = kMaxGroups}};
    for (const ParticleDef& b : bad) {
        const ParticleDef some[] = {{.x = {0, 3, 0}}, b};
        EXPECT_THROW(world.addParticles(some), Error);
        EXPECT_EQ(stateHash(world), before);
        EXPECT_EQ(world.particlesAdded, world.count());
    }
}

// ---- bodies ----

// A rigid and a plastic body, and a loose grain.
void buildBodies(World& world) {
    addMaterial(world, solid(MaterialKind::grains, 0.05f));
    addMaterial(world, solid(MaterialKind::rigid, 0.05f, 0.3f));
    MaterialProperties clay = solid(MaterialKind::soft, 0.05f, 0.3f);
    clay.stiffness = 0.3f, clay.plasticYield = 0.05f;
    addMaterial(world, clay);
    addFloor(world);
    addAt(world, {1, 1, 1});
    addBody(world, {.position = {0, 0.3f, 0}, .rotation = randomRotation(71, 0), .material = 1});
    addBody(world, {.position = {0.05f, 0.6f, 0}, .nx = 4, .material = 2, .clusterSpacing = 0.1f});
}

TEST_P(State, BodiesWithRemovedParticlesContinueFromAFile) {
    World world(exec);
    buildBodies(world);
    Solver solver(world);
    stepFrames(solver, 25);
    const std::vector<uint32_t> gone = {1, 2, 3, 10, 30, 31};
    world.removeParticles(gone);
    saveState(world, folder / "fresh");  // before any frame after the removal
    stepFrames(solver, 10);
    saveState(world, folder / "later");
    const uint64_t later = stateHash(world);
    stepFrames(solver, 10);
    for (const char* file : {"fresh", "later"}) {
        World other(exec);
        buildBodies(other);
        loadState(other, folder / file);
        Solver again(other);
        stepFrames(again, 10);
        if (file[0] == 'f') {
            EXPECT_EQ(stateHash(other), later);
            stepFrames(again, 10);
        }
        EXPECT_EQ(stateHash(other), stateHash(world)) << file;
    }
}

TEST_P(State, HashDependsOnBodyTables) {
    World world(exec);
    buildBodies(world);
    const uint64_t before = stateHash(world);
    forEachTable(world.solids, [&]<class T>(Buffer<T>& table, const char* name, TableOf) {
        const std::vector<T> kept = table.download();
        if (kept.empty()) return;  // of cloth
        for (size_t word = 0; word < sizeof(T) / 4; ++word) {
            std::vector<T> changed = kept;
            uint32_t words[sizeof(T) / 4];
            T& last = changed.at(changed.size() - 1);
            std::memcpy(words, &last, sizeof(T));
            words[word] ^= 1;
            std::memcpy(&last, words, sizeof(T));
            table.upload(changed);
            EXPECT_NE(stateHash(world), before) << name << " word " << word;
            table.upload(kept);
            EXPECT_EQ(stateHash(world), before);
        }
    });
}

// The number of particles that entered a trigger continues when a state is loaded.
TEST_P(State, TriggerCountsContinueAfterLoading) {
    const auto build = [](World& world) {
        world.parameters.world.gravity = {0, 0, 0};
        addMaterial(world, water(0.02f));
        Shape gate;
        gate.name = "gate", gate.kind = ShapeKind::box, gate.halfExtents = {0.1f, 1, 1}, gate.trigger = true;
        world.shapes.push_back(gate);
        for (int i = 0; i < 6; ++i) addAt(world, {-0.3f - 0.2f * float(i), 0.1f * float(i), 0}, {2, 0, 0});
    };
    World world(exec), resumed(exec);
    build(world), build(resumed);
    Solver solver(world), other(resumed);
    stepFrames(solver, 20);
    const uint64_t early = world.shapeReports[0].entered;
    saveState(world, folder / "state");
    loadState(resumed, folder / "state");
    EXPECT_EQ(resumed.shapeReports[0].entered, early);
    stepFrames(solver, 40);
    stepFrames(other, 40);
    EXPECT_GT(early, 0u);
    EXPECT_GT(world.shapeReports[0].entered, early);
    EXPECT_EQ(resumed.shapeReports[0].entered, world.shapeReports[0].entered);
    EXPECT_EQ(stateHash(resumed), stateHash(world));
}

TEST_P(State, CorruptBodiesAreRejectedWithoutSideEffects) {
    World world(exec);
    buildBodies(world);
    Solver solver(world);
    stepFrames(solver, 20);
    saveState(world, folder / "state");
    const std::string good = readText(folder / "state");
    stepFrames(solver, 2);
    const uint64_t before = stateHash(world);
    // any bit of the tables
    const std::vector<StateFileSection> sections = sectionsOf(folder / "state");
    const auto tables = std::ranges::find(sections, "bodies", &StateFileSection::name);
    ASSERT_NE(tables, sections.end());
    for (int k = 0; k < 200; ++k) {
        std::string bytes = good;
        const size_t byte = tables->offset + randomBits(81, k) % tables->bytes;
        bytes[byte] = static_cast<char>(bytes[byte] ^ (1 << randomBits(82, k) % 8));
        writeText(folder / "damaged", bytes);
        ASSERT_NE(refusal(world, folder / "damaged").find("is damaged"), std::string::npos) << byte;
        ASSERT_EQ(stateHash(world), before);
    }
    for (const size_t left : {good.size() - 1, size_t(tables->offset), size_t{200}}) {
        writeText(folder / "damaged", good.substr(0, left));
        EXPECT_NE(refusal(world, folder / "damaged").find("refused"), std::string::npos);
        EXPECT_EQ(stateHash(world), before);
    }

    // intact files with invalid contents
    const auto expectRefused = [&](const std::string& what, auto&& change) {
        World wrong(exec);
        buildBodies(wrong);
        change(wrong);
        saveState(wrong, folder / "wrong");
        EXPECT_NE(refusal(world, folder / "wrong").find(what), std::string::npos)
            << refusal(world, folder / "wrong");
        EXPECT_EQ(stateHash(world), before);
    };
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const auto spoil = [](auto& table, auto&& change) {
        auto values = table.download();
        change(values[3 % values.size()]);
        table.upload(values);
    };
    expectRefused("rest position of a cluster",
                  [&](World& w) { spoil(w.solids.memberRestPosition, [&](Vec4& r) { r.y = nan; }); });
    expectRefused("rest position of a cluster",
                  [&](World& w) { spoil(w.solids.memberRestPosition, [&](Vec4& r) { r.w = 0; }); });
    expectRefused("signed distance", [&](World& w) { spoil(w.solids.rowSdf, [&](Vec4& f) { f.x = nan; }); });
    expectRefused("mass scale", [&](World& w) { spoil(w.solids.massScale, [](float& g) { g = 0.5f; }); });
    expectRefused("mass scale", [&](World& w) {
        spoil(w.solids.massScale, [](float& g) { g = std::numeric_limits<float>::infinity(); });
    });
    expectRefused("rest center",
                  [&](World& w) { spoil(w.solids.clusterRestCenter, [&](Vec4& r) { r.z = nan; }); });
    expectRefused("pose of a body", [&](World& w) {
        spoil(w.solids.pose, [&](ClusterPose& p) { p.rotation = {0, 0, 0, 0}; });
    });
    expectRefused("pose of a body",
                  [&](World& w) { spoil(w.solids.pose, [&](ClusterPose& p) { p.center.x = nan; }); });
    // the loose grain names the group of the rigid body
    expectRefused("is not part of body 'body0'",
                  [&](World& w) { setById(w, w.particles.phase, 0, makePhase(1, w.bodies[0].group)); });
    // equal numbers of rows and clusters, in other bodies
    World other(exec);
    buildBodies(other);
    std::swap(other.bodies[0].rows, other.bodies[1].rows);
    EXPECT_NE(refusal(other, folder / "state").find("other"), std::string::npos);
}

// A list overflows in the middle of a frame; the changes of the frame are rolled back.
TEST_P(State, RedoneFrameGivesTheSameHashAsLargeCapacity) {
    const auto run = [&](int pairCapacity, int* redone) {
        World world(exec);
        buildBodies(world);
        world.parameters.solver.substeps = 4;
        world.parameters.neighbors.pairCapacity = pairCapacity;
        Solver solver(world);
        *redone = 0;
        for (int frame = 0; frame < 30; ++frame) {
            if (frame == 12) {
                const std::vector<uint32_t> gone = {1, 2, 3, 4, 30, 31};
                world.removeParticles(gone);
            }
            *redone += solver.step().redone;
        }
        return stateHash(world);
    };
    int grown, roomy;
    const uint64_t small = run(1, &grown), large = run(64, &roomy);
    EXPECT_GT(grown, 0);
    EXPECT_EQ(roomy, 0);
    EXPECT_EQ(small, large);
}

}  // namespace
}  // namespace coalesce::test
