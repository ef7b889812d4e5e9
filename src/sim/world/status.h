// What happened in a frame: overflows with the capacity they needed, values that were not finite, clamped
// speeds.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/particles/status_block.h"

namespace coalesce {

struct Status {
    StatusBlock worst;       // over the frame
    int redone = 0;          // how often the frame was redone with more room
    bool truncated = false;  // policy clamp: lists were cut
    int ballsBlocked = 0;    // that hands threw to where there was no room
    int jetsBlocked = 0;     // that hands poured, of which nothing found room
    // One line for overlay and log; empty when there is nothing to say.
    std::string message() const;
};

}  // namespace coalesce
