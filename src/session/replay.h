// Replays: recorded user input of a session, by frame, and hashes of its states. Playback is bit-identical.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "scene/format/edits.h"
#include "scene/format/scene.h"

namespace coalesce {

struct InputEvent {
    uint64_t frame = 0;  // before which it is applied
    std::variant<UserCommand, Edit> content;
    int line = 0;  // in the file
};

struct StateMark {
    uint64_t frame = 0;
    uint64_t hash = 0;
};

struct Replay {
    std::filesystem::path file;   // "" before it is written
    std::filesystem::path scene;  // in the file: relative to the file's folder
    SceneChoice choice;
    std::vector<InputEvent> events;  // by frame
    std::vector<StateMark> marks;    // by frame; the first is the start of the recording, the last its end

    uint64_t first() const { return marks.front().frame; }
    uint64_t last() const { return marks.back().frame; }
};

// Reports every error with line and path: SceneError. Older files call the list of events "letters"; both
// names are read.
Replay readReplay(const std::filesystem::path& file);
// Atomic: a failed write leaves no file. Exit::Output.
void writeReplay(const Replay& replay, const std::filesystem::path& file);

// Applies the events of a replay to a world, and compares state hashes.
class ReplayPlayer {
public:
    // Rejects edits of paths that the scene does not have: Exit::Scene, with the line in the replay.
    ReplayPlayer(Replay replay, const Scene& scene);
    // To be called once, with the world built or loaded: applies the edits before its frame and compares the
    // state. Rejects a world from before the start of the recording: Exit::Scene.
    void begin(World& world);
    // Before each frame, and before the timeline: applies the events of the frame.
    void advance(World& world);
    // After each frame: the hash must equal the recorded one, if there is one. Exit::Expect.
    void check(World& world);
    uint64_t last() const { return m_replay.last(); }
    size_t compared() const { return m_compared; }  // states

private:
    void apply(World& world, const InputEvent& event, bool commands);

    Replay m_replay;
    size_t m_next = 0;                // event
    size_t m_compared = 0;            // number of equal hashes
    std::optional<uint64_t> m_equal;  // last frame with an equal hash
};

// Records the user input of a session.
class ReplayRecorder {
public:
    // Starts with this world. edits: values that differ from the scene of this choice.
    void begin(const Scene& scene, const SceneChoice& choice, const std::vector<Edit>& edits, World& world);
    void record(uint64_t frame, const Edit& edit);
    void record(uint64_t frame, const UserCommand& command);
    // After each frame: adds a state hash at regular intervals.
    void checkpoint(World& world);
    size_t events() const { return m_replay.events.size(); }
    // The present events stay as they are: edits of the same path that follow do not replace theirs.
    void keepEvents() { m_kept = events(); }
    // Drops all events but the first `events`, and the hashes of later frames.
    void truncate(uint64_t frame, size_t events);
    // Memory that it takes, but for the texts of edits.
    size_t bytes() const;
    // Adds the hash of the last state and writes the file.
    void write(World& world, const std::filesystem::path& file);

private:
    Replay m_replay;
    size_t m_kept = 0;  // events that stay as they are
};

}  // namespace coalesce
