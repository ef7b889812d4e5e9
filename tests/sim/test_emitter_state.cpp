// Saved states, memory and ids of worlds with emitters and sinks, and their results on every backend.
#include <gtest/gtest.h>

#include "sim/emitter_suite.h"
#include "sim/same_states.h"
#include "support/small_scene.h"

namespace coalesce::test {
namespace {

class EmitterState : public EachBackend {
protected:
    TemporaryFolder folder;
};

// All at once: a jet with a lifetime, sprays, stones, and sinks of every kind.
void everything(World& world) {
    MaterialProperties tense = water(kSpacing);
    tense.surfaceTension = 0.2f;
    addMaterial(world, tense);
    const uint32_t rock = addMaterial(world, solid(MaterialKind::rigid, kSpacing, 0.4f));
    addFloor(world);
    addBlock(world, {.low = {-0.2f, 0, -0.2f}, .nx = 8, .ny = 2, .nz = 8});
    world.prefabs = {stoneOf(world, rock)};
    Emitter jet = tap({-0.8f, 0.8f, 0}, {1, 0.3f, 0}, 2, 0.1f);
    jet.properties.life = 0.4f, jet.properties.jitter = 0.1f, jet.properties.spread = 5;
    addEmitter(world, jet);
    Emitter spray = tap({0, 0.2f, 0}, {0, 1, 0}, 3, 0.1f);
    spray.name = "spray", spray.seed = 11, spray.properties.rate = 90, spray.properties.spread = 40;
    addEmitter(world, spray);
    Emitter stones = tap({0.3f, 1, 0}, {0, -1, 0}, 1, 0.2f);
    stones.name = "stones", stones.seed = 13, stones.properties.rate = 6, stones.properties.turn = 180;
    stones.properties.life = 0.7f, stones.prefabs = {0};
    addEmitter(world, stones);
    Sink room = sinkOf("room", ShapeKind::box, true);
    room.form.halfExtents = {1, 2, 1};
    Sink old;
    old.name = "old", old.properties.age = 0.9f, old.actsOn = {"spray"};
    world.sinks = {room, old};
}

TEST_P(EmitterState, SavedStateContinuesBitwise) {
    World world(exec);
    everything(world);
    Solver solver(world);
    for (int k = 0; k < 100; ++k) solver.step();
    ASSERT_FALSE(world.spawning.slots.empty());
    const auto file = folder / "state";
    saveState(world, file);
    const uint64_t saved = stateHash(world);
    const uint32_t firstNew = world.spawning.firstNew;
    for (int k = 0; k < 50; ++k) solver.step();
    const uint64_t end = stateHash(world);

    const auto goesOn = [&](World& other) {
        loadState(other, file);
        EXPECT_EQ(stateHash(other), saved);
        EXPECT_EQ(other.spawning.firstNew, firstNew);
        Solver again(other);
        for (int k = 0; k < 50; ++k) again.step();
        EXPECT_EQ(stateHash(other), end);
        EXPECT_TRUE(balanced(other));
    };
    World fresh(exec);
    everything(fresh);
    goesOn(fresh);
    goesOn(world);  // which is farther, and has other bodies

    // one without emitters takes it not, and is as before
    World plain(exec);
    addMaterial(plain, water(kSpacing));
    addBlock(plain, {});
    const uint64_t before = stateHash(plain);
    EXPECT_THROW(loadState(plain, file), Error);
    EXPECT_EQ(stateHash(plain), before);
}

TEST(EmitterDeterminism, BitwiseEqualAcrossBackends) {
    expectSameStatesOnEveryMachine(80, everything);
}

// Thousands of frames of births and deaths: nothing is lost, nothing grows, and a second run is the same.
TEST_P(EmitterState, LongRunKeepsCountsBalancedAndMemoryBounded) {
    uint64_t hash = 0;
    for (int run = 0; run < 2; ++run) {
        World world(exec);
        everything(world);
        Solver solver(world);
        size_t bytes = 0;
        for (int k = 0; k < 3000; ++k) {
            solver.step();
            ASSERT_TRUE(balanced(world));
            if (k == 600) bytes = exec.allocatedBytes();
            if (k > 600) {
                ASSERT_LT(exec.allocatedBytes(), bytes * 3 / 2) << "frame " << k;
            }
        }
        EXPECT_GT(world.particlesRemoved, 10000u);
        EXPECT_LT(world.spawning.slots.size(), 12u);
        EXPECT_LT(world.spawning.lifetimes.size(), 100u);
        EXPECT_LT(world.spawning.marks.size(), 100u);
        EXPECT_EQ(world.nextId, world.particlesAdded) << "no id is used twice";
        if (run == 0) hash = stateHash(world);
        EXPECT_EQ(stateHash(world), hash);
    }
}

TEST_P(EmitterState, MemoryIsReleasedWhenTheEmitterStops) {
    World world(exec);
    addFloatingWater(world);
    Emitter e = tap({0, 0, 0}, {0, 1, 0}, 10, 0.4f);
    e.properties.end = 0.5f, e.properties.life = 0.6f;
    addEmitter(world, e);
    Solver solver(world);
    size_t most = 0;
    for (int k = 0; k < 90; ++k) {
        solver.step();
        most = std::max(most, exec.allocatedBytes());
    }
    EXPECT_EQ(world.count(), 0u);
    EXPECT_GT(world.particlesRemoved, 10000u);
    EXPECT_LT(exec.allocatedBytes(), most / 2);
}

TEST_P(EmitterState, ReportsExhaustedIds) {
    World world(exec);
    addMaterial(world, water(kSpacing));
    addEmitter(world, tap({0, 0, 0}, {0, 1, 0}, 1));
    world.nextId = 0xfff00000u - 5;
    Solver solver(world);
    try {
        for (int k = 0; k < 10; ++k) solver.step();
        ADD_FAILURE() << "it went on";
    } catch (const Error& error) {
        EXPECT_EQ(error.code, Exit::Simulation);
        EXPECT_NE(std::string(error.what()).find("no ids for"), std::string::npos) << error.what();
    }
}

FOR_EACH_BACKEND(EmitterState);

}  // namespace
}  // namespace coalesce::test
