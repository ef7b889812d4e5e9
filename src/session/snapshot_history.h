// Rewind history: snapshots of the run in memory, and the user input of the frames between them, so that
// every frame can be resimulated. No window, no OpenGL.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "scene/timeline/timeline.h"
#include "session/replay.h"
#include "sim/state/world_snapshot.h"

namespace coalesce {

struct RewindLimits {
    float seconds = 10;     // length in simulated time; 0: no snapshots
    float perSecond = 10;   // snapshots per simulated second
    float megabytes = 512;  // memory; beyond it, older snapshots are thinned out
    bool operator==(const RewindLimits&) const = default;
};

// State of a session at a frame.
struct SessionSnapshot {
    WorldSnapshot world;
    Timeline::Progress timeline;
    std::vector<Edit> edits;                   // by the user, up to this frame
    std::vector<std::optional<Pose>> targets;  // of shapes that are being moved
    size_t events = 0;                         // number recorded for the replay
    size_t changes = 0;  // number of changes of this frame that the world has, see RecordedFrame
};

// A change by the user before a frame.
struct Change {
    enum class What { World, Edit, Target };  // value of the world, of the edited scene, or target of a shape
    What what = What::World;
    Edit edit = {};
    size_t shape = 0;
    Pose target = {};
};

// User input of a frame: what it takes to resimulate it bit-identically.
struct RecordedFrame {
    size_t events = 0;  // number in the replay before all changes
    std::vector<Change> changes = {};
    std::vector<UserCommand> commands = {};
    bool done = false;  // it was simulated; false: it is the next frame
    double end = 0;     // [s] time of the world after it
};

class SnapshotHistory {
public:
    void clear();
    const RewindLimits& limits() const { return m_limits; }
    // Drops at once what exceeds the new limits.
    void setLimits(const RewindLimits& limits);
    // Share of the memory limit, where several sessions divide it. Drops what exceeds it.
    void setShare(float share);
    // To be called before each frame. Clears the history if snapshots are disabled, or if one snapshot of
    // this world exceeds the memory limit.
    void update(const World& world);
    // Whether it is time for a snapshot of this world.
    bool isDue(const World& world) const;
    // Adds a snapshot; replaces one of the same frame. Drops what exceeds the limits: the oldest, then those
    // that leave the smallest gaps relative to their age. A snapshot above the memory limit is not kept.
    void add(SessionSnapshot snapshot);
    // Whether a snapshot of this world fits beside the oldest one.
    bool fits(const World& world) const;
    // Gives every snapshot the edits that replace its own.
    void replaceEdits(const std::function<std::vector<Edit>(const std::vector<Edit>&)>& replace);
    // Visits all edits, of snapshots and of frames.
    void forEachEdit(const std::function<void(Edit&)>& visit);
    // Drops everything after this frame, and all but the first `changes` changes of the frame itself.
    void truncateAfter(uint64_t frame, size_t changes);

    // In ascending order of time.
    const std::deque<SessionSnapshot>& list() const { return m_snapshots; }
    // The newest that is not after this frame; the oldest if all are. Null: none.
    const SessionSnapshot* find(uint64_t frame) const;
    bool isDisabled() const { return !(m_limits.seconds > 0) || !(m_limits.perSecond > 0); }
    size_t bytes() const { return m_bytes; }
    // [bytes] of the memory limit, its share of it.
    double limitBytes() const { return 1e6 * double{m_limits.megabytes} * double{m_share}; }
    // [bytes] size of one snapshot of the last world, if it exceeds the memory limit; else 0.
    size_t oversizedBytes() const { return m_oversizedBytes; }

    // The record of this frame, which must be the last one or the next; null: no snapshot to start from.
    RecordedFrame* recordFrame(uint64_t frame, size_t events);
    // Null: before the oldest snapshot, or not simulated.
    const RecordedFrame* recordedFrame(uint64_t frame) const;
    // Whether this frame can be sought.
    bool reaches(uint64_t frame) const;
    // The last frame that can be sought.
    uint64_t lastFrame() const;
    // [s] time of the last frame; 0: no snapshots.
    double lastTime() const;
    // The frame nearest to this time [s]; nullopt: no snapshots.
    std::optional<uint64_t> frameAt(double time) const;

private:
    void drop(size_t index);
    void trim();

    RewindLimits m_limits;
    std::deque<SessionSnapshot> m_snapshots;
    std::deque<RecordedFrame> m_frames;
    uint64_t m_firstFrame = 0;  // frame number of m_frames[0]
    size_t m_bytes = 0, m_oversizedBytes = 0;
    float m_share = 1;
};

}  // namespace coalesce
