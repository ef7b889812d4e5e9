// A film that is made of a replay repeats its states.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scene/build/build.h"
#include "scene/reader.h"
#include "scene/timeline/timeline.h"
#include "session/replay_timeline.h"
#include "sim/solver/solver.h"
#include "sim/state/state_hash.h"
#include "support/temporary_folder.h"

namespace coalesce::test {
namespace {

using testing::HasSubstr;

constexpr uint64_t kFrames = 24;

class ReplayTimeline : public ::testing::Test {
protected:
    ReplayTimeline() : exec({.backend = "cpu", .threads = 1}), built(exec) {
        writeText(folder / "all.json", R"({
            "about": "One of each that the mouse can move.", "duration": 5,
            "materials": { "water": { "spacing": 0.1 }, "wood": { "kind": "rigid", "spacing": 0.1, "density": 600 },
                           "linen": { "kind": "cloth", "spacing": 0.1 } },
            "bodies": [
                { "name": "pool", "material": "water", "block": { "min": [0, 0, 0], "max": [0.6, 0.3, 0.6] } },
                { "name": "crate", "material": "wood", "block": { "size": [0.2, 0.2, 0.2] }, "center": [0.2, 0.8, 0.2],
                  "copies": { "count": [2, 1, 1], "step": [0.3, 0, 0] } },
                { "name": "sheet", "material": "linen", "grid": { "size": [0.8, 0, 0.8] }, "center": [2, 1, 0], "pinned": false }
            ],
            "shapes": [ { "name": "floor", "plane": { "normal": [0, 1, 0] } },
                        { "name": "block", "box": { "size": [0.2, 0.2, 0.2] }, "position": [1.2, 0.1, 0] } ]
        })");
        scene = readScene(folder / "all.json");
        buildWorld(scene, built);
        replay.file = folder / "played.json";
        replay.scene = scene.file;
        replay.marks = {{0, 1}, {kFrames, 2}};
    }
    uint32_t firstOf(const std::string& name) const {
        for (const Group& group : built.groups)
            if (group.name == name) return group.first;
        ADD_FAILURE() << name;
        return 0;
    }
    // The state after all frames, with the events of a replay or with the timeline of the scene.
    uint64_t hashAfter(const Scene& played, const Replay* events) {
        World world(exec);
        buildWorld(played, world);
        Timeline timeline(played);
        Solver solver(world);
        std::optional<ReplayPlayer> player;
        if (events) player.emplace(*events, played);
        while (world.frame < kFrames) {
            if (player) player->advance(world);
            timeline.advance(world);
            solver.step();
        }
        return stateHash(world);
    }
    std::string errorOf() {
        try {
            timelineOf(replay, scene, built);
        } catch (const Error& error) {
            EXPECT_EQ(error.code, Exit::Scene);
            return error.what();
        }
        return "none";
    }
    TemporaryFolder folder;
    Exec exec;
    Scene scene;
    World built;
    Replay replay;
};

TEST_F(ReplayTimeline, RepeatsEveryKindOfInput) {
    const float third = 1.0f / 3;
    replay.events = {{0, Edit{"materials.water.viscosity", {third}, ""}, 0},
                     {1, UserCommand(Grab{7, firstOf("crate.1") + 3, {0.5f, 0.9f, third}}), 0},
                     {1, UserCommand(MoveTarget{7, {0.5f, 1.0f, third}}), 0},
                     {2, UserCommand(MoveTarget{7, {0.6f, 1.1f, 0.2f}}), 0},
                     {3, UserCommand(MoveShape{1, {2, 0.9f, 0}, Quat{0, 0.28f, 0, 0.96f}}), 0},
                     {4, UserCommand(MoveShape{1, {1.1f, 0.15f, 0}, Quat{0, 0.6f, 0, 0.8f}}), 0},
                     {5, UserCommand(Brush{{0, 0.2f, third}, {0.3f, 0.2f, third}}), 0},
                     {6, Edit{"solver.springs", {}, "averaged"}, 0},
                     {7, UserCommand(Cut{{2.05f, 3, -1}, {2.05f, -3, 0}, {2.05f, 3, 1}}), 0},
                     {8, UserCommand(Release{7}), 0},
                     {9, Edit{"world.gravity", {0, -5, third}, ""}, 0},
                     {10, UserCommand(Throw{{0.3f, 1.5f, 0.3f}, {0, -3, 0}}), 0},
                     {11, UserCommand(Gust{{0, 1, 0.3f}, {4, 0, 0}}), 0},
                     {12, UserCommand(Pour{0, {0, 2, 0.6f}, {0, -9, 0}}), 0}};
    writeText(folder / "film.json", filmOf(replay, scene, built));
    SceneChoice choice;
    choice.film = folder / "film.json";
    const Scene filmed = readScene(scene.file, choice);
    EXPECT_EQ(filmed.timeline.size(), replay.events.size());
    EXPECT_DOUBLE_EQ(filmed.duration, kFrames / 60.0);
    const uint64_t played = hashAfter(scene, &replay);
    EXPECT_EQ(hashAfter(filmed, nullptr), played);
    // each event matters: a film without it ends in another state
    for (size_t k = 0; k < filmed.timeline.size(); ++k) {
        Scene without = filmed;
        without.timeline.erase(without.timeline.begin() + ptrdiff_t(k));
        EXPECT_NE(hashAfter(without, nullptr), played) << "event " << k;
    }
}

// A key that is held is one event, with the same effect; another place or a pause begins the next.
TEST_F(ReplayTimeline, AHeldKeyIsOneEvent) {
    const Pour pour{0, {0, 2, 0.6f}, {0, -9, 0}}, aside{0, {0.3f, 2, 0.6f}, {0, -9, 0}};
    const Gust gust{{0, 1, 0.3f}, {4, 0, 0}};
    for (const uint64_t frame : {0, 1, 2, 3}) replay.events.push_back({frame, UserCommand(pour), 0});
    for (const uint64_t frame : {4, 6, 7}) replay.events.push_back({frame, UserCommand(aside), 0});
    for (const uint64_t frame : {8, 9, 10}) replay.events.push_back({frame, UserCommand(gust), 0});
    for (const uint64_t frame : {12, 13, 14})  // both keys
        for (const UserCommand& command : {UserCommand(pour), UserCommand(gust)})
            replay.events.push_back({frame, command, 0});
    writeText(folder / "film.json", filmOf(replay, scene, built));
    SceneChoice choice;
    choice.film = folder / "film.json";
    const Scene filmed = readScene(scene.file, choice);
    ASSERT_EQ(filmed.timeline.size(), 6u);
    EXPECT_NEAR(filmed.timeline[0].until, 4 / 60.0, 1e-9);
    EXPECT_NEAR(filmed.timeline[3].until, 11 / 60.0, 1e-9);
    EXPECT_EQ(hashAfter(filmed, nullptr), hashAfter(scene, &replay));
}

TEST_F(ReplayTimeline, RefusesWhatNoCommandCanRepeat) {
    replay.events = {{1, UserCommand(Grab{0, 4000000u, {}}), 0},
                     {2, Edit{"materials.water.spacing", {0.2}, ""}, 0},
                     {3, UserCommand(Pour{3, {}, {0, -1, 0}}), 0},
                     {4, UserCommand(Grab{0, firstOf("sheet") + 81, {}}), 0}};
    ASSERT_GT(built.groups.back().count, 81u) << "ids for torn corners";
    const std::string error = errorOf();
    EXPECT_THAT(error, HasSubstr("particle 4000000 is of no body of the scene"));
    EXPECT_THAT(error, HasSubstr("materials.water.spacing: it is fixed when particles are spawned"));
    EXPECT_THAT(error, HasSubstr("the material of a thrown ball"));
    EXPECT_THAT(error, HasSubstr(fmt::format("particle {} is of no body", firstOf("sheet") + 81)))
        << "an id that only torn cloth has";
    EXPECT_THAT(error, HasSubstr("coalesce run --replay"));
    replay.events = {{0, UserCommand(Grab{0, firstOf("sheet") + 80, {}}), 0}};
    EXPECT_EQ(errorOf(), "none");
    // what the scene sets itself
    TimedCommand falls;
    falls.set = "world.gravity", falls.at = 1, falls.until = 2;
    scene.timeline.push_back(falls);
    replay.events = {{3, Edit{"world.gravity", {0, -5, 0}, ""}, 0}};
    EXPECT_THAT(errorOf(), HasSubstr("world.gravity: the scene sets it, too"));
    scene.tracks.emplace_back().set = "shapes.block.position";
    replay.events = {{3, UserCommand(MoveShape{1, {}, {}}), 0}};
    EXPECT_THAT(errorOf(), HasSubstr("block: the scene moves it, too"));
}

TEST_F(ReplayTimeline, LastsAsLongInSlowMotion) {
    replay.events = {{12, Edit{"solver.timeScale", {0.25}, ""}, 0}};
    writeText(folder / "film.json", filmOf(replay, scene, built));
    SceneChoice choice;
    choice.film = folder / "film.json";
    EXPECT_NEAR(readScene(scene.file, choice).duration, (12 + 12 * 0.25) / 60, 1e-12);
}

}  // namespace
}  // namespace coalesce::test
