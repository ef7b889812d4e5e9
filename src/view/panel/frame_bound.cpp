#include "view/panel/frame_bound.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <vector>

namespace coalesce {

namespace {

constexpr double kIdle = 0.4;     // share of time that is free above which nothing bounds the frame
constexpr double kSlow = 100;     // [ms] a frame that no display is the reason of
constexpr double kAlike = 0.1;    // shares that differ by less are called alike
constexpr double kNoticed = 0.2;  // a smaller share is not mentioned

std::string percent(double share) {
    return fmt::format("{:.0f} %", 100 * share);
}

// "A, B, or c" as a sentence; ways begin with small letters.
std::string sentence(std::vector<std::string> ways) {
    ways[0][0] = char(ways[0][0] - 'a' + 'A');
    const std::string last = ways.back();
    ways.pop_back();
    if (ways.empty()) return last + ".";
    return fmt::format("{}{} or {}.", fmt::join(ways, ", "), ways.size() > 1 ? "," : "", last);
}

std::string adviceForDrawing(const FrameChoices& choices) {
    std::vector<std::string> ways{"make the window smaller"};
    if (!choices.draft) ways.emplace_back("choose a draft (page Display)");
    if (!choices.points) ways.emplace_back("draw points (key 9)");
    const std::string why =
        choices.software.empty() ? "" : "OpenGL runs in software (" + choices.software + "). ";
    return why + sentence(ways);
}

std::string adviceForSolving(const FrameChoices& choices) {
    std::vector<std::string> ways{"take fewer substeps or iterations (page Parameters)"};
    ways.emplace_back(choices.sizes ? "open a smaller size" : "a coarser spacing (page Materials)");
    if (choices.threads > 0 && choices.threads < choices.cores)
        ways.push_back(fmt::format("more threads than {} (--threads {})", choices.threads, choices.cores));
    return sentence(ways);
}

}  // namespace

std::string boundOfFrame(const FrameShares& shares, const FrameChoices& choices) {
    const double solving = shares.paused ? 0 : std::clamp(shares.simulation, 0.0, 1.0),
                 drawing = std::clamp(shares.drawing, 0.0, 1.0), idle = 1 - solving - drawing;
    if (idle >= kIdle && shares.frameMs > kSlow)
        return "Neither drawing nor solving limits the frame rate: " + percent(idle) +
               " of the time goes to other programs, or to showing the window.";
    if (idle >= kIdle)
        return shares.paused ? "Paused: the display's refresh bounds the frame rate."
                             : "The display's refresh bounds the frame rate: " + percent(idle) +
                                   " of the time is free.";
    if (std::abs(solving - drawing) < kAlike)
        return fmt::format("Drawing and solving take about as long ({} and {}). {} {}", percent(drawing),
                           percent(solving), adviceForDrawing(choices), adviceForSolving(choices));
    const bool draws = drawing > solving;
    const double other = std::min(drawing, solving);
    // shares of more than a whole: they overlap
    return fmt::format("{} takes most of the time ({}{}{}). {}", draws ? "Drawing" : "Solving",
                       percent(std::max(drawing, solving)),
                       other < kNoticed ? "" : (draws ? "; solving " : "; drawing ") + percent(other),
                       drawing + solving > 1.05 ? " meanwhile" : "",
                       draws ? adviceForDrawing(choices) : adviceForSolving(choices));
}

}  // namespace coalesce
