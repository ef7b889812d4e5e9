// A recorded session: which scene it played, what hands did and which values changed, frame by frame, and the
// hashes of its states. Played again, it ends in the same state to the last bit.
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
    uint64_t frame = 0;  // before which it is opened
    std::variant<UserCommand, Edit> content;
    int line = 0;  // in the file
};

struct StateMark {
    uint64_t frame = 0;
    uint64_t hash = 0;
};

struct Replay {
    std::filesystem::path file;   // "" before it is written
    std::filesystem::path scene;  // in the file: counted from the file's own folder
    SceneChoice choice;
    std::vector<InputEvent> events;  // by frame
    std::vector<StateMark> marks;    // by frame; the first is the start of the session, the last its end

    uint64_t first() const { return marks.front().frame; }
    uint64_t last() const { return marks.back().frame; }
};

// Every mistake is reported with line and path: SceneError.
Replay readReplay(const std::filesystem::path& file);
// All of it or nothing. Exit::Output.
void writeReplay(const Replay& replay, const std::filesystem::path& file);

// Plays the letters of a replay into a world, and compares the states.
class ReplayPlayer {
public:
    // Refuses edits that the scene has no place for: Exit::Scene, with the line in the replay.
    ReplayPlayer(Replay replay, const Scene& scene);
    // Once, when the world is built or loaded: values are as they were at its frame, and the state is the
    // recorded one. A world from before the session's start is refused: Exit::Scene.
    void begin(World& world);
    // Before each frame, and before the timeline: opens its letters.
    void advance(World& world);
    // After each frame: where the session was marked, the hashes must be equal. Exit::Expect.
    void check(World& world);
    uint64_t last() const { return m_replay.last(); }
    size_t compared() const { return m_compared; }  // states

private:
    void open(World& world, const InputEvent& event, bool commands);

    Replay m_replay;
    size_t m_next = 0;                // letter
    size_t m_compared = 0;            // marks that were equal
    std::optional<uint64_t> m_equal;  // the last frame that was
};

// Takes down a session as it goes.
class ReplayRecorder {
public:
    // The session begins with this world. tweaks: what differs from the scene that the choice gives.
    void begin(const Scene& scene, const SceneChoice& choice, const std::vector<Edit>& tweaks, World& world);
    void note(uint64_t frame, const Edit& edit);
    void note(uint64_t frame, const UserCommand& command);
    // After a frame; the state is marked once in a while.
    void mark(World& world);
    size_t events() const { return m_replay.events.size(); }
    // What came after the start of this frame, when there were so many letters, has not happened: the session
    // goes on from there.
    void cutTo(uint64_t frame, size_t events);
    // Marks the end and writes it all.
    void write(World& world, const std::filesystem::path& file);

private:
    Replay m_replay;
};

}  // namespace coalesce
