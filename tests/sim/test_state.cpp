// State hash, state files, comparison of states, rollback.
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
#include "support/small_scene.h"

namespace coalesce::test {
namespace {

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
    // two particles that exchange their positions
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
        FAIL() << "a NaN was hashed";
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
    EXPECT_EQ(other.particlesRemoved, 2u);
    EXPECT_EQ(other.frame, 20u);
    Solver fresh(other);
    stepFrames(fresh, 20);
    EXPECT_EQ(stateHash(other), stateHash(world));

    // and a solver of a later state continues from the loaded one
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
    const size_t header = sectionsOf(folder / "state").at(0).offset;  // with the table of sections
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
    EXPECT_NE(refusal(world, folder / "absent").find("it does not exist"), std::string::npos);
    EXPECT_EQ(stateHash(world), before);
}

TEST_P(State, FilesOfAnotherSceneAreRejected) {
    World world(exec);
    build(world);
    saveState(world, folder / "state");
    const auto expectRefused = [&](World& other) {
        const uint64_t before = stateHash(other);
        EXPECT_NE(refusal(other, folder / "state").find("other materials, shapes or attributes"),
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
    // other parameters of the same scene are allowed
    World thicker(exec);
    build(thicker);
    thicker.materials[0].properties.viscosity = 3;
    thicker.parameters.solver.iterations = 9;
    EXPECT_EQ(refusal(thicker, folder / "state"), "");
}

TEST_P(State, FilesOfAnotherVersionAreRefusedWithBothVersions) {
    World world(exec);
    build(world);
    saveState(world, folder / "state");
    const std::string good = readText(folder / "state");
    EXPECT_EQ(good.substr(0, 8), "CoalSt08");
    const uint64_t before = stateHash(world);
    for (const char* other : {"07", "09", "42"}) {
        writeText(folder / "other", good.substr(0, 6) + other + good.substr(8));
        const std::string message = refusal(world, folder / "other");
        EXPECT_NE(message.find(fmt::format("version {}, and this program reads version 8", std::stoi(other))),
                  std::string::npos)
            << message;
    }
    // the header of version 7 was longer and had other fields
    writeText(folder / "past", "CoalSt07" + std::string(232, '\1'));
    EXPECT_NE(refusal(world, folder / "past").find("version 7, and this program reads version 8"),
              std::string::npos);
    for (const char* none : {"CoalStxx", "coalSt08", "CoalSt8 "}) {
        writeText(folder / "none", none + good.substr(8));
        EXPECT_NE(refusal(world, folder / "none").find("not a saved state"), std::string::npos) << none;
    }
    EXPECT_EQ(stateHash(world), before);
}

TEST_P(State, MissingUnknownAndOtherVersionsOfSectionsAreRefusedByName) {
    World world(exec);
    build(world);
    const uint64_t before = stateHash(world);
    const StateImage good = captureState(world);
    const auto messageFor = [&](auto&& change) {
        StateImage image = good;
        change(image);
        writeStateImage(image, world, folder / "changed");
        const std::string message = refusal(world, folder / "changed");
        EXPECT_EQ(stateHash(world), before);
        return message;
    };
    EXPECT_EQ(messageFor([](StateImage&) {}), "");
    for (size_t k = 0; k < good.sections.size(); ++k) {
        const std::string name = good.sections[k].name;
        const auto expect = [&](const std::string& what, auto&& change) {
            const std::string message = messageFor(change);
            EXPECT_NE(message.find(what), std::string::npos) << message;
        };
        expect("lacks the section '" + name + "'",
               [&](StateImage& i) { i.sections.erase(i.sections.begin() + k); });
        const uint32_t version = good.sections[k].version;
        for (const uint32_t wrong : {version + 2, 0u})
            expect(fmt::format("section '{}' has version {}, and this program reads version {}", name, wrong,
                               version),
                   [&](StateImage& i) { i.sections[k].version = wrong; });
        expect("a section twice", [&](StateImage& i) { i.sections.push_back(i.sections[k]); });
        StateArray other;
        other.name = "temperature", other.layout = "f", other.count = 1, other.bytes.resize(4);
        expect("section '" + name + "' has an unknown array 'temperature'",
               [&](StateImage& i) { i.sections[k].arrays.push_back(other); });
        if (good.sections[k].arrays.empty()) continue;
        expect("section '" + name + "' lacks the array '" + good.sections[k].arrays.back().name + "'",
               [&](StateImage& i) { i.sections[k].arrays.pop_back(); });
        expect("another type or length", [&](StateImage& i) {
            StateArray& array = i.sections[k].arrays[0];
            array.layout = "u", array.count = array.bytes.size() / 4;
        });
    }
    const std::string message = messageFor([](StateImage& i) {
        i.sections.push_back({"temperature", 1, {}});
    });
    EXPECT_NE(message.find("unknown section 'temperature'"), std::string::npos) << message;
}

// ---- comparison ----

TEST_P(State, FirstDifferenceNamesSectionArrayIdAndBothValues) {
    World a(exec), b(exec);
    build(a), build(b);
    shuffleStorage(b, 9);
    EXPECT_FALSE(firstDifference(a, b));
    for (uint64_t k = 0; k < 20; ++k) {
        const auto id = uint32_t(randomBits(55, k) % b.count());
        const Vec4 before = velocities(b)[id];
        Vec4 changed = before;
        changed.y += 0.25f;
        setById(b, b.particles.v, id, changed);
        const auto found = firstDifference(a, b);
        ASSERT_TRUE(found);
        EXPECT_EQ(found->section, "particles");
        EXPECT_EQ(found->array, "v");
        EXPECT_TRUE(found->ofParticle);
        EXPECT_EQ(found->id, id);
        EXPECT_EQ(found->component, 1);
        EXPECT_EQ(found->a, fmt::format("{}", before.y));
        EXPECT_EQ(found->b, fmt::format("{}", changed.y));
        EXPECT_EQ(found->message(),
                  fmt::format("section 'particles', particle {} of 'v', component 1: {} and {}", id, before.y,
                              changed.y));
        setById(b, b.particles.v, id, before);
    }
    // a zero of the other sign is the same state
    setById(a, a.particles.v, 5, Vec4{0, 0, 0, 1});
    setById(b, b.particles.v, 5, Vec4{-0.0f, 0, 0, 1});
    EXPECT_FALSE(firstDifference(a, b));

    b.time += 0.5;
    EXPECT_EQ(firstDifference(a, b)->message(),
              "section 'time', element 0 of 'time', component 0: 0 and 0.5");
    b.time = 0;
    b.shapes[1].position.z = 3;
    EXPECT_EQ(firstDifference(a, b)->message(),
              "section 'shapes', element 1 of 'progress', component 4: 0 and 3");
    b.shapes[1].position.z = 0;
    const uint32_t gone[] = {17};
    b.removeParticles(gone);
    EXPECT_EQ(firstDifference(a, b)->message(),
              "section 'particles', particle 17 of 'id', component 0: present and absent");
    EXPECT_EQ(firstDifference(b, a)->a, "absent");
}

TEST_P(State, FilesCanBeComparedWithoutTheirScene) {
    World world(exec);
    build(world);
    Solver solver(world);
    stepFrames(solver, 2);
    saveState(world, folder / "a");
    const StateImage a = readStateImage(folder / "a");
    EXPECT_FALSE(firstDifference(a, captureState(world)));
    stepFrames(solver, 1);
    const auto found = firstDifference(a, captureState(world));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->array, "x");
}

// ---- a new stateful array ----

// A state with one array more than the world's, declared by one line.
struct Warm {
    World& world;
    Buffer<float> temperature;

    explicit Warm(World& w) : world(w), temperature(w.exec) {
        temperature.upload(std::vector<float>(w.count(), 20.0f));
    }
    template <class Archive>
    void visit(Archive& archive) {
        visitState(archive, world);
        archive.section({"warmth", 1, kHashed | kSaved | kSnapshot | kRolledBack},
                        [&] { archive.table("temperature", temperature); });
    }
    void set(size_t i, float value) {
        std::vector<float> values = temperature.download();
        values[i] = value;
        temperature.upload(values);
    }
    uint64_t hash() {
        StateHasher hasher(world);
        visit(hasher);
        return hasher.result();
    }
    StateImage image() {
        StateImage image;
        StateImageWriter writer(image);
        visit(writer);
        return image;
    }
};

TEST_P(State, OneDeclarationHashesSavesReadsAndComparesANewArray) {
    World world(exec);
    build(world);
    Warm warm(world);
    const uint64_t before = warm.hash();
    EXPECT_NE(before, stateHash(world));
    const StateImage cold = warm.image();
    EXPECT_TRUE(cold.find("warmth"));

    warm.set(3, 21.5f);
    EXPECT_NE(warm.hash(), before);
    EXPECT_EQ(firstDifference(cold, warm.image())->message(),
              "section 'warmth', element 3 of 'temperature', component 0: 20 and 21.5");

    const RefuseState refuse = [](const std::string& why) { FAIL() << why; };
    StateImageReader reader(cold, refuse);
    warm.visit(reader);
    reader.finish();
    EXPECT_EQ(warm.hash(), before);

    // a program that does not know the section says so
    writeStateImage(cold, world, folder / "warm");
    EXPECT_NE(refusal(world, folder / "warm").find("unknown section 'warmth'"), std::string::npos);
}

// ---- rollback and snapshots ----

TEST_P(State, FrameBackupRestoresWhatSubstepsChange) {
    World world(exec);
    build(world);
    const StateImage before = captureState(world);
    FrameBackup backup(exec);
    for (int round = 0; round < 2; ++round) {
        backup.save(world);
        shuffleStorage(world, 3);
        setById(world, world.particles.x, 7, Vec4{1, 2, 3, 1});
        EXPECT_TRUE(firstDifference(before, captureState(world)));
        backup.restore(world);
        EXPECT_FALSE(firstDifference(before, captureState(world)));
    }
}

TEST_P(State, SnapshotsRestoreStateAndSettings) {
    World world(exec);
    build(world);
    Solver solver(world);
    stepFrames(solver, 3);
    const StateImage before = captureState(world);
    const WorldSnapshot snapshot(world);
    EXPECT_EQ(snapshot.frame(), 3u);
    EXPECT_EQ(snapshot.bytes(), WorldSnapshot::bytesOf(world));
    EXPECT_GE(snapshot.bytes(), world.count() * World::stateBytesPerParticle());
    world.parameters.solver.iterations = 9;
    world.materials[1].properties.density = 500;
    world.shapes[1].radius = 2;
    addAt(world, {0, 2, 0});
    stepFrames(solver, 2);
    EXPECT_TRUE(firstDifference(before, captureState(world)));
    snapshot.restore(world);
    EXPECT_FALSE(firstDifference(before, captureState(world)));
    EXPECT_EQ(world.parameters.solver.iterations, Parameters().solver.iterations);
    EXPECT_EQ(world.materials[1].properties.density, 700);
    EXPECT_EQ(world.shapes[1].radius, 0.15f);
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

FOR_EACH_BACKEND(State);

}  // namespace
}  // namespace coalesce::test
