// What bounds the frame rate of the window, and what makes it faster, as a line for the user.
#pragma once

#include <string>

namespace coalesce {

// Shares of wall time [-] over about a second.
struct FrameShares {
    double simulation = 0;
    double drawing = 0;  // of the render passes; 0: not measured
    bool paused = false;
    double frameMs = 0;  // [ms] between two displayed frames
};

// What can still be made faster.
struct FrameChoices {
    std::string software = {};   // name of an OpenGL renderer that runs on the CPU; empty: a GPU
    bool draft = false;          // the view is a draft already
    bool points = false;         // the particles are drawn as points already
    bool sizes = false;          // the scene has sizes
    int threads = 1, cores = 1;  // threads used, and those the computer has; 0 threads: on a GPU
};

// Names what takes most of the time, and what makes it faster; if neither takes it, the display's refresh.
std::string boundOfFrame(const FrameShares& shares, const FrameChoices& choices);

}  // namespace coalesce
