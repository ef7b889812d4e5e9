// Checks of waves on liquids: height, growth rate, period.
#include <cmath>
#include <numbers>

#include "checks/check_options.h"
#include "checks/measures.h"

namespace coalesce::measures {

namespace {

// Amplitude of the group's columns at one wavelength, with its sign:
//     a = 2 H <cos(2π (x − x₀)/λ)>,   H the depth of the group at the start
// For an incompressible layer over a whole number of half wavelengths this is the cosine coefficient of its
// thickness. It resolves less than a spacing, since all particles count, not only those at the surface.
Measured columns(const MeasureContext& s, double length, double from) {
    const int axis = s.axis();
    const double pi = std::numbers::pi;
    double sum = 0;
    for (const uint32_t i : s.selected) sum += std::cos(2 * pi * (s.now.x[i][axis] - from) / length);
    return 2 * sum / double(s.selected.size());
}

Measured waveHeight(const MeasureContext& s) {
    const auto share = columns(s, s.number("length", 1), s.number("position", 0));
    return *share * s.number("depth", 1);
}

// Least squares of ln |a| over the frames of the window, as long as |a| has not passed `until`.
Measured waveGrowth(const MeasureContext& s) {
    auto& path = s.state.path;
    const double a = std::abs(*waveHeight(s)), until = s.number("until", 1e300);
    if (!s.state.number && a > until) s.state.number = s.now.time;
    if (a > 0 && !s.state.number) path.push_back({s.now.time, std::log(a)});
    if (path.size() < 3) return {};
    double n = 0, t = 0, y = 0, tt = 0, ty = 0;
    for (const auto& [time, value] : path)
        n += 1, t += time, y += value, tt += time * time, ty += time * value;
    return (n * ty - t * y) / (n * tt - t * t);
}

// Twice the mean time between changes of sign, linearly interpolated between frames.
Measured wavePeriod(const MeasureContext& s) {
    auto& path = s.state.path;
    path.push_back({s.now.time, *waveHeight(s)});
    double first = 0, last = 0, changes = 0;
    for (size_t k = 1; k < path.size(); ++k) {
        const double before = path[k - 1][1], after = path[k][1];
        if ((before < 0) == (after < 0)) continue;
        last = path[k - 1][0] + (path[k][0] - path[k - 1][0]) * before / (before - after);
        if (changes == 0) first = last;
        changes += 1;
    }
    if (changes < 3) return {};
    return 2 * (last - first) / (changes - 1);
}

}  // namespace

std::vector<CheckKind> waveChecks() {
    const std::vector<CheckOption> waves{
        axisOption(), required(numberOption("length", "Wavelength [m].")),
        numberOption("position", "Of a crest along the axis [m]; 0 when omitted."),
        required(numberOption("depth", "Depth of the layer at rest [m]."))};
    std::vector<CheckOption> growing = waves;
    growing.push_back(numberOption("until", "The fit ends when the wave exceeds this height [m]."));
    return {
        {.name = "wave_height",
         .unit = "m",
         .measures = "amplitude of the cosine of one wavelength in the thickness of a layer, with its sign: "
                     "2 depth <cos(2π (x − position)/length)> over its particles",
         .value = waveHeight,
         .options = waves},
        {.name = "wave_growth",
         .unit = "1/s",
         .measures =
             "exponential growth rate of the wave height, fitted to its logarithm over the frames of the "
             "window",
         .over = CheckKind::Window::Whole,
         .value = waveGrowth,
         .options = growing},
        {.name = "wave_period",
         .unit = "s",
         .measures =
             "period of the wave height: twice the mean time between its changes of sign in the window",
         .over = CheckKind::Window::Whole,
         .value = wavePeriod,
         .options = waves},
    };
}

}  // namespace coalesce::measures
