// Edits of a session: undo and redo, restarts, moved shapes, replays.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <utility>

#include "scene/build/build.h"
#include "scene/format/presets.h"
#include "scene/reader.h"
#include "scene/timeline/timeline.h"
#include "session/session.h"
#include "support/every_value.h"

namespace coalesce::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class SessionEdits : public ::testing::Test {
protected:
    Edit now(const std::string& path) {
        for (const Tunable& t : session.tunables())
            if (t.value.path == path) return t.value;
        return {};
    }
    TemporaryFolder folder;
    Session session{sceneOfEverything(folder), {}, {.backend = "cpu"}};
    static constexpr size_t kGate = 1, kWheel = 2, kLift = 3;
};

TEST_F(SessionEdits, OfEveryValueCanBeUndoneAndRedone) {
    int tried = 0;
    for (const Tunable& t : session.tunables()) {
        const Edit other = otherValue(t);
        if (other == t.value) continue;
        session.closeStep();
        ASSERT_EQ(session.edit(other), "") << other.path;
        EXPECT_EQ(now(other.path), other);
        EXPECT_THAT(session.differences(), ElementsAre(other));
        ASSERT_TRUE(session.undo());
        EXPECT_EQ(now(other.path), t.value);
        EXPECT_TRUE(session.differences().empty()) << other.path;
        ASSERT_TRUE(session.redo());
        EXPECT_EQ(now(other.path), other);
        ASSERT_TRUE(session.undo());
        ++tried;
    }
    EXPECT_GT(tried, 150);
    EXPECT_FALSE(session.undo());
}

TEST_F(SessionEdits, OfOneGestureAreOneStep) {
    for (const double substeps : {3, 4, 5}) session.edit({"solver.substeps", {substeps}, ""});
    session.edit({"solver.relaxation", {1.5}, ""});
    session.closeStep();
    session.edit({"solver.substeps", {9}, ""});
    session.closeStep();
    ASSERT_TRUE(session.undo());
    EXPECT_EQ(session.world().parameters.solver.substeps, 5);
    ASSERT_TRUE(session.undo());
    EXPECT_EQ(session.world().parameters.solver.substeps, 2);
    EXPECT_EQ(session.world().parameters.solver.relaxation, 1);
    EXPECT_FALSE(session.undo());
    session.redo();
    EXPECT_EQ(session.world().parameters.solver.substeps, 5);
    session.edit({"solver.iterations", {9}, ""});
    EXPECT_FALSE(session.redo()) << "a new edit clears the redo steps";
}

TEST_F(SessionEdits, ThatReturnToTheirStartAreNoStep) {
    session.edit({"solver.substeps", {3}, ""});
    session.edit({"solver.substeps", {2}, ""});
    EXPECT_EQ(session.undoable(), "");
}

TEST_F(SessionEdits, SurviveARestartThatKeepsThem) {
    session.edit({"solver.substeps", {5}, ""});
    session.restart(true);
    EXPECT_EQ(session.world().parameters.solver.substeps, 5);
    ASSERT_TRUE(session.undo()) << "the restart";
    EXPECT_EQ(session.world().parameters.solver.substeps, 5);
    ASSERT_TRUE(session.undo());
    EXPECT_EQ(session.world().parameters.solver.substeps, 2);
}

TEST_F(SessionEdits, DroppedByARestartCanBeUndone) {
    session.edit({"solver.substeps", {5}, ""});
    session.edit({"materials.water.viscosity", {1}, ""});
    session.restart(false);
    EXPECT_EQ(session.world().parameters.solver.substeps, 2);
    ASSERT_TRUE(session.undo());
    EXPECT_EQ(session.world().parameters.solver.substeps, 5);
    EXPECT_EQ(session.world().materials[0].properties.viscosity, 1);
    ASSERT_TRUE(session.undo());
    EXPECT_EQ(session.world().parameters.solver.substeps, 2) << "and the step before is still there";
}

TEST_F(SessionEdits, OfValuesFixedAtSpawnApplyAfterARestart) {
    const size_t before = session.world().count();
    session.edit({"materials.water.spacing", {0.2f}, ""});
    EXPECT_EQ(session.world().materials[0].properties.spacing, 0.1f) << "its particles have another";
    EXPECT_EQ(now("materials.water.spacing").numbers[0], 0.2f);
    EXPECT_TRUE(session.needsRestart());
    session.step();
    EXPECT_TRUE(session.problem().empty()) << session.problem();
    session.restart(true);
    EXPECT_FALSE(session.needsRestart());
    EXPECT_EQ(session.world().count(), before / 8);
    session.undo();
    EXPECT_TRUE(session.needsRestart());
    session.undo();
    session.restart(true);
    EXPECT_EQ(session.world().count(), before);
}

TEST_F(SessionEdits, OfTheMethodApplyWhileTheSceneRuns) {
    const std::vector<std::string_view>& methods = choiceNames<Method>();
    for (size_t k = 0; k <= methods.size(); ++k) {  // and back to the first
        const size_t method = k % methods.size();
        EXPECT_EQ(session.edit({"solver.method", {}, std::string(methods[method])}), "");
        EXPECT_EQ(size_t(session.world().parameters.solver.method), method);
        EXPECT_FALSE(session.needsRestart());
        for (int frame = 0; frame < 5; ++frame) session.step();
        EXPECT_TRUE(session.problem().empty()) << methods[method] << ": " << session.problem();
        const std::vector<Vec4> v = session.world().particles.v.download();
        EXPECT_TRUE(std::ranges::all_of(v, [](const Vec4& a) { return length(xyz(a)) < 20; }))
            << methods[method];
    }
}

// The presets that come with the scenes are for every scene, whatever its method: one step of undo each.
TEST_F(SessionEdits, OfTheShippedPresetsApplyUnderEveryMethod) {
    const std::vector<PresetEntry> presets = listPresets(COALESCE_SCENES "/presets");
    const std::vector<std::string_view>& methods = choiceNames<Method>();
    std::vector<int> ofMethod(methods.size());
    for (const PresetEntry& entry : presets) {
        ASSERT_EQ(entry.error, "") << entry.name;
        EXPECT_NE(entry.about, "") << entry.name;
        const std::vector<Edit> values = valuesFor(session.edited(), readPreset(entry.file));
        for (size_t before = 0; before < methods.size(); ++before) {
            EXPECT_EQ(session.edit({"solver.method", {}, std::string(methods[before])}), "");
            session.closeStep();
            ASSERT_EQ(session.edit(values), "") << entry.name;
            session.closeStep();
            for (const Edit& value : values) {
                EXPECT_EQ(now(value.path).word, value.word) << entry.name;
                for (size_t k = 0; k < value.numbers.size(); ++k)
                    EXPECT_FLOAT_EQ(float(now(value.path).numbers.at(k)), float(value.numbers[k]))
                        << entry.name << ": " << value.path;
            }
            const size_t method = size_t(session.world().parameters.solver.method);
            EXPECT_TRUE(entry.name.starts_with(methods[method])) << entry.name;
            if (before == 0) ++ofMethod[method];
            for (int frame = 0; frame < 3; ++frame) session.step();
            EXPECT_TRUE(session.problem().empty()) << entry.name << ": " << session.problem();
            const std::vector<Vec4> v = session.world().particles.v.download();
            EXPECT_TRUE(std::ranges::all_of(v, [](const Vec4& a) { return length(xyz(a)) < 20; }))
                << entry.name;
            EXPECT_TRUE(session.undo());
            EXPECT_EQ(size_t(session.world().parameters.solver.method), before) << entry.name;
        }
    }
    for (size_t k = 0; k < methods.size(); ++k) EXPECT_GE(ofMethod[k], 2) << methods[k];
}

// Values that the scene reader rejects are rejected everywhere.
TEST_F(SessionEdits, ThatConflictAreRejectedEverywhere) {
    session.takeNotices();
    const std::vector<std::pair<Edit, const char*>> refused = {
        {{"sinks.old.outside", {}, "true"}, "outside needs a form"},
        {{"sinks.old.age", {0}, ""}, "a sink needs a form"},
        {{"solver.planar", {}, "true"}, "emitters do not work in a planar scene"}};
    for (const auto& [edit, why] : refused) {
        const std::string answer = session.edit(edit);
        EXPECT_NE(answer, "") << edit.path;
        EXPECT_THAT(answer, HasSubstr(why));
        EXPECT_NE(session.edit(std::vector<Edit>{{"solver.substeps", {5}, ""}, edit}), "") << edit.path;
        EXPECT_TRUE(session.differences().empty()) << edit.path;
        EXPECT_EQ(session.undoable(), "");
        ASSERT_EQ(session.takeNotices().size(), 1u) << "and reported as a notice";
        // --set and presets use the reader
        SceneChoice choice;
        choice.sets = {asSet(edit)};
        EXPECT_THROW(readScene(folder / "everything.json", choice), Error) << edit.path;
        // the timeline
        Scene scene = session.scene();
        const std::vector<double> number =
            edit.word.empty() ? edit.numbers : std::vector<double>{edit.word == "true" ? 1.0 : 0.0};
        EXPECT_NE(adjust({scene.parameters, scene.materials, scene.shapes, scene.forceFields, scene.emitters,
                          scene.sinks},
                         edit.path, number),
                  "")
            << edit.path;
        EXPECT_TRUE(editsBetween(tunablesOf(std::as_const(scene)), tunablesOf(session.scene())).empty());
    }
    EXPECT_EQ(session.edit({"emitters.tap.end", {2}, ""}), "");
    EXPECT_THAT(session.edit({"emitters.tap.start", {3}, ""}), HasSubstr("ends before it starts"));
    // as a list they are consistent
    EXPECT_EQ(session.edit(std::vector<Edit>{{"emitters.tap.start", {5}, ""}, {"emitters.tap.end", {6}, ""}}),
              "");
    EXPECT_EQ(session.edit(std::vector<Edit>{{"emitters.tap.start", {7}, ""}, {"emitters.tap.end", {8}, ""}}),
              "");
    ASSERT_TRUE(session.undo());
    EXPECT_EQ(now("emitters.tap.start").numbers[0], 5);
    EXPECT_EQ(session.world().emitters[0].properties.end, 6);
}

TEST(SessionPlane, ABodyOutsideThePlaneRejectsPlanar) {
    TemporaryFolder folder;
    const auto file = smallScene(folder);
    Session session(file, {}, {.backend = "cpu"});
    EXPECT_EQ(session.edit({"solver.planar", {}, "true"}), "") << "a block becomes a layer";
    std::string text = readText(file);
    const std::string other =
        R"("bodies": [{ "name": "other", "material": "water", "points": [[0, 1, 0.1]] }, )";
    text.replace(text.find("\"bodies\": ["), 11, other);
    writeText(folder / "two.json", text);
    ASSERT_TRUE(session.open(folder / "two.json", {}));
    EXPECT_THAT(session.edit({"solver.planar", {}, "true"}), HasSubstr("out of the plane"));
}

TEST_F(SessionEdits, OfAListAreOneStepAllOrNone) {
    EXPECT_THAT(
        session.edit(std::vector<Edit>{{"solver.substeps", {5}, ""}, {"solver.itterations", {5}, ""}}),
        HasSubstr("solver.iterations"));
    EXPECT_TRUE(session.differences().empty());
    EXPECT_EQ(session.edit(std::vector<Edit>{{"solver.substeps", {5}, ""}, {"solver.iterations", {5}, ""}}),
              "");
    ASSERT_TRUE(session.undo());
    EXPECT_TRUE(session.differences().empty());
}

TEST_F(SessionEdits, MoveShapesGradually) {
    const Vec3 start = session.world().shapes[kGate].position;
    session.edit({"shapes.gate.position", {start.x + 1.0, start.y, start.z}, ""});
    EXPECT_EQ(session.world().shapes[kGate].position, start) << "not before the next frame";
    EXPECT_FLOAT_EQ(session.targetPose(kGate).position.x, start.x + 1);
    session.step();
    EXPECT_NEAR(session.world().shapes[kGate].position.x - start.x, 4.0 / 60, 1e-5) << "at the maximum speed";
    for (int frame = 0; frame < 20; ++frame) session.step();
    EXPECT_EQ(session.world().shapes[kGate].position.x, start.x + 1);
    EXPECT_TRUE(session.world().shapes[kGate].keys.empty());
    session.undo();
    for (int frame = 0; frame < 20; ++frame) session.step();
    EXPECT_EQ(session.world().shapes[kGate].position, start);
    session.redo();
    session.restart(true);
    EXPECT_EQ(session.world().shapes[kGate].position.x, start.x + 1) << "there from the start";
    session.restart(false);
    EXPECT_EQ(session.world().shapes[kGate].position, start);
}

TEST_F(SessionEdits, TargetsContinueAfterASeek) {
    const Vec3 start = session.world().shapes[kGate].position;
    session.step();
    session.edit({"shapes.gate.position", {start.x + 1.0, start.y, start.z}, ""});
    for (int frame = 0; frame < 30; ++frame) session.step();
    ASSERT_EQ(session.world().shapes[kGate].position.x, start.x + 1);
    // a snapshot during the motion
    ASSERT_TRUE(session.restore(7));
    const float between = session.world().shapes[kGate].position.x;
    ASSERT_GT(between, start.x + 0.1f);
    ASSERT_LT(between, start.x + 0.9f);
    for (int frame = 0; frame < 30; ++frame) session.step();
    EXPECT_EQ(session.world().shapes[kGate].position.x, start.x + 1);
}

TEST_F(SessionEdits, ShiftTheMotionOfMovingShapes) {
    for (int frame = 0; frame < 15; ++frame) session.step();
    const Pose before = session.targetPose(kWheel);
    session.moveTo("shapes", "wheel", {before.position + Vec3{0, 0.05f, 0}, before.rotation});
    session.step();
    EXPECT_FLOAT_EQ(poseAt(session.world().shapes[kWheel], session.world().time).position.y, 1.05f);
    session.restart(true);
    EXPECT_FLOAT_EQ(session.world().shapes[kWheel].position.y, 1.05f);
    EXPECT_NEAR(session.world().shapes[kWheel].rotation.y, 0, 1e-6) << "it starts turned as it did";
    session.step();
    EXPECT_NE(poseAt(session.world().shapes[kWheel], session.world().time).rotation.y, 0) << "and turns on";
}

// Elements with a velocity have moved on when an edit is undone.
class SessionMoves : public ::testing::Test {
protected:
    static constexpr size_t kCart = 0;
    static std::filesystem::path scene(const TemporaryFolder& folder) {
        writeText(folder / "cart.json", R"({
            "materials": { "water": { "spacing": 0.1 } },
            "bodies": [{ "name": "drop", "material": "water", "points": [[9, 9, 9]] }],
            "shapes": [{ "name": "cart", "box": { "size": [0.2, 0.2, 0.2] }, "position": [1, 0, 0],
                         "velocity": [0.5, 0, 0], "angularVelocity": [0, 90, 0] }],
            "sinks": [{ "name": "net", "box": { "size": [0.2, 0.2, 0.2] }, "position": [0, 0, 0], "velocity": [0, 0, 0.5] }]
        })");
        return folder / "cart.json";
    }
    static void frames(Session& s, int count) {
        for (int k = 0; k < count; ++k) s.step();
        ASSERT_EQ(s.problem(), "");
    }
    static Pose cart(const Session& s) { return poseAt(s.world().shapes[kCart], s.world().time); }
    static Pose net(const Session& s) { return poseAt(s.world().sinks[0].form, s.world().time); }
    static void expectNear(const Pose& a, const Pose& b) {
        EXPECT_LT(length(a.position - b.position), 1e-5f)
            << a.position.x << ", " << a.position.y << ", " << a.position.z << " and " << b.position.x << ", "
            << b.position.y << ", " << b.position.z;
        const Quat &p = a.rotation, &q = b.rotation;
        EXPECT_GT(std::abs(p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w), 1 - 1e-6f);
    }
    TemporaryFolder folder;
    Session session{scene(folder), {}, {.backend = "cpu"}},
        untouched{folder / "cart.json", {}, {.backend = "cpu"}};
};

TEST_F(SessionMoves, CanBeUndoneDuringMotion) {
    frames(session, 30), frames(untouched, 30);
    const Pose before = cart(session), netBefore = net(session);
    session.moveTo("shapes", "cart",
                   {before.position + Vec3{0, 0.5f, 0}, quatFromEuler(0.4, 0, 0) * before.rotation});
    session.moveTo("sinks", "net", {netBefore.position + Vec3{0, 0.25f, 0}, netBefore.rotation});
    session.closeStep();
    frames(session, 30), frames(untouched, 30);
    expectNear(cart(session), {cart(untouched).position + Vec3{0, 0.5f, 0}, cart(session).rotation});
    expectNear(net(session), {net(untouched).position + Vec3{0, 0.25f, 0}, net(untouched).rotation});
    ASSERT_TRUE(session.undo());
    EXPECT_TRUE(session.differences().empty());
    frames(session, 30), frames(untouched, 30);
    expectNear(cart(session), cart(untouched));
    expectNear(net(session), net(untouched));
    ASSERT_TRUE(session.redo());
    frames(session, 30), frames(untouched, 30);
    expectNear(net(session), {net(untouched).position + Vec3{0, 0.25f, 0}, net(untouched).rotation});
}

TEST_F(SessionMoves, ShiftTheInitialPose) {
    frames(session, 30);
    const Pose before = cart(session), netBefore = net(session);
    session.moveTo("shapes", "cart",
                   {before.position + Vec3{0, 0.5f, 0}, quatFromEuler(0.4, 0, 0) * before.rotation});
    session.moveTo("sinks", "net", {netBefore.position + Vec3{0, 0.25f, 0}, netBefore.rotation});
    frames(session, 30);
    const Pose then = cart(session), netThen = net(session);
    session.restart(true);
    EXPECT_LT(length(cart(session).position - Vec3{1, 0.5f, 0}), 1e-5f);
    EXPECT_LT(length(net(session).position - Vec3{0, 0.25f, 0}), 1e-5f);
    frames(session, 60);
    expectNear(cart(session), then);
    expectNear(net(session), netThen);
}

// As the panel resets values: those of the scene file are initial poses.
TEST_F(SessionMoves, CanBeResetToTheFile) {
    frames(session, 30), frames(untouched, 30);
    EXPECT_TRUE(session.differences().empty());
    for (const Tunable& t : session.tunables())
        if (t.section == "shapes" || t.section == "sinks") {
            EXPECT_EQ(t.value, editAt(tunablesOf(session.scene()), t.value.path));
        }
    session.moveTo("shapes", "cart", {{3, 1, 1}, {}});
    session.moveTo("sinks", "net", {{3, 1, 1}, {}});
    frames(session, 60), frames(untouched, 60);
    for (const Edit& edit : session.differences())
        EXPECT_EQ(session.edit(editAt(tunablesOf(session.scene()), edit.path)), "");
    frames(session, 60), frames(untouched, 60);
    expectNear(cart(session), cart(untouched));
    expectNear(net(session), net(untouched));
    // another velocity keeps the initial pose
    EXPECT_EQ(session.edit({"sinks.net.velocity", {0, 0, 1}, ""}), "");
    EXPECT_THAT(session.differences(), ElementsAre(Edit{"sinks.net.velocity", {0, 0, 1}, ""}));
}

TEST_F(SessionEdits, ChangeTheMotionOfShapesFromNowOn) {
    for (int frame = 0; frame < 6; ++frame) session.step();
    session.edit({"shapes.gate.velocity", {0.6, 0, 0}, ""});
    session.step();
    EXPECT_NEAR(poseAt(session.world().shapes[kGate], session.world().time).position.x, -1 + 0.01, 1e-5)
        << "without a jump";
    EXPECT_THAT(session.edit({"shapes.lift.position", {0, 0, 0}, ""}), HasSubstr("no such value"));
    EXPECT_THAT(session.edit({"shapes.gat.position", {0, 0, 0}, ""}), HasSubstr("shapes.gate.position"));
}

// Playback of the recording ends in the same state.
TEST_F(SessionEdits, AreReplayedBitIdentically) {
    session.edit({"solver.substeps", {3}, ""});
    session.restart(true);
    session.startRecording();
    session.edit({"shapes.floor.rotation", {0, 0, 0, 1}, ""});
    session.edit({"shapes.gate.position", {-0.5, 0.4, 0.2}, ""});
    for (int frame = 0; frame < 4; ++frame) session.step();
    session.edit({"shapes.gate.velocity", {1.2f, 0, 0}, ""});
    session.edit({"emitters.tap.enabled", {}, "true"});
    session.edit({"emitters.tap.position", {0.2, 0.8, 0.2}, ""});
    session.edit({"fields.breeze.enabled", {}, "true"});
    session.edit({"materials.water.airDrag", {3}, ""});
    const Quat q = quatFromEuler(0, 0.4, 0);
    session.edit({"shapes.gate.rotation", {q.x, q.y, q.z, q.w}, ""});
    for (int frame = 0; frame < 12; ++frame) session.step();
    session.undo();
    for (int frame = 0; frame < 8; ++frame) session.step();
    ASSERT_TRUE(session.problem().empty()) << session.problem();
    session.saveReplay(folder / "r.json");

    const Replay replay = readReplay(folder / "r.json");
    const Scene scene = readScene(replay.scene, replay.choice);
    Exec exec({.backend = "cpu"});
    World world(exec);
    buildWorld(scene, world);
    Solver solver(world);
    Timeline timeline(scene);
    ReplayPlayer player(replay, scene);
    player.begin(world);
    while (world.frame < player.last()) {
        player.advance(world);
        timeline.advance(world);
        solver.step();
        player.check(world);
    }
    EXPECT_EQ(player.compared(), 2u) << "start and end";
    EXPECT_EQ(world.frame, 24u);
}

TEST_F(SessionEdits, StartARecordingFromMovedShapes) {
    const Quat q = quatFromEuler(0.1, 0, -0.2);
    session.edit({"shapes.floor.rotation", {q.x, q.y, q.z, q.w}, ""});
    session.edit({"shapes.gate.position", {-0.5, 0.4, 0.2}, ""});
    session.restart(true);
    session.startRecording();
    for (int frame = 0; frame < 6; ++frame) session.step();
    session.saveReplay(folder / "r.json");
    const Replay replay = readReplay(folder / "r.json");
    const Scene scene = readScene(replay.scene, replay.choice);
    EXPECT_TRUE(editsBetween(tunablesOf(session.edited()), tunablesOf(scene)).empty());
}

}  // namespace
}  // namespace coalesce::test
