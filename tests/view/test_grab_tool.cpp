// Grab, brush and knife without a window, and replays of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bridge/scene_camera.h"
#include "session/run_scene.h"
#include "sim/interaction/pick.h"
#include "sim/state/state_file.h"
#include "sim/state/state_hash.h"
#include "support/small_scene.h"
#include "view/tools/grab_tool.h"

namespace coalesce::test {
namespace {

using testing::HasSubstr;

constexpr int kWidth = 800, kHeight = 600;

class GrabTools : public ::testing::Test {
protected:
    GrabTools() { session.startRecording(); }

    glm::vec2 pixelOf(Vec3 place) const {
        return glm::vec2(project(camera, {place.x, place.y, place.z}, kWidth, kHeight));
    }
    bool use(MouseInput input) { return tool.use(session, camera, input, kWidth, kHeight); }
    void frames(int count) {
        for (int k = 0; k < count; ++k) session.step();
        ASSERT_EQ(session.problem(), "");
    }
    // a visible particle and its pixel
    std::pair<uint32_t, glm::vec2> seenParticle() {
        const glm::vec2 pixel = pixelOf({0.3f, 0.5f, 0.3f});
        const Ray ray = rayThrough(camera, pixel, kWidth, kHeight);
        const auto picked = pick(session.world(), {ray.origin.x, ray.origin.y, ray.origin.z},
                                 {ray.direction.x, ray.direction.y, ray.direction.z});
        return {picked.value().id, pixel};
    }
    // plays the file as `coalesce run --replay` does
    uint64_t played(const std::filesystem::path& replayFile) {
        const Replay replay = readReplay(replayFile);
        RunOptions run;
        run.size = replay.choice.size;
        run.caseName = replay.choice.caseName;
        run.sets = replay.choice.sets;
        run.exec.backend = "cpu";
        run.replay = replay;
        if (replay.first() > 0)
            run.onBuilt = [&](World& world) { loadState(world, folder / "middle.state"); };
        return runScene(replay.scene, run).cases.at(0).hash;
    }

    TemporaryFolder folder;
    std::filesystem::path file = smallScene(folder);
    Session session{file, {}, {.backend = "cpu"}};
    Camera camera = cameraOf(session.scene().cameras[0]);
    GrabTool tool;
};

TEST_F(GrabTools, APressOnAParticleGrabsDragsAndReleasesIt) {
    const auto [id, pixel] = seenParticle();
    const Vec3 start = *placeOf(session.world(), id);
    EXPECT_FALSE(use({.cursor = pixel}));
    EXPECT_TRUE(use({.cursor = pixel, .left = true}));
    frames(1);
    ASSERT_EQ(session.world().mouseConstraints.size(), 1u);
    EXPECT_EQ(session.world().mouseConstraints[0].id, id);
    EXPECT_EQ(session.world().mouseConstraints[0].number, kMouseGrab);

    // 250 pixels to the right, in the view plane
    for (int k = 1; k <= 25; ++k) {
        EXPECT_TRUE(use({.cursor = pixel + glm::vec2(10 * k, -4 * k), .left = true}));
        frames(1);
    }
    frames(60);
    const Vec3 held = *placeOf(session.world(), id);
    EXPECT_LT(glm::distance(pixelOf(held), pixel + glm::vec2(250, -100)), 5);
    EXPECT_GT(length(held - start), 0.3f);
    const auto line = tool.line(session, camera, kWidth, kHeight);
    ASSERT_TRUE(line);
    EXPECT_LT(glm::distance(line->from, pixelOf(held)), 0.01);
    EXPECT_LT(glm::distance(line->to, pixel + glm::vec2(250, -100)), 0.01);

    EXPECT_FALSE(use({.cursor = pixel}));
    EXPECT_FALSE(tool.line(session, camera, kWidth, kHeight));
    frames(30);
    EXPECT_TRUE(session.world().mouseConstraints.empty());
    EXPECT_LT(placeOf(session.world(), id)->y, held.y - 0.2f) << "it falls";
}

TEST_F(GrabTools, OnEmptySpaceAndWithCtrlTheCameraUsesTheButton) {
    const auto [id, pixel] = seenParticle();
    EXPECT_FALSE(use({.cursor = {5, 5}, .left = true}));
    EXPECT_FALSE(use({.cursor = pixel, .left = true})) << "coming over a particle later changes nothing";
    EXPECT_FALSE(use({.cursor = pixel}));
    EXPECT_FALSE(use({.cursor = pixel, .left = true, .ctrl = true}));
    EXPECT_TRUE(session.world().commands.empty());
}

TEST_F(GrabTools, ShiftBrushes) {
    const auto [id, pixel] = seenParticle();
    EXPECT_TRUE(use({.cursor = pixel, .left = true, .shift = true}));
    EXPECT_TRUE(session.world().commands.empty()) << "a brush at rest does nothing";
    use({.cursor = pixel + glm::vec2(20, 0), .left = true, .shift = true});
    use({.cursor = pixel + glm::vec2(40, 0), .left = true, .shift = true});
    ASSERT_EQ(session.world().commands.size(), 1u) << "one stroke per frame";
    const Vec3 before = *placeOf(session.world(), id);
    frames(1);
    EXPECT_GT(pixelOf(*placeOf(session.world(), id)).x, pixelOf(before).x + 1);
}

// A sheet in front of the camera of the small scene.
class Knife : public GrabTools {
protected:
    static std::filesystem::path sheetScene(const TemporaryFolder& folder) {
        writeText(folder / "sheet.json", R"({
            "materials": { "linen": { "kind": "cloth", "spacing": 0.05 } },
            "bodies": [{ "name": "sheet", "material": "linen", "grid": { "size": [0.6, 0, 0.6] },
                         "center": [0.3, 0.3, 0], "rotation": [90, 0, 0] }],
            "cameras": [{ "name": "main", "eye": [0.3, 0.3, 2], "look": [0.3, 0.3, 0], "fov": 40 }]
        })");
        return folder / "sheet.json";
    }
    void stroke(glm::vec2 from, glm::vec2 to) {
        use({.cursor = from, .left = true, .cut = true});
        use({.cursor = to, .left = true, .cut = true});
        use({.cursor = to});
    }
    Knife() {
        EXPECT_TRUE(session.open(sheetScene(folder), {})) << session.problem();
        camera = cameraOf(session.scene().cameras[0]);
    }
    uint64_t particles() { return session.world().particlesAdded; }
};

TEST_F(Knife, CutsTheTriangleBetweenTwoRays) {
    EXPECT_TRUE(use({.cursor = {100, 100}, .left = true, .cut = true}));
    EXPECT_TRUE(use({.cursor = {300, 200}, .left = true, .cut = true}));
    ASSERT_TRUE(tool.line(session, camera, kWidth, kHeight));
    EXPECT_TRUE(tool.line(session, camera, kWidth, kHeight)->cut);
    EXPECT_FALSE(use({.cursor = {300, 200}}));
    ASSERT_EQ(session.world().commands.size(), 1u);
    const Cut cut = std::get<Cut>(session.world().commands[0]);
    EXPECT_LT(glm::distance(pixelOf(cut.b), glm::vec2(100, 100)), 0.1);
    EXPECT_LT(glm::distance(pixelOf(cut.c), glm::vec2(300, 200)), 0.1);
    EXPECT_EQ(cut.a, (Vec3{camera.eye.x, camera.eye.y, camera.eye.z}));
    // a click does not cut
    use({.cursor = {100, 100}, .left = true, .cut = true});
    use({.cursor = {100, 100}});
    EXPECT_EQ(session.world().commands.size(), 1u);
}

// A paused session marks what the next frame will separate.
TEST_F(Knife, ACutOfAPausedSessionIsMarked) {
    const auto marked = [&] { return tool.waitingCuts(session, camera, kWidth, kHeight); };
    const glm::vec2 left = pixelOf({-0.1f, 0.33f, 0}), right = pixelOf({0.32f, 0.33f, 0});
    session.paused = true;
    EXPECT_TRUE(marked().empty());
    stroke(left, right);
    EXPECT_THAT(tool.takeMessage(), HasSubstr("resumed"));
    const std::vector<GrabTool::Line> springs = marked();
    ASSERT_GE(springs.size(), 7u) << "one spring per column of the sheet, and diagonals";
    for (const GrabTool::Line& spring : springs) {
        EXPECT_GE(std::max(spring.from.y, spring.to.y), left.y);
        EXPECT_LE(std::min(spring.from.y, spring.to.y), left.y);
        EXPECT_LE(std::min(spring.from.x, spring.to.x), right.x);
    }
    // undo takes the mark away, redo brings it back, and the frame opens it
    ASSERT_TRUE(session.undo());
    EXPECT_TRUE(marked().empty());
    ASSERT_TRUE(session.redo());
    EXPECT_EQ(marked().size(), springs.size());
    const uint64_t before = particles();
    frames(1);
    EXPECT_GT(particles(), before);
    EXPECT_TRUE(marked().empty());
}

TEST_F(Knife, ACutThatMeetsNothingIsNoStep) {
    session.closeStep();
    const std::string before = session.undoable();
    stroke(pixelOf({-0.3f, 0.7f, 0}), pixelOf({0.9f, 0.7f, 0}));
    EXPECT_THAT(tool.takeMessage(), HasSubstr("meets no cloth"));
    EXPECT_TRUE(session.world().commands.empty());
    EXPECT_EQ(session.undoable(), before);
}

TEST_F(Knife, UndoMendsACut) {
    frames(3);
    const uint64_t before = stateHash(session.world());
    stroke(pixelOf({-0.1f, 0.33f, 0}), pixelOf({0.32f, 0.33f, 0}));
    EXPECT_EQ(session.undoable(), "Cut");
    const uint64_t added = particles();
    frames(5);
    ASSERT_GT(particles(), added) << "corners were split";
    ASSERT_TRUE(session.undo());
    EXPECT_EQ(stateHash(session.world()), before);
    frames(5);
    EXPECT_EQ(particles(), added) << "the sheet is whole again";
}

TEST_F(GrabTools, PullsAndStrokesAreStepsOfUndoAndClicksAreNot) {
    const auto [id, pixel] = seenParticle();
    use({.cursor = pixel, .left = true});
    use({.cursor = pixel});
    frames(1);
    use({.cursor = {100, 100}, .left = true, .cut = true});
    use({.cursor = {100, 100}});
    EXPECT_EQ(session.undoable(), "") << "a click";
    const uint64_t before = stateHash(session.world());

    use({.cursor = pixel, .left = true});
    for (int k = 1; k <= 10; ++k) {
        use({.cursor = pixel + glm::vec2(10 * k, 0), .left = true});
        frames(1);
    }
    EXPECT_EQ(session.undoable(), "Pull");
    ASSERT_TRUE(session.undo());
    EXPECT_EQ(stateHash(session.world()), before);
    // the button is still held, and no longer pulls
    EXPECT_FALSE(use({.cursor = pixel + glm::vec2(200, 0), .left = true}));
    use({.cursor = pixel});
    EXPECT_EQ(session.undoable(), "");

    use({.cursor = pixel, .left = true, .shift = true});
    use({.cursor = pixel + glm::vec2(20, 0), .left = true, .shift = true});
    use({.cursor = pixel + glm::vec2(40, 0), .left = true, .shift = true});
    frames(1);
    EXPECT_EQ(session.undoable(), "Brush");
    ASSERT_TRUE(session.undo());
    EXPECT_EQ(session.undoable(), "") << "one step per stroke";
}

TEST_F(GrabTools, ARestartEndsTheGrab) {
    const auto [id, pixel] = seenParticle();
    use({.cursor = pixel, .left = true});
    frames(2);
    session.restart(true);
    EXPECT_FALSE(use({.cursor = pixel + glm::vec2(30, 0), .left = true}));
    EXPECT_FALSE(use({.cursor = pixel}));
    EXPECT_TRUE(session.world().commands.empty());
    frames(1);
}

TEST_F(GrabTools, AReplayOfGrabsAndEditsEndsInTheSameState) {
    const auto [id, pixel] = seenParticle();
    use({.cursor = pixel, .left = true});
    for (int k = 0; k < 70; ++k) {
        use({.cursor = pixel + glm::vec2(3.7f * k, -1.3f * k), .left = true});
        if (k == 10) session.world().parameters.fluid.relaxation = 0.123f;
        if (k == 20) session.world().parameters.fluid.stiffness = Stiffness::regularized;
        if (k == 30) session.world().materials[0].properties.viscosity = 0.3f;
        if (k == 40) session.world().parameters.world.gravity = {0.5f, -7, 0.1f};
        if (k == 50) use({.cursor = pixel});
        if (k > 50) use({.cursor = pixel + glm::vec2(2 * k, 0), .left = true, .shift = true});
        frames(1);
    }
    session.saveReplay(folder / "mouseConstraints.replay");
    const uint64_t hash = stateHash(session.world());
    EXPECT_EQ(played(folder / "mouseConstraints.replay"), hash);
    EXPECT_FALSE(std::filesystem::exists(folder / "mouseConstraints.replay.part"));

    // without its events the run differs, and the first difference is reported
    std::string text = readText(folder / "mouseConstraints.replay");
    const size_t begin = text.find("\"events\": ["), end = text.find("],\n  \"hashes\"");
    text.replace(begin, end - begin, "\"events\": [");
    writeText(folder / "empty.replay", text);
    try {
        played(folder / "empty.replay");
        FAIL() << "a replay without its events cannot end in the same state";
    } catch (const Error& error) {
        EXPECT_EQ(error.code, Exit::Expect);
        EXPECT_THAT(error.what(), HasSubstr("frame 60: the state hash is "));
        EXPECT_THAT(error.what(), HasSubstr("last equal at frame 0"));
    }
}

TEST_F(GrabTools, ARestartRestartsTheReplayAndKeepsEdits) {
    frames(5);
    session.world().materials[0].properties.density = 900;  // fixed at spawn
    session.world().parameters.fluid.constraint = Density::bilateral;
    session.world().parameters.world.gravity = {0, -5, 0.3f};
    session.restart(true);
    frames(7);
    session.saveReplay(folder / "again.replay");
    EXPECT_EQ(readReplay(folder / "again.replay").choice.sets.size(), 3u);
    EXPECT_EQ(readReplay(folder / "again.replay").last(), 7u);
    EXPECT_EQ(played(folder / "again.replay"), stateHash(session.world()));
}

TEST_F(GrabTools, AReplayCanStartFromASavedState) {
    const auto [id, pixel] = seenParticle();
    use({.cursor = pixel, .left = true});
    frames(8);
    saveState(session.world(), folder / "middle.state");
    Session later(file, {}, {.backend = "cpu"});
    later.load(folder / "middle.state");
    later.startRecording();
    later.send(MoveTarget{kMouseGrab, {1, 1, 0}});
    for (int k = 0; k < 12; ++k) later.step();
    later.saveReplay(folder / "late.replay");
    EXPECT_EQ(readReplay(folder / "late.replay").first(), 8u);
    EXPECT_EQ(played(folder / "late.replay"), stateHash(later.world()));
}

}  // namespace
}  // namespace coalesce::test
