// Waves of liquids: how high, how fast they grow, how long they last.
#include <cmath>

#include "checks/measures.h"

namespace coalesce::measures {

// Amplitude of the group's columns at one wavelength, with its sign:
//     a = 2 H <cos(2π (x − x₀)/λ)>,   H the depth of the group at the start
// For an incompressible layer over a whole number of half wavelengths this is the cosine coefficient of its
// thickness, so that it sees less than a spacing: all particles count, and not only those at the surface.
static Measured columns(const MeasureContext& s, double length, double from) {
    const int axis = s.axis();
    const double pi = std::acos(-1.0);
    double sum = 0;
    for (const uint32_t i : s.selected) sum += std::cos(2 * pi * (s.now.x[i][axis] - from) / length);
    return 2 * sum / static_cast<double>(s.selected.size());
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

// Twice the mean time between changes of sign, found between frames by straight lines.
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

}  // namespace coalesce::measures
