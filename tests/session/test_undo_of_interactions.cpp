// Undo of what was done to the world: throws, pulls, cuts; with replays and rewinding.
#include "session/session_runs.h"

namespace coalesce::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class UndoOfInteractions : public SessionRuns {};

TEST_F(UndoOfInteractions, ThrownBallsComeBack) {
    session.send(Throw{{0.3f, 3, 0.3f}, {}});
    frames(5);
    const uint64_t before = hash();
    const size_t materials = session.world().materials.size();
    ASSERT_TRUE(session.open(small, {}));
    ASSERT_TRUE(session.undo());
    EXPECT_EQ(hash(), before);
    EXPECT_EQ(session.world().materials.size(), materials);
    frames(5);
    Session other(file, {}, {.backend = "cpu"});
    other.send(Throw{{0.3f, 3, 0.3f}, {}});
    for (int k = 0; k < 10; ++k) other.step();
    EXPECT_EQ(hash(), stateHash(other.world()));
    // in any order
    session.restart(true);
    EXPECT_LT(session.world().materials.size(), materials);
    ASSERT_TRUE(session.undo());
    EXPECT_EQ(hash(), stateHash(other.world()));
}

TEST_F(UndoOfInteractions, AnInteractionIsUndoneBeforeAnEarlierEdit) {
    ASSERT_EQ(session.edit(five), "");
    frames(10);
    const uint64_t before = hash(), world = session.worldGeneration();
    const size_t particles = session.world().count();
    session.beginInteraction("Throw");
    session.send(Throw{{0.3f, 3, 0.3f}, {}});
    frames(10);
    const uint64_t end = hash();
    ASSERT_GT(session.world().count(), particles);
    EXPECT_EQ(session.undoable(), "Throw");
    session.takeNotices();
    ASSERT_TRUE(session.undo());
    EXPECT_THAT(session.takeNotices(), ElementsAre(HasSubstr("Throw was undone")));
    EXPECT_EQ(session.world().frame, 10u);
    EXPECT_EQ(hash(), before);
    EXPECT_THAT(session.differences(), ElementsAre(five)) << "the edit stays";
    EXPECT_EQ(session.worldGeneration(), world) << "the scene is not built again";
    frames(10);
    EXPECT_EQ(hash(), unbroken(file, {}, {five}, 20)) << "it goes on as if nothing had been thrown";
    EXPECT_NE(hash(), end);
    // nothing is lost: redo returns to the end of the other course, and undo to that of this one
    ASSERT_TRUE(session.redo());
    EXPECT_EQ(session.world().frame, 20u);
    EXPECT_EQ(hash(), end);
    ASSERT_TRUE(session.undo());
    EXPECT_EQ(hash(), unbroken(file, {}, {five}, 20));
    ASSERT_TRUE(session.undo()) << "then the edit";
    EXPECT_THAT(session.differences(), IsEmpty());
    EXPECT_EQ(session.world().frame, 20u) << "which does not rewind";
}

TEST_F(UndoOfInteractions, BeforeAnInteractionThatWasUndoneOneCanRewind) {
    frames(30);
    session.beginInteraction("Throw");
    session.send(Throw{{0.3f, 3, 0.3f}, {}});
    frames(30);
    ASSERT_TRUE(session.undo());
    ASSERT_TRUE(session.seek(17));
    EXPECT_EQ(hash(), unbroken(file, {}, {}, 17));
    ASSERT_TRUE(session.seek(30));
    EXPECT_FALSE(session.seek(31)) << "the frames after it belong to the other course";
    frames(10);
    EXPECT_EQ(hash(), unbroken(file, {}, {}, 40));
    EXPECT_EQ(session.redoable(), "Throw");
    // the snapshots of one course are not those of another
    ASSERT_TRUE(session.redo());
    EXPECT_EQ(session.world().frame, 60u);
    EXPECT_FALSE(session.seek(35));
    frames(15);
    ASSERT_TRUE(session.undo());
    EXPECT_EQ(session.world().frame, 40u);
    EXPECT_FALSE(session.seek(39));
}

// The frames that a seek drops are not those of a run that reached further.
TEST_F(UndoOfInteractions, AnInteractionIsUndoneAfterASeekThatDroppedItsFrame) {
    frames(30);
    session.beginInteraction("Throw");
    session.send(Throw{{0.3f, 3, 0.3f}, {}});
    ASSERT_TRUE(session.seek(20));
    frames(2);
    ASSERT_TRUE(session.undo());
    EXPECT_EQ(session.world().frame, 30u);
    EXPECT_FALSE(session.seek(29)) << "only frames up to 22 were kept";
    frames(10);
    EXPECT_EQ(session.problem(), "");
    EXPECT_EQ(hash(), unbroken(file, {}, {}, 40));
    ASSERT_TRUE(session.seek(35));
    EXPECT_EQ(hash(), unbroken(file, {}, {}, 35));
}

// A seek far back does not change what came before it.
TEST_F(UndoOfInteractions, AnInteractionBeforeASeekKeepsItsSnapshots) {
    frames(10);
    session.beginInteraction("Throw");
    session.send(Throw{{0.3f, 3, 0.3f}, {}});
    frames(20);
    ASSERT_TRUE(session.seek(20));
    frames(3);
    ASSERT_TRUE(session.undo());
    EXPECT_EQ(session.world().frame, 10u);
    ASSERT_TRUE(session.seek(7));
    EXPECT_EQ(hash(), unbroken(file, {}, {}, 7));
}

// Where the end of a rewound run does not fit into memory, no run is kept that tells of the other course.
TEST_F(UndoOfInteractions, TheSnapshotsOfAnotherCourseAreNotTakenForTheirOwn) {
    session.snapshots().setLimits({.seconds = 10, .perSecond = 1, .megabytes = 512});
    frames(30);
    session.beginInteraction("Throw");
    session.send(Throw{{0.3f, 3, 0.3f}, {}});
    frames(20);
    ASSERT_EQ(session.snapshots().list().size(), 1u);
    const size_t first = session.snapshots().bytes(), now = WorldSnapshot::bytesOf(session.world());
    ASSERT_GT(now, first) << "by the ball";
    session.snapshots().setLimits(
        {.seconds = 10, .perSecond = 1, .megabytes = 1e-6f * (1.5f * float(first) + 0.5f * float(now))});
    ASSERT_TRUE(session.seek(18));
    ASSERT_EQ(session.edit(five), "");
    frames(22);
    EXPECT_EQ(session.world().frame, 40u);
    EXPECT_EQ(session.snapshots().list().size(), 1u) << "the control: frames 0 to 40 can be sought";
    ASSERT_TRUE(session.undo()) << "the edit";
    EXPECT_EQ(session.undoable(), "Throw");
    ASSERT_TRUE(session.undo());
    EXPECT_EQ(session.world().frame, 30u);
    EXPECT_FALSE(session.seek(25)) << "these frames are of the edited course";
    frames(5);
    EXPECT_EQ(hash(), unbroken(file, {}, {}, 35));
}

// A snapshot of the frame of an interaction may have later edits of that frame.
TEST_F(UndoOfInteractions, ASnapshotWithALaterEditIsNotKept) {
    frames(30);
    session.beginInteraction("Throw");
    session.send(Throw{{0.3f, 3, 0.3f}, {}});
    ASSERT_EQ(session.edit(five), "");
    session.beginInteraction("Throw");
    session.send(Throw{{0.3f, 6, 0.3f}, {}});
    frames(5);
    ASSERT_EQ(session.snapshots().find(30)->world.frame(), 30u);
    ASSERT_TRUE(session.undo()) << "the second throw";
    ASSERT_TRUE(session.undo()) << "the edit";
    ASSERT_TRUE(session.undo()) << "the first throw";
    frames(5);
    ASSERT_TRUE(session.seek(30));
    EXPECT_THAT(session.differences(), IsEmpty());
    EXPECT_EQ(hash(), unbroken(file, {}, {}, 30));
}

// Cuts and throws of a paused session wait for the next frame.
TEST_F(UndoOfInteractions, AWaitingThrowIsUndoneAndRedone) {
    frames(5);
    for (int k = 0; k < 2; ++k) {
        session.beginInteraction("Throw");
        session.send(Throw{{0.3f, 3.0f + 2.0f * float(k), 0.3f}, {}});
    }
    EXPECT_EQ(session.world().commands.size(), 2u);
    ASSERT_TRUE(session.undo());
    EXPECT_EQ(session.world().commands.size(), 1u);
    ASSERT_TRUE(session.undo());
    EXPECT_EQ(session.world().commands.size(), 0u);
    ASSERT_TRUE(session.redo());
    ASSERT_TRUE(session.redo());
    EXPECT_EQ(session.world().commands.size(), 2u);
    frames(1);
    EXPECT_EQ(session.world().bodies.size(), 2u);
}

TEST_F(UndoOfInteractions, AnInteractionInThePastKeepsTheFirstCourse) {
    frames(30);
    const uint64_t end = hash();
    ASSERT_TRUE(session.seek(12));
    const uint64_t before = hash();
    session.beginInteraction("Throw");
    session.send(Throw{{0.3f, 3, 0.3f}, {}});
    frames(3);
    ASSERT_TRUE(session.undo());
    EXPECT_EQ(hash(), before);
    ASSERT_TRUE(session.undo());
    EXPECT_EQ(session.world().frame, 30u);
    EXPECT_EQ(hash(), end);
}

// A recording shows one continuous run.
TEST_F(UndoOfInteractions, WhileARecordingRunsAnInteractionStays) {
    frames(5);
    session.beginInteraction("Throw");
    session.send(Throw{{0.3f, 3, 0.3f}, {}});
    frames(5);
    expectNoUndoWhileRecording();
    EXPECT_TRUE(session.undo());
}

// Undo of a restart builds the world again, and states before interactions are of that one then.
TEST_F(UndoOfInteractions, WhileARecordingRunsAnInteractionBeforeARestartStays) {
    frames(5);
    const uint64_t before = hash();
    session.beginInteraction("Throw");
    session.send(Throw{{0.3f, 3, 0.3f}, {}});
    frames(5);
    session.restart(true);
    ASSERT_TRUE(session.undo()) << "the restart";
    const uint64_t world = session.worldGeneration();
    expectNoUndoWhileRecording();
    ASSERT_TRUE(session.undo());
    EXPECT_EQ(hash(), before);
    EXPECT_EQ(session.worldGeneration(), world) << "the scene is not built again";
}

// The end of a rewound run has more of the timeline behind it than the present frame.
TEST_F(UndoOfInteractions, AFailedUndoOfARewoundRunKeepsItsTimeline) {
    std::string text = readText(small);
    text.insert(text.rfind('}'), R"(, "timeline": [{ "at": 0.4, "set": "world.gravity", "to": [0, 3, 0] }])");
    writeText(folder / "timed.json", text);
    Session timed(folder / "timed.json", {}, {.backend = "cpu"});
    for (int k = 0; k < 5; ++k) timed.step();
    timed.beginInteraction("Throw");
    timed.send(Throw{{0.3f, 3, 0.3f}, {}});
    for (int k = 0; k < 35; ++k) timed.step();
    const uint64_t end = stateHash(timed.world());
    ASSERT_EQ(timed.world().parameters.world.gravity.y, 3) << "the control: the command was executed";
    // under another name: the run is announced, which fails here
    timed.save(folder / "other.json");
    timed.announce = [](const std::string&) { throw std::bad_alloc(); };
    ASSERT_TRUE(timed.seek(15));
    EXPECT_FALSE(timed.undo());
    EXPECT_NE(timed.problem(), "");
    EXPECT_EQ(timed.world().frame, 15u);
    for (int k = 0; k < 25; ++k) timed.step();
    EXPECT_EQ(stateHash(timed.world()), end);
}

TEST_F(UndoOfInteractions, ReplaysGoOnAfterAnUndo) {
    session.startRecording();
    ASSERT_EQ(session.edit(five), "");
    frames(6);
    ASSERT_TRUE(session.open(small, {}));
    frames(2);
    ASSERT_TRUE(session.undo());
    frames(3);
    session.saveReplay(folder / "played.json");
    const Replay replay = readReplay(folder / "played.json");
    EXPECT_EQ(replay.scene.filename(), file.filename());
    EXPECT_EQ(replay.first(), 0u);
    EXPECT_EQ(replay.last(), 9u);
    EXPECT_EQ(replay.marks.back().hash, unbroken(file, {}, {five}, 9));
}

// A state before an interaction has no copy of the replay, which goes on from it.
TEST_F(UndoOfInteractions, InteractionsDoNotCopyTheReplay) {
    session.startRecording();
    constexpr size_t kEvents = 20000;
    const auto brush = [&](float y) { session.send(Brush{{0.2f, y, 0.2f}, {0.3f, 1, 0.2f}}); };
    for (int frame = 0; frame < 4; ++frame) {
        for (size_t k = 0; k < kEvents / 4; ++k) brush(0.5f + 0.001f * float(k % 2));
        frames(1);
    }
    ASSERT_EQ(session.problem(), "");
    const size_t before = session.undoBytes();
    for (int k = 0; k < 10; ++k) session.beginInteraction("Brush");
    const size_t each = (session.undoBytes() - before) / 10;
    EXPECT_GT(each, WorldSnapshot::bytesOf(session.world()));
    EXPECT_LT(each, WorldSnapshot::bytesOf(session.world()) + kEvents * sizeof(InputEvent) / 10);
    // the control: a run that is left has one
    const size_t kept = session.undoBytes();
    session.restart(true);
    EXPECT_GT(session.undoBytes() - kept, kEvents * sizeof(InputEvent));
}

// The replay of a course is that of its own input, however it was reached.
TEST_F(UndoOfInteractions, ReplaysGoOnAfterAnInteractionWasUndone) {
    session.startRecording();
    frames(10);
    ASSERT_EQ(session.edit(five), "");
    session.beginInteraction("Throw");
    session.send(Throw{{0.3f, 3, 0.3f}, {}});
    // of the same value before the same frame
    ASSERT_EQ(session.edit({"solver.substeps", {7}, ""}), "");
    frames(20);
    ASSERT_TRUE(session.undo()) << "the edit";
    ASSERT_TRUE(session.undo()) << "the throw";
    ASSERT_EQ(session.world().frame, 10u);
    frames(5);
    expectReplay();
}

// As above: no run is kept that has the events of the first course.
TEST_F(UndoOfInteractions, ReplaysHaveTheEventsOfACourseThatWasLeft) {
    session.startRecording();
    session.snapshots().setLimits({.seconds = 10, .perSecond = 1, .megabytes = 512});
    frames(20);
    ASSERT_EQ(session.edit({"solver.iterations", {9}, ""}), "");
    frames(10);
    const uint64_t before = hash();
    session.beginInteraction("Throw");
    session.send(Throw{{0.3f, 3, 0.3f}, {}});
    frames(20);
    const size_t first = session.snapshots().bytes(), now = WorldSnapshot::bytesOf(session.world());
    session.snapshots().setLimits(
        {.seconds = 10, .perSecond = 1, .megabytes = 1e-6f * (1.5f * float(first) + 0.5f * float(now))});
    ASSERT_TRUE(session.seek(18));
    ASSERT_EQ(session.edit(five), "");
    frames(2);
    ASSERT_TRUE(session.undo()) << "the edit";
    EXPECT_EQ(session.undoable(), "Throw");
    ASSERT_TRUE(session.undo());
    EXPECT_EQ(session.world().frame, 30u);
    EXPECT_EQ(hash(), before);
    frames(5);
    expectReplay();
}

// One state of an interaction is never larger than what the user gives to rewinding.
TEST_F(UndoOfInteractions, InteractionsAreNotKeptBeyondTheRewindMemory) {
    const auto undoableAfterAThrow = [&](const RewindLimits& limits) {
        session.restart(true);
        session.snapshots().setLimits(limits);
        session.takeNotices();
        session.beginInteraction("Throw");
        const std::string undoable = session.undoable();
        session.beginInteraction("Pull");
        return undoable;
    };
    const float each = 1e-6f * float(WorldSnapshot::bytesOf(session.world()));
    EXPECT_EQ(undoableAfterAThrow({.megabytes = 1.1f * each}), "Throw");
    EXPECT_THAT(session.takeNotices(), IsEmpty());
    EXPECT_EQ(undoableAfterAThrow({.megabytes = 0.9f * each}), "Restart");
    EXPECT_THAT(session.takeNotices(), ElementsAre(HasSubstr("Throw cannot be undone"))) << "once";
    EXPECT_EQ(undoableAfterAThrow({.seconds = 0}), "Restart");
    EXPECT_THAT(session.takeNotices(), IsEmpty()) << "the user wanted no rewinding";
}

}  // namespace
}  // namespace coalesce::test
