// Sessions whose runs are undone.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "session/session.h"
#include "sim/state/state_hash.h"
#include "support/every_value.h"

namespace coalesce::test {

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

}  // namespace coalesce::test
