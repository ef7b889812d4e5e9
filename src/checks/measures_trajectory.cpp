// Checks of trajectories: displacement, acceleration, bounces.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "checks/check_options.h"
#include "checks/measures.h"

namespace coalesce::measures {

namespace {

// visit(displacement) for each particle since the reference time; false before that time.
template <class Visit>
bool forEachDisplacement(const MeasureContext& s, Visit&& visit) {
    if (s.now.time + 1e-6 < s.number("since", 0)) return false;
    if (s.state.since.id.empty()) s.state.since = s.now;
    for (const uint32_t i : s.selected)
        if (const auto before = findId(s.state.since, s.now.id[i]))
            visit(s.now.x[i] - s.state.since.x[*before]);
    return true;
}

// Component of a displacement along the check's direction; its length when none is given.
double along(const MeasureContext& s, const Vec3d& displacement) {
    const auto direction = s.point("direction");
    if (!direction) return std::sqrt(dot(displacement, displacement));
    return dot(displacement, *direction) / std::sqrt(dot(*direction, *direction));
}

std::optional<Vec3d> meanDisplacement(const MeasureContext& s) {
    Vec3d mean;
    double n = 0;
    const bool begun =
        forEachDisplacement(s, [&](const Vec3d& displacement) { mean += displacement, n += 1; });
    if (!begun || n == 0) return {};
    return mean / n;
}

// RMS displacement.
Measured drift(const MeasureContext& s) {
    double sum = 0, n = 0;
    forEachDisplacement(s,
                        [&](const Vec3d& displacement) { sum += dot(displacement, displacement), n += 1; });
    return n > 0 ? Measured(std::sqrt(sum / n)) : std::nullopt;
}

Measured slide(const MeasureContext& s) {
    const auto mean = meanDisplacement(s);
    return mean ? Measured(along(s, *mean)) : std::nullopt;
}

// a of the parabola s₀ + v t + a t²/2 that fits the mean displacement best in the frames of the window.
Measured acceleration(const MeasureContext& s) {
    const auto mean = meanDisplacement(s);
    if (!mean) return {};
    s.state.path.push_back({s.now.time, along(s, *mean)});
    const auto& path = s.state.path;
    if (path.size() < 4) return {};
    // least squares with polynomials orthogonal over the frames: 1, τ, τ² − b τ − c
    const auto n = double(path.size());
    double middle = 0;
    for (const auto& [t, value] : path) middle += t / n;
    double m2 = 0, m3 = 0;
    for (const auto& [t, value] : path) {
        const double u = t - middle;
        m2 += u * u, m3 += u * u * u;
    }
    const double b = m3 / m2, c = m2 / n;
    double top = 0, bottom = 0;
    for (const auto& [t, value] : path) {
        const double u = t - middle, q = u * u - b * u - c;
        top += q * value, bottom += q * q;
    }
    return 2 * top / bottom;
}

// Maxima of the mean height above a surface, relative to the start or to the previous maximum.
Measured bounce(const MeasureContext& s) {
    double mean = 0;
    for (const uint32_t i : s.selected) mean += s.now.x[i][1] / double(s.selected.size());
    // the center of a particle at rest on the surface has height 0
    auto& path = s.state.path;
    path.push_back({s.now.time, mean - s.number("surface", 0) - 0.5 * s.spacing(s.selected[0])});
    std::vector<double> maxima;
    for (size_t i = 1; i + 1 < path.size(); ++i) {
        const double before = path[i - 1][1], at = path[i][1], after = path[i + 1][1];
        if (!(at > before && at >= after)) continue;
        // the vertex of the parabola through three frames
        const double bend = before - 2 * at + after;
        maxima.push_back(at - (after - before) * (after - before) / (8 * bend));
    }
    const std::string statistic = s.word("statistic", "kept");
    if (statistic == "count") return double(maxima.size());
    if (maxima.empty()) return {};
    if (statistic == "kept") return maxima.back() / path.front()[1];
    return maxima.back() / (maxima.size() > 1 ? maxima[maxima.size() - 2] : path.front()[1]);
}

// Turns of the center of what is in the region about a vertical axis: the angle is added up from frame to frame,
// with its sign. After frames without particles it starts anew; past the axis it goes the shorter way.
Measured turns(const MeasureContext& s) {
    const Region region = s.region();
    Vec3d center;
    double n = 0;
    for (const uint32_t i : s.selected)
        if (region.has(s.now.x[i])) center += s.now.x[i], n += 1;
    auto& path = s.state.path;
    const Vec3d arm = n > 0 ? center / n - s.point("around").value_or(Vec3d{}) : Vec3d{};
    const double least = s.number("least", 0);
    if (n > 0 && std::hypot(arm[0], arm[2]) >= least) {
        const double angle = std::atan2(arm[0], arm[2]);
        double& swept = s.state.number.emplace(s.state.number.value_or(0));  // [rad]
        if (!path.empty()) swept += std::remainder(angle - path.back()[1], 2 * std::numbers::pi);
        path = {{s.now.time, angle}};
    } else if (n == 0) {
        path.clear();
    } else if (!s.state.number) {
        s.state.number = 0;
    }
    if (!s.state.number) return {};
    return std::abs(*s.state.number) / (2 * std::numbers::pi);
}

}  // namespace

std::vector<CheckKind> trajectoryChecks() {
    return {
        {.name = "drift",
         .unit = "m",
         .measures = "RMS displacement of the particles",
         .value = drift,
         .options = {sinceTime(), unitSpacings()},
         .everyFrame = true},
        {.name = "slide",
         .unit = "m",
         .measures = "mean displacement of the group",
         .value = slide,
         .options = {sinceTime(), displacementDirection(), unitSpacings()},
         .everyFrame = true},
        {.name = "acceleration",
         .unit = "m/s^2",
         .measures =
             "acceleration of the group: parabola fitted to its mean displacement in all frames of the "
             "window",
         .over = CheckKind::Window::Whole,
         .value = acceleration,
         .options = {displacementDirection()},
         .everyFrame = true},
        {.name = "bounce",
         .measures = "last maximum of the group's mean height above contact with a surface",
         .value = bounce,
         .options = {numberOption("surface", "Height of the surface [m]; 0 when omitted."),
                     wordOption("statistic",
                                "kept (default): relative to the height at the start; ratio: relative to the "
                                "previous maximum; count: number of maxima.",
                                {"kept", "ratio", "count"})},
         .everyFrame = true},
        {.name = "turns",
         .measures = "turns of the center of the particles in a region about a vertical axis: the net angle "
                     "over 360°, "
                     "either way; less than half a turn per frame",
         .over = CheckKind::Window::Whole,
         .value = turns,
         .options = {pointOption("around", "A point of the axis [m]; the origin when omitted."),
                     numberOption("least",
                                  "Distance from the axis below which an angle does not count [m]; 0 when "
                                  "omitted."),
                     regionMin(), regionMax()},
         .everyFrame = true,
         .allowsEmptyGroup = true},
    };
}

}  // namespace coalesce::measures
