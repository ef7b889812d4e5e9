// Undo beyond values: runs that were left by opening,
// restarting, reloading or going on from an earlier frame.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "session/session.h"
#include "sim/state/state_hash.h"
#include "support/every_value.h"

namespace coalesce::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class SessionRuns : public ::testing::Test {
protected:
    void frames(int count) {
        for (int k = 0; k < count; ++k) session.step();
    }
    uint64_t hash() { return stateHash(session.world()); }
    // What an unbroken run has after as many frames as the session.
    uint64_t unbroken(const std::filesystem::path& file, const SceneChoice& choice,
                      const std::vector<Edit>& edits, uint64_t count) {
        Session other(file, choice, {.backend = "cpu"});
        EXPECT_EQ(other.edit(edits), "");
        for (uint64_t k = 0; k < count; ++k) other.step();
        return stateHash(other.world());
    }
    // A video is recorded for a moment.
    void expectNoUndoWhileRecording() {
        const uint64_t frame = session.world().frame;
        session.seekBlockedReason = "Stop recording (F9) before rewinding.";
        session.takeNotices();
        EXPECT_FALSE(session.undo());
        EXPECT_THAT(session.takeNotices(), testing::ElementsAre(session.seekBlockedReason));
        EXPECT_EQ(session.world().frame, frame);
        session.seekBlockedReason.clear();
    }
    // The replay of the session, played in another one, ends in the same state.
    void expectReplay() {
        session.saveReplay(folder / "played.json");
        const Replay replay = readReplay(folder / "played.json");
        EXPECT_EQ(replay.last(), session.world().frame);
        EXPECT_EQ(replay.marks.back().hash, hash());
        Session other(file, {}, {.backend = "cpu"});
        ReplayPlayer player(replay, other.scene());
        player.begin(other.world());
        while (other.world().frame < session.world().frame) {
            player.advance(other.world());
            other.step();
        }
        EXPECT_EQ(stateHash(other.world()), hash());
    }
    const Edit five{"solver.substeps", {5}, ""};

    TemporaryFolder folder;
    const std::filesystem::path file = sceneOfEverything(folder), small = smallScene(folder);
    Session session{file, {}, {.backend = "cpu"}};
};

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

TEST_F(SessionRuns, ThrownBallsComeBack) {
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

TEST_F(SessionRuns, AnInteractionIsUndoneBeforeAnEarlierEdit) {
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

TEST_F(SessionRuns, BeforeAnInteractionThatWasUndoneOneCanRewind) {
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
TEST_F(SessionRuns, AnInteractionIsUndoneAfterASeekThatDroppedItsFrame) {
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
TEST_F(SessionRuns, AnInteractionBeforeASeekKeepsItsSnapshots) {
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
TEST_F(SessionRuns, TheSnapshotsOfAnotherCourseAreNotTakenForTheirOwn) {
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
TEST_F(SessionRuns, ASnapshotWithALaterEditIsNotKept) {
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
TEST_F(SessionRuns, AWaitingThrowIsUndoneAndRedone) {
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

TEST_F(SessionRuns, AnInteractionInThePastKeepsTheFirstCourse) {
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
TEST_F(SessionRuns, WhileARecordingRunsAnInteractionStays) {
    frames(5);
    session.beginInteraction("Throw");
    session.send(Throw{{0.3f, 3, 0.3f}, {}});
    frames(5);
    expectNoUndoWhileRecording();
    EXPECT_TRUE(session.undo());
}

// Undo of a restart builds the world again, and states before interactions are of that one then.
TEST_F(SessionRuns, WhileARecordingRunsAnInteractionBeforeARestartStays) {
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
TEST_F(SessionRuns, AFailedUndoOfARewoundRunKeepsItsTimeline) {
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

TEST_F(SessionRuns, ReplaysGoOnAfterAnUndo) {
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
TEST_F(SessionRuns, InteractionsDoNotCopyTheReplay) {
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
TEST_F(SessionRuns, ReplaysGoOnAfterAnInteractionWasUndone) {
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
TEST_F(SessionRuns, ReplaysHaveTheEventsOfACourseThatWasLeft) {
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
TEST_F(SessionRuns, InteractionsAreNotKeptBeyondTheRewindMemory) {
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
