// What bounds the frame rate of the window, as a sentence.
#pragma once

#include <string>

namespace coalesce {

// Shares of wall time [-] over about a second.
struct FrameShares {
    double simulation = 0;
    double drawing = 0;  // of the render passes; 0: not measured
    bool paused = false;
};
// Names what takes most of the time, and what makes it faster; if neither takes it, the display's refresh.
std::string boundOfFrame(const FrameShares& shares);

}  // namespace coalesce
