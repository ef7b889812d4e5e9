// The way back: states of the run so far, kept in memory as it goes on. No window, no OpenGL.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "scene/replay.h"
#include "scene/timeline.h"
#include "sim/world_copy.h"

namespace coalesce {

struct RewindLimits {
    float seconds = 10;     // of simulated time; 0: nothing is kept
    float perSecond = 10;   // states, per simulated second
    float megabytes = 512;  // of memory; what does not fit thins out the older ones
};

// All that a session needs to go on from a time.
struct PastState {
    WorldCopy world;
    Timeline::Progress timeline;
    std::vector<Edit> tweaks;                // what hands had changed by then
    std::vector<std::optional<Pose>> goals;  // of shapes that are being led
    size_t letters = 0;                      // of the replay that is being recorded
};

class Rewind {
public:
    RewindLimits limits;

    void clear() { m_states.clear(), m_bytes = 0; }
    // Whether the state of this time is to be kept, as the last before it is old enough.
    bool isDue(double time) const;
    // Ascending in time; of one frame the newer takes the place of the older. Gives up what is beyond the
    // limits: the oldest, and of the rest those that leave the smallest gaps for their age.
    void keep(PastState state);
    // What comes after this frame has not happened.
    void cutAfter(uint64_t frame);

    const std::deque<PastState>& states() const { return m_states; }
    // The newest that is not after this frame; the oldest if all are. Null: there is none.
    const PastState* find(uint64_t frame) const;
    size_t bytes() const { return m_bytes; }

private:
    void giveUp(size_t index);

    std::deque<PastState> m_states;
    size_t m_bytes = 0;
};

}  // namespace coalesce
