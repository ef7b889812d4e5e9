// State hash, saved states, births and deaths.
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>
#include <set>

#include "sim/make_bodies.h"
#include "support/each_backend.h"
#include "support/small_scene.h"

namespace coalesce::test {
namespace {

class State : public EachBackend {
protected:
    // two liquids that fall onto a floor past a ball
    void build(World& world) {
        addMaterial(world, water(0.05f));
        MaterialProperties oil = water(0.05f);
        oil.density = 700;
        addMaterial(world, oil);
        addFloor(world);
        Shape ball;
        ball.name = "ball", ball.kind = ShapeKind::sphere, ball.radius = 0.15f;
        ball.velocity = {0.1f, 0, 0};
        world.shapes.push_back(ball);
        addBlock(world, {.low = {-0.2f, 0.2f, -0.2f}, .nx = 6, .ny = 6, .nz = 6, .jitter = 0.1f});
        addBlock(world, {.low = {0.1f, 0.2f, -0.2f}, .nx = 4, .ny = 6, .nz = 6, .material = 1});
    }
    TemporaryFolder folder;
};

std::string refusal(World& world, const std::filesystem::path& file) {
    try {
        loadState(world, file);
    } catch (const Error& error) {
        EXPECT_EQ(error.code, Exit::Scene);
        return error.what();
    }
    return {};
}

TEST_P(State, HashDependsOnExactlyTheStateValues) {
    World world(exec);
    build(world);
    const uint64_t before = stateHash(world);
    EXPECT_EQ(stateHash(world), before);
    shuffleStorage(world, 5);
    EXPECT_EQ(stateHash(world), before);

    // the least significant bit of any word of any array
    const auto expectSeen = [&]<class T>(Buffer<T>& array, size_t word) {
        const std::vector<T> kept = array.download();
        std::vector<T> changed = kept;
        uint32_t bits;
        std::memcpy(&bits, reinterpret_cast<char*>(&changed[77]) + 4 * word, 4);
        bits ^= 1;
        std::memcpy(reinterpret_cast<char*>(&changed[77]) + 4 * word, &bits, 4);
        array.upload(changed);
        EXPECT_NE(stateHash(world), before);
        array.upload(kept);
        EXPECT_EQ(stateHash(world), before);
    };
    forEachArray(world.particles, [&]<class T>(Buffer<T>& array, const ArrayInfo&) {
        for (size_t word = 0; word < sizeof(T) / 4; ++word) expectSeen(array, word);
    });
    // two particles that exchange their places
    std::vector<Vec4> x = world.particles.x.download();
    std::swap(x[3], x[4]);
    world.particles.x.upload(x);
    EXPECT_NE(stateHash(world), before);
    std::swap(x[3], x[4]);
    // a zero of the other sign is the same state
    x[3].z = 0;
    world.particles.x.upload(x);
    const uint64_t zero = stateHash(world);
    x[3].z = -0.0f;
    world.particles.x.upload(x);
    EXPECT_EQ(stateHash(world), zero);
    world.time += 1e-9;
    EXPECT_NE(stateHash(world), zero);
}

TEST_P(State, HashRejectsNonFiniteValuesByName) {
    World world(exec);
    build(world);
    setById(world, world.particles.v, 13, Vec4{0, std::numeric_limits<float>::quiet_NaN(), 0, 1});
    try {
        stateHash(world);
        FAIL() << "a NaN went into the hash";
    } catch (const Error& error) {
        EXPECT_EQ(error.code, Exit::Simulation);
        EXPECT_NE(std::string(error.what()).find("particle 13 is not finite"), std::string::npos)
            << error.what();
    }
}

TEST_P(State, SavedFileContinuesBitwise) {
    World world(exec);
    build(world);
    Solver solver(world);
    stepFrames(solver, 20);
    const uint32_t gone[] = {3, 200};
    world.removeParticles(gone);
    saveState(world, folder / "state");
    const uint64_t saved = stateHash(world);
    stepFrames(solver, 20);

    World other(exec);
    build(other);
    loadState(other, folder / "state");
    EXPECT_EQ(stateHash(other), saved);
    EXPECT_EQ(other.deaths, 2u);
    EXPECT_EQ(other.frame, 20u);
    Solver fresh(other);
    stepFrames(fresh, 20);
    EXPECT_EQ(stateHash(other), stateHash(world));

    // and a solver that was elsewhere goes on from the loaded state
    loadState(other, folder / "state");
    stepFrames(fresh, 20);
    EXPECT_EQ(stateHash(other), stateHash(world));
}

TEST_P(State, CorruptFilesAreRejectedWithoutSideEffects) {
    World world(exec);
    build(world);
    Solver solver(world);
    stepFrames(solver, 2);
    saveState(world, folder / "state");
    const std::string good = readText(folder / "state");
    stepFrames(solver, 2);
    const uint64_t before = stateHash(world);
    const auto expectRefused = [&](const std::string& bytes, const std::string& what) {
        writeText(folder / "damaged", bytes);
        const std::string message = refusal(world, folder / "damaged");
        ASSERT_NE(message.find("refused"), std::string::npos) << what << ": " << message;
        ASSERT_NE(message.find("damaged"), std::string::npos) << "the file is not named: " << message;
        ASSERT_EQ(stateHash(world), before) << what;
    };
    const size_t header = 96;
    for (size_t byte = 0; byte < header; ++byte) {
        std::string bytes = good;
        bytes[byte] = static_cast<char>(bytes[byte] ^ (1 << randomBits(51, byte) % 8));
        expectRefused(bytes, fmt::format("header byte {}", byte));
    }
    for (int k = 0; k < 300; ++k) {
        std::string bytes = good;
        const size_t byte = header + randomBits(52, k) % (good.size() - header);
        bytes[byte] = static_cast<char>(bytes[byte] ^ (1 + randomBits(53, k) % 255));
        expectRefused(bytes, fmt::format("body byte {}", byte));
    }
    for (int k = 0; k < 64; ++k) expectRefused(good.substr(0, good.size() * k / 64), fmt::format("{}/64", k));
    expectRefused(good + '\0', "one byte more");
    EXPECT_NE(refusal(world, folder / "absent").find("cannot be opened"), std::string::npos);
    EXPECT_EQ(stateHash(world), before);
}

TEST_P(State, FilesOfAnotherSceneAreRejected) {
    World world(exec);
    build(world);
    saveState(world, folder / "state");
    const auto expectRefused = [&](World& other) {
        const uint64_t before = stateHash(other);
        EXPECT_NE(refusal(other, folder / "state").find("other materials, shapes or channels"),
                  std::string::npos);
        EXPECT_EQ(stateHash(other), before);
    };
    World renamed(exec);
    build(renamed);
    renamed.materials[1].name = "honey";
    expectRefused(renamed);
    World smaller(exec);
    build(smaller);
    smaller.shapes.pop_back();
    expectRefused(smaller);
    World finer(exec);
    build(finer);
    finer.materials[0].properties.spacing = 0.04f;
    expectRefused(finer);
    // but other numbers of the same scene are the user's choice
    World thicker(exec);
    build(thicker);
    thicker.materials[0].properties.viscosity = 3;
    thicker.parameters.solver.iterations = 9;
    EXPECT_EQ(refusal(thicker, folder / "state"), "");
}

TEST_P(State, UnwritablePathsAreReported) {
    World world(exec);
    build(world);
    try {
        saveState(world, folder / "no_such_folder/state");
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code, Exit::Output);
        EXPECT_NE(std::string(error.what()).find("no_such_folder"), std::string::npos);
    }
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

// ---- births and deaths ----

TEST_P(State, IdsAreNeverReused) {
    World world(exec);
    build(world);
    Solver solver(world);
    std::set<uint32_t> seen;
    for (int round = 0; round < 6; ++round) {
        std::vector<uint32_t> ids = world.particles.id.download();
        // what is not from before is new for good
        for (const uint32_t id : ids) seen.insert(id);
        EXPECT_EQ(seen.size(), world.nextId);
        EXPECT_EQ(world.births - world.deaths, world.count());
        // the newest and some others die; unknown and repeated ids do not matter
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
        EXPECT_EQ(world.births, world.count());
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
    saveState(world, folder / "fresh");  // before any frame knows of the deaths
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

// Who came into a trigger since the start of the run is told on where the run goes on.
TEST_P(State, TriggerCountsContinueAfterLoading) {
    const auto build = [](World& world) {
        world.parameters.world.gravity = {0, 0, 0};
        addMaterial(world, water(0.02f));
        Shape gate;
        gate.name = "gate", gate.kind = ShapeKind::box, gate.halfExtents = {0.1f, 1, 1}, gate.trigger = true;
        world.shapes.push_back(gate);
        for (int i = 0; i < 6; ++i)
            addAt(world, {-0.3f - 0.2f * static_cast<float>(i), 0.1f * static_cast<float>(i), 0}, {2, 0, 0});
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
    // any bit of the tables, which stand at the end
    size_t tables = (1 + world.shapes.size()) * sizeof(uint64_t);
    forEachTable(world.solids, [&]<class T>(const Buffer<T>& table, const char*, TableOf) {
        tables += sizeof(uint64_t) + table.size() * sizeof(T);
    });
    for (int k = 0; k < 200; ++k) {
        std::string bytes = good;
        const size_t byte = good.size() - 1 - randomBits(81, k) % tables;
        bytes[byte] = static_cast<char>(bytes[byte] ^ (1 << randomBits(82, k) % 8));
        writeText(folder / "damaged", bytes);
        ASSERT_NE(refusal(world, folder / "damaged").find("is damaged"), std::string::npos) << byte;
        ASSERT_EQ(stateHash(world), before);
    }
    for (const size_t left : {good.size() - 1, good.size() - tables, size_t{200}}) {
        writeText(folder / "damaged", good.substr(0, left));
        EXPECT_NE(refusal(world, folder / "damaged").find("refused"), std::string::npos);
        EXPECT_EQ(stateHash(world), before);
    }

    // whole files with impossible contents, as a program gone wrong would save them
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
    expectRefused("rest place",
                  [&](World& w) { spoil(w.solids.memberRestPosition, [&](Vec4& r) { r.y = nan; }); });
    expectRefused("rest place",
                  [&](World& w) { spoil(w.solids.memberRestPosition, [&](Vec4& r) { r.w = 0; }); });
    expectRefused("distance", [&](World& w) { spoil(w.solids.rowSdf, [&](Vec4& f) { f.x = nan; }); });
    expectRefused("gain", [&](World& w) { spoil(w.solids.massScale, [](float& g) { g = 0.5f; }); });
    expectRefused("gain", [&](World& w) {
        spoil(w.solids.massScale, [](float& g) { g = std::numeric_limits<float>::infinity(); });
    });
    expectRefused("center",
                  [&](World& w) { spoil(w.solids.clusterRestCenter, [&](Vec4& r) { r.z = nan; }); });
    expectRefused("place of a body", [&](World& w) {
        spoil(w.solids.pose, [&](ClusterPose& p) { p.rotation = {0, 0, 0, 0}; });
    });
    expectRefused("place of a body",
                  [&](World& w) { spoil(w.solids.pose, [&](ClusterPose& p) { p.center.x = nan; }); });
    // the loose grain says that it is of the rigid body
    expectRefused("is none of body 'body0'",
                  [&](World& w) { setById(w, w.particles.phase, 0, makePhase(1, w.bodies[0].group)); });
    // as many rows and matches, in other bodies
    World other(exec);
    buildBodies(other);
    std::swap(other.bodies[0].rows, other.bodies[1].rows);
    EXPECT_NE(refusal(other, folder / "state").find("other"), std::string::npos);
}

// A list that is too short shows only in the middle of a frame; what the frame had changed until then goes
// back.
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

FOR_EACH_BACKEND(State);

}  // namespace
}  // namespace coalesce::test
