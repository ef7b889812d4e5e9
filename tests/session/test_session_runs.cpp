// Undo beyond values: runs that were left by opening,
// restarting, reloading or going on from an earlier frame.
#include "session/session_runs.h"

namespace coalesce::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(SessionRuns, OpeningAnotherSceneCanBeUndone) {
    ASSERT_EQ(session.edit(five), "");
    frames(7);
    const uint64_t before = hash();
    ASSERT_TRUE(session.open(small, {}));
    frames(2);
    const uint64_t other = hash();
    EXPECT_EQ(session.undoable(), "Opening small");
    ASSERT_TRUE(session.undo());
    EXPECT_EQ(session.scene().file, file);
    EXPECT_EQ(session.world().frame, 7u);
    EXPECT_EQ(hash(), before);
    EXPECT_THAT(session.differences(), ElementsAre(five));
    // it goes on as if it had not been left
    frames(5);
    EXPECT_EQ(hash(), unbroken(file, {}, {five}, 12));
    // and back again
    EXPECT_EQ(session.redoable(), "Opening small");
    ASSERT_TRUE(session.redo());
    EXPECT_EQ(session.scene().file, small);
    EXPECT_EQ(hash(), other);
    ASSERT_TRUE(session.undo());
    EXPECT_EQ(session.world().frame, 12u);
    // then its own edits
    ASSERT_TRUE(session.undo());
    EXPECT_THAT(session.differences(), IsEmpty());
    EXPECT_EQ(session.undoable(), "");
    EXPECT_FALSE(session.undo());
    // forward: its edit, then the other scene
    ASSERT_TRUE(session.redo());
    EXPECT_EQ(session.scene().file, file);
    ASSERT_TRUE(session.redo());
    EXPECT_EQ(session.scene().file, small);
    EXPECT_FALSE(session.redo());
}

TEST_F(SessionRuns, ARestartAndARevertCanBeUndone) {
    ASSERT_EQ(session.edit(five), "");
    frames(6);
    const uint64_t before = hash();
    session.restart(true);
    EXPECT_EQ(session.world().frame, 0u);
    session.closeStep();
    ASSERT_EQ(session.edit({"solver.iterations", {9}, ""}), "");
    frames(1);
    ASSERT_TRUE(session.undo()) << "the edit after it";
    EXPECT_EQ(session.world().frame, 1u);
    ASSERT_TRUE(session.undo()) << "the restart";
    EXPECT_EQ(hash(), before);
    session.restart(false);
    EXPECT_THAT(session.differences(), IsEmpty());
    EXPECT_EQ(session.undoable(), "Reverting to the file");
    ASSERT_TRUE(session.undo());
    EXPECT_THAT(session.differences(), ElementsAre(five));
    EXPECT_EQ(hash(), before);
    // a new edit is another course: nothing to redo
    session.closeStep();
    ASSERT_EQ(session.edit({"solver.iterations", {7}, ""}), "");
    EXPECT_EQ(session.redoable(), "");
}

TEST_F(SessionRuns, AReloadCanBeUndone) {
    frames(4);
    const uint64_t before = hash();
    std::string text = readText(file);
    text.replace(text.find("0.6, 0.4"), 3, "0.8");
    writeText(file, text);
    ASSERT_TRUE(session.reload());
    const size_t more = session.world().count();
    ASSERT_TRUE(session.undo());
    EXPECT_EQ(hash(), before);
    EXPECT_LT(session.world().count(), more);
    EXPECT_FALSE(session.pollFile()) << "the file is not read again before it changes";
    ASSERT_TRUE(session.redo());
    EXPECT_EQ(session.world().count(), more);
}

// A rewound run that goes on differently keeps its first course.
TEST_F(SessionRuns, TheFutureOfARewoundRunIsKept) {
    frames(30);
    const uint64_t end = hash();
    ASSERT_TRUE(session.seek(12));
    ASSERT_EQ(session.edit(five), "");
    frames(4);
    EXPECT_EQ(session.world().frame, 16u);
    const uint64_t other = hash();
    ASSERT_TRUE(session.undo()) << "the edit";
    EXPECT_THAT(session.undoable(), HasSubstr("Going on from 0.20 s"));
    ASSERT_TRUE(session.undo());
    EXPECT_EQ(session.world().frame, 30u);
    EXPECT_EQ(hash(), end);
    EXPECT_THAT(session.differences(), IsEmpty());
    ASSERT_TRUE(session.redo());
    EXPECT_EQ(session.world().frame, 16u);
    EXPECT_EQ(hash(), other);
    ASSERT_TRUE(session.redo());
    EXPECT_THAT(session.differences(), ElementsAre(five));
}

TEST_F(SessionRuns, ARedoneStepOfARewoundRunIsAStep) {
    ASSERT_EQ(session.edit(five), "");
    frames(30);
    ASSERT_TRUE(session.undo());
    const uint64_t end = hash();
    ASSERT_TRUE(session.seek(12));
    ASSERT_TRUE(session.redo());
    EXPECT_EQ(session.world().parameters.solver.substeps, 5);
    frames(2);
    ASSERT_TRUE(session.undo()) << "the step";
    EXPECT_EQ(session.world().parameters.solver.substeps, 2);
    EXPECT_EQ(session.world().frame, 14u);
    ASSERT_TRUE(session.undo()) << "the branch";
    EXPECT_EQ(session.world().frame, 30u);
    EXPECT_EQ(hash(), end);
}

TEST_F(SessionRuns, LeftInThePastAreKeptToTheirEnd) {
    frames(30);
    const uint64_t end = hash();
    ASSERT_TRUE(session.seek(12));
    session.restart(true);
    ASSERT_TRUE(session.undo());
    EXPECT_EQ(hash(), end);
    EXPECT_EQ(session.undoable(), "") << "a seek alone changes nothing";
}

TEST_F(SessionRuns, MemoryIsLimited) {
    session.snapshots().setLimits({.seconds = 10, .perSecond = 10, .megabytes = 0.001f});
    for (int k = 0; k < 3; ++k) {
        frames(1);
        session.restart(true);
    }
    EXPECT_TRUE(session.undo()) << "the last one is kept";
    EXPECT_EQ(session.undoable(), "");
    session.snapshots().setLimits({});
    for (int k = 0; k < 30; ++k) session.restart(true);
    int undone = 0;
    while (session.undo()) ++undone;
    EXPECT_EQ(undone, 30);
    for (int k = 0; k < 70; ++k) session.restart(true);
    for (undone = 0; session.undo();) ++undone;
    EXPECT_EQ(undone, 64);
}

// Frames that follow again as they did are no other course.
TEST_F(SessionRuns, PlayingOnAfterASeekKeepsTheSteps) {
    ASSERT_EQ(session.edit(five), "");
    frames(30);
    ASSERT_TRUE(session.seek(12));
    frames(18);
    EXPECT_EQ(hash(), unbroken(file, {}, {five}, 30));
    ASSERT_TRUE(session.undo());
    EXPECT_EQ(session.world().frame, 30u);
    EXPECT_THAT(session.differences(), IsEmpty());
    EXPECT_EQ(session.undoable(), "");
    // a ball that was thrown later would be lost
    session.send(Throw{{0.3f, 3, 0.3f}, {}});
    frames(2);
    const uint64_t end = hash();
    ASSERT_TRUE(session.seek(20));
    frames(1);
    ASSERT_TRUE(session.undo());
    EXPECT_EQ(session.world().frame, 32u);
    EXPECT_EQ(hash(), end);
}

// A run from before a save has what the file no longer has.
TEST_F(SessionRuns, DifferFromAFileThatWasSavedLater) {
    const std::string before = readText(file);
    ASSERT_EQ(session.addElement("shapes", R"({ "name": "ball", "sphere": { "radius": 0.1 } })"), "");
    session.save(file);
    ASSERT_TRUE(session.undo());
    EXPECT_EQ(session.world().shapes.size(), 4u);
    EXPECT_TRUE(session.isChanged());
    session.save(file);
    EXPECT_EQ(readText(file), before);
    ASSERT_TRUE(session.redo());
    EXPECT_EQ(session.world().shapes.size(), 5u);
    EXPECT_TRUE(session.isChanged());
    // under another name: the runs before are of that scene, too
    session.save(folder / "other.json");
    ASSERT_TRUE(session.undo());
    EXPECT_EQ(session.scene().file, folder / "other.json");
    EXPECT_TRUE(session.isChanged());
    EXPECT_EQ(readText(file), before);
}

TEST_F(SessionRuns, TakeTheFilmOfTheFile) {
    frames(3);
    session.restart(true);
    std::string text = readText(file);
    text.insert(text.find("\"duration\""), "\"camera\": { \"eye\": [7, 1, 1], \"look\": [0, 0, 0] }, ");
    writeText(file, text);
    ASSERT_TRUE(session.reload());
    EXPECT_EQ(session.scene().cameras[0].eye.x, 7) << "no restart";
    ASSERT_TRUE(session.undo());
    EXPECT_EQ(session.world().frame, 3u);
    EXPECT_EQ(session.scene().cameras[0].eye.x, 7);
    EXPECT_FALSE(session.isChanged());
}

// The state of a run fits the mesh that it was built with.
TEST_F(SessionRuns, OfAMeshThatHasChangedDoNotComeBack) {
    const std::string corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 ";
    const std::string faces = "\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    writeText(folder / "wedge.obj", corners + "1" + faces);
    writeText(folder / "mesh.json", R"({ "materials": { "water": { "spacing": 0.1 } },
        "bodies": [{ "name": "block", "material": "water", "block": { "min": [3, 0.2, 0], "max": [3.4, 0.6, 0.4] } }],
        "shapes": [{ "name": "wedge", "mesh": { "mesh": "wedge.obj" } }] })");
    Session meshed(folder / "mesh.json", {}, {.backend = "cpu"});
    meshed.step();
    writeText(folder / "wedge.obj", corners + "0.5" + faces);
    std::filesystem::last_write_time(folder / "wedge.obj", std::filesystem::file_time_type::clock::now());
    ASSERT_TRUE(meshed.reload()) << meshed.fileProblem();
    EXPECT_EQ(meshed.undoable(), "Reloading mesh");
    meshed.takeNotices();
    EXPECT_FALSE(meshed.undo());
    EXPECT_THAT(meshed.takeNotices(), ElementsAre(HasSubstr("has changed")));
    EXPECT_EQ(meshed.undoable(), "");
    meshed.step();
    EXPECT_EQ(meshed.problem(), "");
}

// The state of a run may hold a particle that the mouse has let go since.
TEST_F(SessionRuns, DoNotHoldWhatTheMouseLetGo) {
    session.send(Grab{kMouseGrab, 0, {0.2f, 1, 0.2f}});
    frames(3);
    ASSERT_TRUE(targetOf(session.world(), kMouseGrab));
    session.restart(true);
    ASSERT_TRUE(session.undo());
    frames(1);
    EXPECT_FALSE(targetOf(session.world(), kMouseGrab));
}

TEST_F(SessionRuns, AreNotKeptWhereTheyFollowAnotherSession) {
    session.keepsRuns = false;
    frames(2);
    session.restart(true);
    EXPECT_EQ(session.undoable(), "");
    frames(2);
    EXPECT_EQ(session.problem(), "");
}

}  // namespace
}  // namespace coalesce::test
