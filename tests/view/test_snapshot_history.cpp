// Seeking: resimulation is bit-identical.
#include <algorithm>
#include <gtest/gtest.h>
#include <imgui.h>
#include <limits>

#include "session/run_scene.h"
#include "session/session.h"
#include "sim/state/state_hash.h"
#include "support/every_value.h"
#include "view/overlay/time_bar.h"
#include "view/widgets/widget_recorder.h"

namespace coalesce::test {
namespace {

// Simulates, and gives the hash of the state after each frame; [0]: before the first.
std::vector<uint64_t> hashesOf(Session& session, int frames) {
    std::vector<uint64_t> hashes{stateHash(session.world())};
    for (int k = 0; k < frames; ++k) {
        session.step();
        EXPECT_EQ(session.problem(), "");
        hashes.push_back(stateHash(session.world()));
    }
    return hashes;
}

// Restores a snapshot near the middle and simulates forward again, twice.
void expectSameHashesAgain(Session& session, int frames) {
    const std::vector<uint64_t> first = hashesOf(session, frames);
    for (const int back : {frames / 2, frames / 4}) {
        ASSERT_TRUE(session.restore(uint64_t(back)));
        const auto from = size_t(session.world().frame);
        EXPECT_LE(from, size_t(back));
        EXPECT_GT(from + 10, size_t(back)) << "ten states a second are kept";
        const std::vector<uint64_t> again = hashesOf(session, frames - int(from));
        for (size_t k = 0; k < again.size(); ++k)
            ASSERT_EQ(again[k], first[from + k]) << "frame " << from + k << " after going back to " << from;
    }
}

// Independent of the speed of the device.
constexpr double kForever = std::numeric_limits<double>::infinity();

class Seeks : public ::testing::Test {
protected:
    Seeks() { session.seekBudget = kForever; }

    TemporaryFolder folder;
    Session session{smallScene(folder), {}, {.backend = "cpu"}};
};

TEST_F(Seeks, ResimulatedWaterIsBitIdentical) {
    expectSameHashesAgain(session, 40);
}

// Scenes with everything that a frame can change: emitters, sinks, emitted and late bodies, tearing cloth,
// balloons, melting, moving shapes, mouse constraints.
class SeeksOf : public ::testing::TestWithParam<const char*> {};
TEST_P(SeeksOf, ResimulateBitIdentically) {
    SceneChoice choice;
    choice.size = "ci";
    Session session(std::filesystem::path(COALESCE_SCENES) / (std::string(GetParam()) + ".json"), choice,
                    {.backend = "cpu"});
    expectSameHashesAgain(session, 36);
}

// Any frame, also between two snapshots: resimulated from the one before.
TEST_P(SeeksOf, ReachEveryFrameBitIdentically) {
    SceneChoice choice;
    choice.size = "ci";
    Session session(std::filesystem::path(COALESCE_SCENES) / (std::string(GetParam()) + ".json"), choice,
                    {.backend = "cpu"});
    const std::vector<uint64_t> first = hashesOf(session, 36);
    for (const uint64_t frame : {35, 17, 20, 3, 34, 36}) {
        ASSERT_TRUE(session.seek(frame));
        ASSERT_EQ(session.world().frame, frame);
        ASSERT_EQ(stateHash(session.world()), first[frame]) << "frame " << frame;
    }
    ASSERT_TRUE(session.seek(9));
    const std::vector<uint64_t> again = hashesOf(session, 27);
    for (size_t k = 0; k < again.size(); ++k) ASSERT_EQ(again[k], first[9 + k]) << "and on from it";
}
INSTANTIATE_TEST_SUITE_P(Scenes, SeeksOf,
                         ::testing::Values("fountain_idols", "hourglass", "cloth_tear", "balloon_jet",
                                           "melting", "sloshing", "hands", "rigid_fluid", "rope_bridge"),
                         [](const auto& info) { return std::string(info.param); });

// With all kinds of user input between two snapshots: edits, moved shapes, balls, jets, brush strokes.
TEST_F(Seeks, ReplaysUserInputBetweenSnapshots) {
    Session s(sceneOfEverything(folder), {}, {.backend = "cpu"});
    s.snapshots().setLimits({.perSecond = 4});
    s.seekBudget = kForever;
    struct Then {
        uint64_t hash;
        std::vector<Edit> edits;
        Pose gate;
    };
    std::vector<Then> first;
    const auto now = [&] {
        return Then{stateHash(s.world()), s.differences(), poseAt(s.world().shapes[1], s.world().time)};
    };
    for (uint64_t frame = 0; frame < 60; ++frame) {
        first.push_back(now());
        s.hold({});
        switch (frame) {
            case 4:
                EXPECT_EQ(s.edit({"materials.water.viscosity", {0.5f}, ""}), "");
                break;
            case 7:
                s.moveTo("shapes", "gate", {{-0.3f, 0.5f, 0.3f}, quatFromEuler(0.5, 0, 0)});
                break;
            case 11:
                s.world().parameters.world.gravity = {1, -9, 0};
                break;
            case 13:
                s.moveTo("sinks", "drain", {{0.2f, 0, 0.2f}, {}});
                break;
            case 17:
                s.send(Throw{{0.2f, 2, 0.2f}, {0, -3, 0}});
                break;
            case 19:
                EXPECT_EQ(s.edit({"materials.water.spacing", {0.2f}, ""}), "");
                break;
            case 22:
                EXPECT_EQ(s.edit({"shapes.gate.velocity", {0.1f, 0, 0}, ""}), "");
                break;
            case 23:
                EXPECT_EQ(s.edit({"materials.ball.restitution", {0.5f}, ""}), "");
                break;
            case 26:
                EXPECT_TRUE(s.undo());
                break;
            case 32:
            case 33:
                s.hold({Pour{0, {1, 1, 1}, {0, -1, 0}}});
                break;
            case 44:
                s.send(Brush{{0, 0.3f, 0.3f}, {0.3f, 0.3f, 0.3f}});
                break;
            default:
                break;
        }
        s.step();
        ASSERT_EQ(s.problem(), "");
    }
    first.push_back(now());
    const auto expectThen = [&](uint64_t frame) {
        ASSERT_EQ(s.world().frame, frame);
        const Then then = now();
        EXPECT_EQ(then.hash, first[frame].hash) << "frame " << frame;
        EXPECT_EQ(then.edits, first[frame].edits) << "frame " << frame;
        EXPECT_EQ(then.gate.position, first[frame].gate.position) << "frame " << frame;
    };
    for (uint64_t frame = 60; frame-- > 0;) {
        ASSERT_TRUE(scrub(s, -1));
        expectThen(frame);
    }
    EXPECT_FALSE(scrub(s, -1));
    for (uint64_t frame = 1; frame <= 60; ++frame) {
        ASSERT_TRUE(scrub(s, 1));
        expectThen(frame);
    }
    EXPECT_FALSE(scrub(s, 1));
    EXPECT_TRUE(s.paused);
    ASSERT_TRUE(scrubSnapshots(s, -1));
    EXPECT_LE(s.world().frame, 46u);
    for (const uint64_t frame : {8, 23, 38, 14}) {
        ASSERT_TRUE(s.seek(frame));
        expectThen(frame);
    }
}

// Driven by synthetic mouse input.
TEST_F(Seeks, TheSliderReachesAnyFrame) {
    const std::vector<uint64_t> hashes = hashesOf(session, 60);
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.DisplaySize = {1000, 700};
    io.DeltaTime = 1.0f / 60;
    unsigned char* pixels = nullptr;
    int width = 0, height = 0;
    io.Fonts->GetTexDataAsRGBA32(&pixels, &width, &height);
    TimeBar bar;
    std::vector<WidgetRect> widgets;
    recordWidgets(&widgets);
    const auto frame = [&] {
        ImGui::NewFrame();
        widgets.clear();
        bar.draw(session, {}, 0, 1000, 700);
        ImGui::Render();
    };
    const auto pressAt = [&](float share) {
        const WidgetRect s = *std::ranges::find(widgets, "bar.time", &WidgetRect::name);
        io.MousePos = {s.left + share * (s.right - s.left), (s.top + s.bottom) / 2};
        frame();
        io.MouseDown[0] = true;
        frame(), frame();
        io.MouseDown[0] = false;
        frame();
    };
    frame(), frame();
    size_t between = 0;
    for (const float share : {0.81f, 0.34f, 0.52f, 0.47f}) {
        pressAt(share);
        EXPECT_TRUE(session.paused);
        EXPECT_NEAR(double(session.world().frame), 60.0 * share, 2.0) << share;
        EXPECT_EQ(stateHash(session.world()), hashes[session.world().frame]);
        between += session.world().frame % 6 != 0;
    }
    EXPECT_GT(between, 0u) << "some lie between the states";
    // also if only the first snapshot fits
    session.restart(true);
    session.snapshots().setLimits(
        {.megabytes = float(1.5e-6 * double(WorldSnapshot::bytesOf(session.world())))});
    hashesOf(session, 30);
    ASSERT_TRUE(session.restore(0));
    ASSERT_EQ(session.snapshots().list().size(), 1u);
    frame();
    pressAt(0.8f);
    EXPECT_NEAR(double(session.world().frame), 24, 2);
    EXPECT_EQ(stateHash(session.world()), hashes[session.world().frame]);
    EXPECT_EQ(session.snapshots().lastFrame(), 30u);
    session.seekBlockedReason = "not now";
    const uint64_t before = session.world().frame;
    pressAt(0.9f);
    EXPECT_EQ(session.world().frame, before);
    recordWidgets(nullptr);
    ImGui::DestroyContext();
}

TEST_F(Seeks, AReplayContinuesFromBetweenTwoSnapshots) {
    session.startRecording();
    hashesOf(session, 10);
    session.send(Brush{{0, 0.3f, 0.3f}, {0.3f, 0.3f, 0.3f}});
    hashesOf(session, 4);
    session.send(Brush{{0.6f, 0.3f, 0.3f}, {0.3f, 0.3f, 0.3f}});
    hashesOf(session, 20);
    ASSERT_TRUE(session.seek(14));
    EXPECT_EQ(session.edit({"world.gravity", {1, -9, 0}, ""}), "");
    hashesOf(session, 9);
    const uint64_t end = stateHash(session.world());
    ASSERT_TRUE(session.seek(16));
    ASSERT_TRUE(session.seek(23));
    EXPECT_EQ(stateHash(session.world()), end) << "the new course replaces the old one";
    EXPECT_FALSE(session.seek(24));
    session.saveReplay(folder / "between.replay");
    const Replay replay = readReplay(folder / "between.replay");
    ASSERT_EQ(replay.events.size(), 2u) << "the second stroke has not happened";
    RunOptions run;
    run.exec.backend = "cpu";
    run.replay = replay;
    EXPECT_EQ(runScene(replay.scene, run).cases.at(0).hash, end);
}

TEST_F(Seeks, LateBodiesAreSpawnedAgain) {
    Session late(smallScene(folder, ""), {}, {.backend = "cpu"});
    std::string text = readText(folder / "small.json");
    const std::string pebble =
        R"("bodies": [{ "name": "pebble", "material": "stone", "at": 0.3, "sphere": { "radius": 0.2 },
        "center": [0.3, 1.5, 0.3] }, )";
    text.replace(text.find("\"bodies\": ["), 11, pebble);
    text.replace(text.find("\"water\": {"), 10,
                 R"("stone": { "kind": "rigid", "spacing": 0.1 }, "water": {)");
    writeText(folder / "late.json", text);
    ASSERT_TRUE(late.open(folder / "late.json", {})) << late.problem();
    expectSameHashesAgain(late, 36);
    EXPECT_EQ(late.world().bodies.size(), 1u);
}

TEST_F(Seeks, ForwardIsPossibleUntilAFrameIsSimulated) {
    hashesOf(session, 33);
    const uint64_t end = stateHash(session.world());
    ASSERT_TRUE(session.restore(0));
    EXPECT_EQ(session.world().frame, 0u);
    EXPECT_EQ(session.world().time, 0);
    ASSERT_TRUE(session.restore(33));
    EXPECT_EQ(session.world().frame, 33u) << "also to where the run had come";
    EXPECT_EQ(stateHash(session.world()), end);
    ASSERT_TRUE(session.restore(13));
    EXPECT_EQ(session.world().frame, 12u);
    session.step();
    EXPECT_EQ(session.snapshots().list().back().world.frame(), 12u);
    ASSERT_TRUE(session.restore(33));
    EXPECT_EQ(session.world().frame, 13u);
}

TEST_F(Seeks, RestoresValuesOfItsTime) {
    MaterialProperties& water = session.world().materials[0].properties;
    const float viscosity = water.viscosity;
    hashesOf(session, 8);
    session.world().materials[0].properties.viscosity = 0.5f;
    hashesOf(session, 8);
    ASSERT_TRUE(session.restore(6));
    EXPECT_EQ(session.world().materials[0].properties.viscosity, viscosity);
    session.step();
    session.restart(true);
    EXPECT_EQ(session.world().materials[0].properties.viscosity, viscosity) << "it is no tweak any more";
    EXPECT_TRUE(session.snapshots().list().empty()) << "a new run has no past";
}

TEST_F(Seeks, ReleaseTheMouseGrab) {
    session.step();
    session.send(Grab{kMouseGrab, 5, {0.3f, 0.5f, 0.3f}});
    hashesOf(session, 20);
    ASSERT_EQ(session.world().mouseConstraints.size(), 1u);
    ASSERT_TRUE(session.restore(15));
    ASSERT_EQ(session.world().mouseConstraints.size(), 1u);
    session.step();
    EXPECT_EQ(session.problem(), "");
    EXPECT_TRUE(session.world().mouseConstraints.empty());
}

TEST_F(Seeks, AReplayDropsTheDiscardedFuture) {
    session.startRecording();
    hashesOf(session, 10);
    session.send(Brush{{0, 0.3f, 0.3f}, {0.3f, 0.3f, 0.3f}});
    hashesOf(session, 10);
    session.send(Brush{{0.6f, 0.3f, 0.3f}, {0.3f, 0.3f, 0.3f}});
    hashesOf(session, 70);
    ASSERT_TRUE(session.restore(18));
    ASSERT_EQ(session.world().frame, 18u);
    session.world().parameters.world.gravity = {1, -9, 0};
    hashesOf(session, 12);
    session.saveReplay(folder / "cut.replay");
    const Replay replay = readReplay(folder / "cut.replay");
    ASSERT_EQ(replay.events.size(), 2u);
    EXPECT_EQ(replay.events[0].frame, 10u);
    EXPECT_EQ(replay.events[1].frame, 18u);
    EXPECT_EQ(replay.last(), 30u);
    RunOptions run;
    run.exec.backend = "cpu";
    run.replay = replay;
    EXPECT_EQ(runScene(replay.scene, run).cases.at(0).hash, stateHash(session.world()));
}

// Also after a seek forward.
TEST_F(Seeks, AReplayHasEditsMadeAfterASeek) {
    session.startRecording();
    hashesOf(session, 40);
    const auto gravity = [](double y) {
        return Edit{.path = "world.gravity", .numbers = {0, y, 0}, .word = {}};
    };
    EXPECT_EQ(session.edit(gravity(-8)), "");
    hashesOf(session, 40);
    ASSERT_TRUE(session.restore(60));
    EXPECT_EQ(session.edit(gravity(-3)), "");
    EXPECT_EQ(session.snapshots().list().back().world.frame(), 60u) << "what came after has not happened";
    ASSERT_TRUE(session.restore(48));
    ASSERT_TRUE(session.restore(60));
    EXPECT_EQ(session.world().parameters.world.gravity.y, -3) << "the place where one stood is kept";
    hashesOf(session, 20);
    session.saveReplay(folder / "edits.replay");
    const Replay replay = readReplay(folder / "edits.replay");
    ASSERT_EQ(replay.events.size(), 2u);
    EXPECT_EQ(replay.events[0].frame, 40u);
    EXPECT_EQ(replay.events[1].frame, 60u);
    RunOptions run;
    run.exec.backend = "cpu";
    run.replay = replay;
    EXPECT_EQ(runScene(replay.scene, run).cases.at(0).hash, stateHash(session.world()));
}

TEST_F(Seeks, KeepsWithinSecondsAndMegabytes) {
    session.snapshots().setLimits({.seconds = 1, .perSecond = 20, .megabytes = 512});
    hashesOf(session, 120);
    EXPECT_GE(session.snapshots().list().front().world.time(), 1 - 0.06);
    EXPECT_NEAR(double(session.snapshots().list().size()), 20, 2);

    // room for five snapshots
    const double each = double(session.snapshots().list().back().world.bytes());
    session.restart(true);
    session.snapshots().setLimits({.seconds = 10, .perSecond = 20, .megabytes = float(5.5e-6 * each)});
    hashesOf(session, 120);
    const auto& states = session.snapshots().list();
    EXPECT_EQ(states.size(), 5u);
    EXPECT_LE(double(session.snapshots().bytes()), 5.5 * each);
    EXPECT_EQ(states.front().world.frame(), 0u) << "the start stays";
    for (size_t k = 2; k < states.size(); ++k)
        EXPECT_LE(states[k].world.time() - states[k - 1].world.time(),
                  states[k - 1].world.time() - states[k - 2].world.time() + 1e-9)
            << "older ones lie farther apart";
    EXPECT_TRUE(session.restore(60));

    session.restart(true);
    session.snapshots().setLimits({.seconds = 0});
    hashesOf(session, 10);
    EXPECT_TRUE(session.snapshots().list().empty());
    EXPECT_FALSE(session.restore(0));
}

TEST_F(Seeks, KeepsTheMemoryLimitEvenIfOneSnapshotIsLarger) {
    const auto each = double(WorldSnapshot::bytesOf(session.world()));
    const auto megabytesFor = [&](double states) { return float(1e-6 * each * states); };
    session.snapshots().setLimits({.seconds = 10, .perSecond = 20, .megabytes = megabytesFor(0.5)});
    hashesOf(session, 30);
    EXPECT_TRUE(session.snapshots().list().empty());
    EXPECT_EQ(session.snapshots().bytes(), 0u);
    EXPECT_NEAR(double(session.snapshots().oversizedBytes()), each, 0.1 * each) << "the reason is known";
    EXPECT_FALSE(session.restore(0));

    // room for one: the present is not kept, but can be resimulated
    session.restart(true);
    session.snapshots().setLimits({.perSecond = 20, .megabytes = megabytesFor(1.5)});
    const std::vector<uint64_t> hashes = hashesOf(session, 30);
    ASSERT_EQ(session.snapshots().list().size(), 1u);
    const uint64_t kept = session.snapshots().list()[0].world.frame();
    ASSERT_TRUE(session.restore(30));
    EXPECT_EQ(session.world().frame, kept);
    EXPECT_EQ(session.snapshots().list().size(), 1u);
    EXPECT_LE(double(session.snapshots().bytes()), 1.5 * each);
    ASSERT_TRUE(session.seek(30));
    EXPECT_EQ(stateHash(session.world()), hashes[30]);

    // several sessions share the memory
    session.restart(true);
    session.snapshots().setLimits({.perSecond = 20, .megabytes = megabytesFor(8.5)});
    hashesOf(session, 60);
    EXPECT_EQ(session.snapshots().list().size(), 8u);
    session.snapshots().setShare(0.5f);
    EXPECT_EQ(session.snapshots().list().size(), 4u);
    hashesOf(session, 60);
    EXPECT_LE(double(session.snapshots().bytes()), 4.25 * each);
    session.snapshots().setShare(1);
    hashesOf(session, 60);
    EXPECT_GT(session.snapshots().list().size(), 4u);
}

TEST_F(Seeks, DropsAtOnceWhatExceedsLowerLimits) {
    const auto each = double(WorldSnapshot::bytesOf(session.world()));
    const auto megabytesFor = [&](double states) { return float(1e-6 * each * states); };
    const auto expectNoSnapshots = [&] {
        EXPECT_TRUE(session.snapshots().list().empty());
        EXPECT_EQ(session.snapshots().bytes(), 0u);
        EXPECT_FALSE(session.restore(0));
        const uint64_t from = session.world().frame;
        hashesOf(session, 30);
        EXPECT_TRUE(session.snapshots().list().empty());
        for (uint64_t frame = from; frame <= from + 30; ++frame)
            EXPECT_EQ(session.snapshots().recordedFrame(frame), nullptr) << "no snapshot to resimulate from";
    };
    hashesOf(session, 60);
    session.snapshots().setLimits({.seconds = 0.3f});
    EXPECT_GE(session.snapshots().list().front().world.time(), 0.6);
    EXPECT_GE(session.snapshots().list().size(), 3u);
    session.snapshots().setLimits({.megabytes = megabytesFor(2.5)});
    EXPECT_EQ(session.snapshots().list().size(), 2u);
    session.snapshots().setLimits({.seconds = 0});
    expectNoSnapshots();
    EXPECT_EQ(session.snapshots().oversizedBytes(), 0u);

    session.snapshots().setLimits({});
    hashesOf(session, 30);
    EXPECT_GE(session.snapshots().list().size(), 5u) << "from here on there is one again";
    session.snapshots().setLimits({.megabytes = megabytesFor(0.5)});
    expectNoSnapshots();
    EXPECT_NEAR(double(session.snapshots().oversizedBytes()), each, 0.1 * each);

    // after a seek, recorded frames are dropped as well
    session.snapshots().setLimits({});
    hashesOf(session, 60);
    ASSERT_TRUE(session.seek(session.world().frame - 50));
    session.snapshots().setLimits({.seconds = 0.3f});
    EXPECT_EQ(session.edit({"world.gravity", {1, -9, 0}, ""}), "");
    hashesOf(session, 12);
    EXPECT_EQ(session.snapshots().lastFrame(), session.world().frame);
    EXPECT_GE(session.snapshots().list().size(), 2u);
}

TEST_F(Seeks, ClearTheHistoryOfAWorldThatOutgrowsIt) {
    hashesOf(session, 30);
    const auto each = double(WorldSnapshot::bytesOf(session.world()));
    session.snapshots().setLimits({.megabytes = float(1.01e-6 * each)});
    ASSERT_EQ(session.snapshots().list().size(), 1u);
    session.send(Throw{{0.2f, 2, 0.2f}, {0, -3, 0}});
    hashesOf(session, 2);
    ASSERT_GT(double(WorldSnapshot::bytesOf(session.world())), 1.01 * each);
    EXPECT_TRUE(session.snapshots().list().empty());
    EXPECT_EQ(session.snapshots().recordedFrame(30), nullptr);
    EXPECT_GT(double(session.snapshots().oversizedBytes()), 1.01 * each);
}

TEST_F(Seeks, StopAtASnapshotOnAnError) {
    std::vector<uint64_t> hashes = hashesOf(session, 15);
    session.snapshots().recordFrame(14, 0)->commands.push_back(
        MoveTarget{3, {0, 0, 0}});  // not grabbed: an error
    hashesOf(session, 25);
    ASSERT_TRUE(session.seek(20)) << "does not resimulate frame 14";
    session.hold({Pour{0, {1, 1, 1}, {0, -1, 0}}});
    EXPECT_FALSE(session.seek(16));
    EXPECT_NE(session.problem().find("mouse constraint 3"), std::string::npos) << session.problem();
    ASSERT_EQ(session.world().frame, 12u);
    EXPECT_EQ(stateHash(session.world()), hashes[12]);
    session.dismissProblem();
    const std::vector<uint64_t> again = hashesOf(session, 3);
    for (size_t k = 0; k < again.size(); ++k) EXPECT_EQ(again[k], hashes[12 + k]) << "and nothing is held";
}

TEST_F(Seeks, GoFromSnapshotToSnapshotBeyondTheBudget) {
    const std::vector<uint64_t> hashes = hashesOf(session, 40);
    session.seekBudget = 0;
    ASSERT_TRUE(scrub(session, -1));
    EXPECT_EQ(session.world().frame, 36u);
    ASSERT_TRUE(session.seekNear(22));
    EXPECT_EQ(session.world().frame, 18u);
    EXPECT_EQ(stateHash(session.world()), hashes[18]);
    session.seekBudget = kForever;
    ASSERT_TRUE(session.seekNear(22));
    EXPECT_EQ(session.world().frame, 22u);
    EXPECT_EQ(stateHash(session.world()), hashes[22]);
}

TEST_F(Seeks, SlowMotionSimulatesFewerFrames) {
    const auto framesIn = [&](float speed, int pictures) {
        session.restart(true);
        session.speed = speed;
        for (int k = 0; k < pictures; ++k) session.advance(1.0 / 60);
        return session.world().frame;
    };
    EXPECT_EQ(framesIn(1, 32), 32u);
    EXPECT_EQ(framesIn(0.25f, 32), 8u);
    EXPECT_EQ(framesIn(1.0f / 16, 32), 2u);
    EXPECT_EQ(framesIn(4, 8), 32u);
}

}  // namespace
}  // namespace coalesce::test
