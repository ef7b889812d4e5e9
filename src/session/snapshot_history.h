// The way back: states of the run so far, kept in memory as it goes on, and what was done between them, so
// that every frame can be had again. No window, no OpenGL.
#pragma once

#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "scene/timeline/timeline.h"
#include "session/replay.h"
#include "sim/state/world_snapshot.h"

namespace coalesce {

struct RewindLimits {
    float seconds = 10;     // of simulated time; 0: nothing is kept
    float perSecond = 10;   // states, per simulated second
    float megabytes = 512;  // of memory; what does not fit thins out the older ones
    bool operator==(const RewindLimits&) const = default;
};

// All that a session needs to go on from a time.
struct SessionSnapshot {
    WorldSnapshot world;
    Timeline::Progress timeline;
    std::vector<Edit> tweaks;                // what hands had changed by then
    std::vector<std::optional<Pose>> goals;  // of shapes that are being led
    size_t events = 0;                       // of the replay that is being recorded
    size_t changes = 0;                      // of its frame that it has in it, see RecordedFrame
};

// What a hand changed before a frame.
struct Change {
    enum class What { World, Edit, Goal };  // a value of now, of the next start, or where a shape is to go
    What what = What::World;
    Edit edit = {};
    size_t shape = 0;
    Pose goal = {};
};

// A frame as it was simulated: what it takes to do it again, to the last bit.
struct RecordedFrame {
    size_t events = 0;  // of the replay, before all changes
    std::vector<Change> changes = {};
    std::vector<UserCommand> commands = {};
    bool done = false;  // it was simulated; else one is about to
    double end = 0;     // [s] of the world after it
};

class SnapshotHistory {
public:
    void clear();
    const RewindLimits& limits() const { return m_limits; }
    // What is beyond them is given up at once; of nothing, all.
    void setLimits(const RewindLimits& limits);
    // Of the megabytes, where several sessions live on them together. What no longer fits is given up.
    void setShare(float share);
    // To be told of the world before each frame: when a state of it cannot be kept, as none shall be or it
    // alone is larger than the limit, there is no way back, and what was kept is given up.
    void see(const World& world);
    // Whether the state of this world is to be kept, as the last before it is old enough.
    bool isDue(const World& world) const;
    // Ascending in time; of one frame the newer takes the place of the older. Gives up what is beyond the
    // limits: the oldest, and of the rest those that leave the smallest gaps for their age. One that alone is
    // larger than the limit is not kept.
    void keep(SessionSnapshot state);
    // Whether this world fits in beside the oldest state, so that keeping it leaves a way back.
    bool hasRoomFor(const World& world) const;
    // What comes after this frame has not happened, nor have its own changes but the first ones.
    void cutAfter(uint64_t frame, size_t changes);

    const std::deque<SessionSnapshot>& states() const { return m_states; }
    // The newest that is not after this frame; the oldest if all are. Null: there is none.
    const SessionSnapshot* find(uint64_t frame) const;
    size_t bytes() const { return m_bytes; }
    // [bytes] of a state of the world as it was seen last, where that was too large to be kept; else 0.
    size_t tooLarge() const { return m_tooLarge; }

    // To write down what is done before and in this frame; null: there is no state to begin from.
    RecordedFrame* open(uint64_t frame, size_t events);
    // Of a frame since the oldest state; null: nothing was done there.
    const RecordedFrame* played(uint64_t frame) const;
    // How far the way leads forward.
    uint64_t lastFrame() const;
    // [s] of it; 0: there is no way.
    double lastTime() const;
    // Whose time [s] is nearest, from the oldest state to the last frame; nullopt: there is no way.
    std::optional<uint64_t> frameAt(double time) const;

private:
    double limitBytes() const { return 1e6 * double{m_limits.megabytes} * double{m_share}; }
    bool keepsNothing() const { return !(m_limits.seconds > 0) || !(m_limits.perSecond > 0); }
    void giveUp(size_t index);
    void trim();

    RewindLimits m_limits;
    std::deque<SessionSnapshot> m_states;
    std::deque<RecordedFrame> m_played;
    uint64_t m_firstPlayed = 0;  // frame of the first of them
    size_t m_bytes = 0, m_tooLarge = 0;
    float m_share = 1;
};

}  // namespace coalesce
