#include "view/panel/frame_bound.h"

#include <algorithm>
#include <fmt/format.h>

namespace coalesce {

std::string boundOfFrame(const FrameShares& shares) {
    constexpr double kMost = 0.6, kIdle = 0.4;  // shares above which one bounds the frame, or nothing does
    const double simulation = shares.paused ? 0 : std::clamp(shares.simulation, 0.0, 1.0),
                 drawing = std::clamp(shares.drawing, 0.0, 1.0);
    const auto percent = [](double share) { return fmt::format("{:.0f} %", 100 * share); };
    if (drawing >= kMost && drawing >= simulation)
        return "Drawing bounds the frame rate, with " + percent(drawing) +
               " of the time. A draft (page Display), a lower render quality (key 9) or a smaller window "
               "makes it faster.";
    if (simulation >= kMost)
        return "The simulation bounds the frame rate, with " + percent(simulation) +
               " of the time. Fewer particles, substeps or iterations make it faster.";
    if (1 - simulation - drawing >= kIdle)
        return shares.paused
                   ? "Paused: the display's refresh bounds the frame rate."
                   : "The display's refresh bounds the frame rate: " + percent(1 - simulation - drawing) +
                         " of the time is free.";
    return "Simulation and drawing share the time: " + percent(simulation) + " and " + percent(drawing) + ".";
}

}  // namespace coalesce
