// Balls, jets and gusts from the mouse, and replays with them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bridge/scene_camera.h"
#include "session/run_scene.h"
#include "sim/interaction/pick.h"
#include "sim/state/state_file.h"
#include "sim/state/state_hash.h"
#include "support/small_scene.h"
#include "view/tools/spawn_tool.h"

namespace coalesce::test {
namespace {

using testing::HasSubstr;

constexpr int kWidth = 800, kHeight = 600;

class SpawnTools : public ::testing::Test {
protected:
    SpawnTools() { session.startRecording(); }

    Aim aimAt(Session& s, Vec3 place) const {
        const Camera view = cameraOf(s.scene().cameras[0]);
        return {glm::vec2(project(view, {place.x, place.y, place.z}, kWidth, kHeight)), kWidth, kHeight};
    }
    static void frames(Session& s, int count) {
        for (int k = 0; k < count; ++k) s.step();
        ASSERT_EQ(s.problem(), "");
    }
    static uint64_t played(const std::filesystem::path& file) {
        const Replay replay = readReplay(file);
        RunOptions run;
        run.exec.backend = "cpu";
        run.sets = replay.choice.sets;
        run.replay = replay;
        return runScene(replay.scene, run).cases.at(0).hash;
    }
    // [m] of the newest particles
    static Vec3 meanOfLast(Session& s, size_t count) {
        Vec3 sum{};
        for (uint32_t k = 0; k < count; ++k) sum += *placeOf(s.world(), s.world().nextId - 1 - k);
        return 1.0f / float(count) * sum;
    }

    TemporaryFolder folder;
    std::filesystem::path file = smallScene(folder);
    Session session{file, {}, {.backend = "cpu"}};
    Camera camera = cameraOf(session.scene().cameras[0]);
    SpawnTool tool;
};

TEST_F(SpawnTools, ABallHitsWhatTheCursorPointsAt) {
    frames(session, 30);
    const size_t before = session.world().count();
    const Vec3 target = targetUnder(session, camera, aimAt(session, {0.3f, 0.2f, 0.3f}));
    ASSERT_EQ(SpawnTool::throwBall(session, camera, aimAt(session, {0.3f, 0.2f, 0.3f})), "");
    float nearest = 1e9f;
    for (int k = 0; k < 40; ++k) {
        frames(session, 1);
        const size_t ball = session.world().count() - before;
        ASSERT_GT(ball, 100u) << "four spacings of radius";
        nearest = std::min(nearest, length(meanOfLast(session, ball) - target));
    }
    EXPECT_LT(nearest, 0.45f) << "the ball has a radius of 0.4 m";
    // the ball added a material, also to the lists of the panel
    ASSERT_EQ(session.world().materials.size(), 2u);
    EXPECT_EQ(session.world().materials[1].properties.kind, MaterialKind::rigid);
    EXPECT_EQ(session.scene().materials.size(), 2u);
    // a second ball is a copy of the first; undo takes it back, and a restart removes both
    ASSERT_EQ(SpawnTool::throwBall(session, camera, aimAt(session, {0.3f, 0.2f, 0.3f})), "");
    frames(session, 1);
    EXPECT_EQ(session.world().bodies.size(), 2u);
    EXPECT_EQ(session.undoable(), "Throw");
    ASSERT_TRUE(session.undo());
    EXPECT_EQ(session.world().bodies.size(), 1u);
    ASSERT_TRUE(session.redo());
    EXPECT_EQ(session.world().bodies.size(), 2u);
    EXPECT_EQ(session.world().materials.size(), 2u);
    session.restart(true);
    EXPECT_EQ(session.world().materials.size(), 1u);
    EXPECT_EQ(session.scene().materials.size(), 1u);
    frames(session, 3);
}

// The wall of the tank in front of the water leaves no way: the ball falls from above the water, within the tank.
TEST_F(SpawnTools, ABallIsThrownInAClosedTank) {
    writeText(folder / "tank.json", R"({"materials": {"water": {"spacing": 0.1}},
        "bodies": [{"name": "pool", "material": "water", "block": {"min": [-1, 0, -1], "max": [1, 0.5, 1]}}],
        "shapes": [{"name": "tank", "box": {"size": [2, 4, 2]}, "position": [0, 2, 0], "container": true}],
        "hand": {"ballRadius": 0.3}, "camera": {"eye": [0, 0.3, 6], "look": [0, 0.25, 0]}})");
    Session tank(folder / "tank.json", {}, {.backend = "cpu"});
    const Camera view = cameraOf(tank.scene().cameras[0]);
    const Aim aim{glm::vec2(project(view, {0, 0.25f, 0.9f}, kWidth, kHeight)), kWidth, kHeight};
    const size_t before = tank.world().count();
    ASSERT_EQ(SpawnTool::throwBall(tank, view, aim), "");
    frames(tank, 1);
    const size_t ball = tank.world().count() - before;
    ASSERT_GT(ball, 50u);
    const Vec3 at = meanOfLast(tank, ball);
    EXPECT_LT(std::max(std::abs(at.x), std::abs(at.z)), 0.7f) << "within the walls";
    EXPECT_GT(at.y, 0.7f) << "above the water";
}

TEST_F(SpawnTools, AHeldKeyPoursTheFlowRateOfTheJet) {
    const uint64_t before = session.world().particlesAdded;
    for (int k = 0; k < 30; ++k) {
        EXPECT_EQ(tool.hold(session, camera, aimAt(session, {0.3f, 0.9f, 0.3f}), true, false), "");
        frames(session, 1);
    }
    tool.hold(session, camera, {}, false, false);
    const uint64_t poured = session.world().particlesAdded - before;
    // Q = π r² v: radius three spacings, 2 m/s, for half a second
    const double expected = 3.14159 * 0.3 * 0.3 * 2 * 0.5 / 1e-3;
    EXPECT_NEAR(double(poured), expected, 0.2 * expected);
    frames(session, 5);
    EXPECT_EQ(session.world().particlesAdded - before, poured) << "the key was let go";
    ASSERT_TRUE(session.undo()) << "the whole jet is one step";
    EXPECT_EQ(session.world().particlesAdded, before);
    EXPECT_EQ(session.undoable(), "");
}

// A key that is held while paused does nothing, and is a step of undo once a frame is simulated with it.
TEST_F(SpawnTools, AHeldKeyBeginsWithItsFirstFrame) {
    const Aim aim = aimAt(session, {0.3f, 0.9f, 0.3f});
    session.paused = true;
    for (int k = 0; k < 3; ++k) tool.hold(session, camera, aim, true, false);
    tool.hold(session, camera, aim, false, false);
    EXPECT_EQ(session.undoable(), "");
    tool.hold(session, camera, aim, true, false);
    frames(session, 1);
    EXPECT_EQ(session.undoable(), "Pour") << "a frame was stepped";
    tool.hold(session, camera, aim, true, false);
    frames(session, 1);
    ASSERT_TRUE(session.undo());
    EXPECT_EQ(session.world().frame, 0u);
    EXPECT_EQ(session.undoable(), "") << "the whole jet";
    // still held: another one
    tool.hold(session, camera, aim, true, false);
    frames(session, 1);
    EXPECT_EQ(session.undoable(), "Pour");
}

TEST_F(SpawnTools, AGustActsAlongItsPathOnly) {
    std::vector<Vec3> before;
    for (uint32_t id = 0; id < 216; ++id) before.push_back(*placeOf(session.world(), id));
    session.world().parameters.world.gravity = {0, 0, 0};
    session.world().parameters.world.airDensity = 100;  // for a visible effect
    session.hold({Gust{{-1, 0.75f, 0.3f}, {15, 0, 0}}});
    session.world().parameters.hand.gustRadius = 0.2f;
    frames(session, 5);
    double top = 0, bottom = 0;
    for (uint32_t id = 0; id < 216; ++id) {
        const Vec3 way = *placeOf(session.world(), id) - before[id];
        if (before[id].y > 0.7f && std::abs(before[id].z - 0.3f) < 0.1f) top = std::max(top, double{way.x});
        if (before[id].y < 0.4f) bottom = std::max(bottom, double{length(way)});
    }
    EXPECT_GT(top, 0.01);
    EXPECT_LT(bottom, 0.2 * top);
}

TEST_F(SpawnTools, AReplayEndsInTheSameState) {
    for (int k = 0; k < 70; ++k) {
        tool.hold(session, camera, aimAt(session, {0.1f + 0.005f * k, 0.8f, 0.3f}), k > 5 && k<25, k> 40);
        if (k % 20 == 10) {
            ASSERT_EQ(SpawnTool::throwBall(session, camera, aimAt(session, {0.3f, 0.2f, 0.3f})), "");
        }
        if (k == 30) session.world().materials[1].properties.restitution = 0.5f;
        frames(session, 1);
    }
    session.saveReplay(folder / "spawns.replay");
    EXPECT_EQ(played(folder / "spawns.replay"), stateHash(session.world()));
}

TEST_F(SpawnTools, SeekingBeforeTheFirstThrowRemovesTheBall) {
    frames(session, 12);
    const std::vector<uint64_t> plain = [&] {
        std::vector<uint64_t> hashes;
        for (int k = 0; k < 12; ++k) frames(session, 1), hashes.push_back(stateHash(session.world()));
        return hashes;
    }();
    ASSERT_TRUE(session.restore(12));
    ASSERT_EQ(SpawnTool::throwBall(session, camera, aimAt(session, {0.3f, 0.2f, 0.3f})), "");
    frames(session, 12);
    const uint64_t thrown = stateHash(session.world());
    EXPECT_NE(thrown, plain.back());
    ASSERT_TRUE(session.restore(12));
    EXPECT_EQ(session.world().materials.size(), 1u);
    ASSERT_TRUE(session.restore(24));
    EXPECT_EQ(stateHash(session.world()), thrown) << "and forward to the ball again";
    ASSERT_TRUE(session.restore(12));
    for (const uint64_t hash : plain) {
        frames(session, 1);
        ASSERT_EQ(stateHash(session.world()), hash);
    }
}

TEST_F(SpawnTools, ASavedStateKeepsTheBall) {
    ASSERT_EQ(SpawnTool::throwBall(session, camera, aimAt(session, {0.3f, 0.5f, 0.3f})), "");
    frames(session, 6);
    saveState(session.world(), folder / "ball.state");
    Session later(file, {}, {.backend = "cpu"});
    later.load(folder / "ball.state");
    EXPECT_EQ(stateHash(later.world()), stateHash(session.world()));
    EXPECT_EQ(later.scene().materials.size(), 2u);
    frames(session, 10), frames(later, 10);
    EXPECT_EQ(stateHash(later.world()), stateHash(session.world()));
    // in its saved size, independent of hand.ballRadius
    SceneChoice other;
    other.sets = {"hand.ballRadius=0.15"};
    Session smaller(file, other, {.backend = "cpu"});
    smaller.load(folder / "ball.state");
    frames(smaller, 10);
    EXPECT_EQ(stateHash(smaller.world()), stateHash(session.world()));
    const size_t before = smaller.world().count();
    smaller.send(Throw{{0.3f, 3, 0.3f}, {0, 1, 0}}), session.send(Throw{{0.3f, 3, 0.3f}, {0, 1, 0}});
    frames(smaller, 5), frames(session, 5);
    EXPECT_GT(smaller.world().count(), before);
    EXPECT_EQ(stateHash(smaller.world()), stateHash(session.world())) << "and further ones are like it";
    // a rejected state adds no ball
    writeText(folder / "other.state", readText(folder / "ball.state").substr(0, 400));
    Session third(file, {}, {.backend = "cpu"});
    EXPECT_THROW(third.load(folder / "other.state"), Error);
    EXPECT_EQ(third.world().materials.size(), 1u);
}

TEST_F(SpawnTools, BlockedBallsAndJetsAreReported) {
    session.world().parameters.world.gravity = {0, 0, 0};
    const size_t before = session.world().count();
    const auto warnings = [&] {
        std::string all;
        for (const Warning& w : session.warnings().list()) all += w.what + "\n";
        return all;
    };
    session.send(Throw{{0.3f, 0.5f, 0.3f}, {}});  // in the middle of the water
    frames(session, 1);
    EXPECT_EQ(session.world().count(), before);
    EXPECT_EQ(session.status().ballsBlocked, 1);
    EXPECT_THAT(warnings(), HasSubstr("No ball was thrown"));
    session.world().parameters.hand.pourRadius = 0.01f;
    int refused = 0;
    for (int k = 0; k < 20; ++k) {  // along a column of particles; not every frame has a layer of the jet
        session.send(Pour{0, {0.25f, 0.5f, 0.25f}, {0, -2, 0}});
        frames(session, 1);
        refused += session.status().jetsBlocked;
    }
    EXPECT_GT(refused, 0);
    EXPECT_EQ(session.world().count(), before);
    EXPECT_THAT(warnings(), HasSubstr("Nothing was poured"));
    session.send(Throw{{0.3f, 3, 0.3f}, {}});
    session.send(Pour{0, {2, 2, 2}, {0, -2, 0}});
    frames(session, 1);
    EXPECT_EQ(session.status().ballsBlocked + session.status().jetsBlocked, 0);
    EXPECT_GT(session.world().count(), before + 100);
}

TEST_F(SpawnTools, BallsStopAtTheLimitOfBodies) {
    World& world = session.world();
    world.groups.resize(kMaxGroups - 1, world.groups[0]);
    session.send(Throw{{0.3f, 3, 0.3f}, {}}), session.send(Throw{{0.3f, 5, 0.3f}, {}});
    session.step();
    EXPECT_THAT(session.problem(), HasSubstr("bodies, and there can be at most"));
    EXPECT_TRUE(world.bodies.empty()) << "all or none of a frame";
    session.dismissProblem(), session.paused = false;
    session.send(Throw{{0.3f, 3, 0.3f}, {}});
    frames(session, 1);
    EXPECT_EQ(world.bodies.size(), 1u);
    EXPECT_THAT(SpawnTool::throwBall(session, camera, aimAt(session, {0.3f, 0.2f, 0.3f})),
                HasSubstr("there can be at most"));
    EXPECT_TRUE(world.commands.empty());
}

TEST_F(SpawnTools, ImpossibleSpawnsAreExplained) {
    writeText(folder / "cloth.json", R"({ "materials": { "silk": { "kind": "cloth", "spacing": 0.1 } },
        "bodies": [{ "name": "sheet", "material": "silk", "grid": { "size": [0.5, 0, 0.5] } }] })");
    Session cloth(folder / "cloth.json", {}, {.backend = "cpu"});
    EXPECT_THAT(tool.hold(cloth, camera, {{400, 300}, kWidth, kHeight}, true, false),
                HasSubstr("no liquid or granular"));
    EXPECT_THAT(tool.nextPoured(cloth), HasSubstr("no liquid or granular"));
    cloth.world().parameters.world.airDensity = 0;
    EXPECT_THAT(tool.hold(cloth, camera, {{400, 300}, kWidth, kHeight}, false, true),
                HasSubstr("world.airDensity"));
    frames(cloth, 1);

    session.world().spawning.bodiesPending = true;
    EXPECT_THAT(SpawnTool::throwBall(session, camera, {{400, 300}, kWidth, kHeight}),
                HasSubstr("will add bodies"));
    session.world().spawning.bodiesPending = false;
    session.world().parameters.solver.planar = true;
    EXPECT_THAT(SpawnTool::throwBall(session, camera, {{400, 300}, kWidth, kHeight}), HasSubstr("planar"));
    session.world().parameters.solver.planar = false;
    session.world().parameters.hand.ballRadius = 1000;
    EXPECT_THAT(SpawnTool::throwBall(session, camera, {{400, 300}, kWidth, kHeight}),
                HasSubstr("hand.ballRadius"));
    session.world().parameters.hand.ballRadius = 0;
    session.world().parameters.hand.pourRadius = 1e4f;
    EXPECT_THAT(tool.hold(session, camera, {{400, 300}, kWidth, kHeight}, true, false),
                HasSubstr("hand.pourRadius"));
    session.world().parameters.hand.pourRadius = 0;
    tool.hold(session, camera, {}, false, false);
    EXPECT_TRUE(session.world().commands.empty());

    // an invalid command is an error of its frame only
    session.send(Pour{7, {0, 1, 0}, {0, -1, 0}});
    session.step();
    EXPECT_THAT(session.problem(), HasSubstr("no material 7"));
    session.dismissProblem();
    // after a failed frame with a ball, the lists of materials match the world's
    session.send(Throw{{0.3f, 2, 0.3f}, {}});
    session.send(Pour{7, {0, 1, 0}, {0, -1, 0}});
    session.step();
    EXPECT_EQ(session.scene().materials.size(), session.world().materials.size());
    EXPECT_FALSE(session.tunables().empty());
    session.dismissProblem();
    frames(session, 2);
}

}  // namespace
}  // namespace coalesce::test
