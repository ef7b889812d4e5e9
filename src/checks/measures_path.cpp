// Paths over time.
#include <algorithm>
#include <cmath>

#include "checks/measures.h"

namespace coalesce::measures {

namespace {

// Calls visit(way) with the displacement of each particle since a time; false before that time.
template <class Visit>
bool sinceThen(const MeasureContext& s, Visit&& visit) {
    if (s.now.time + 1e-6 < s.number("since", 0)) return false;
    if (s.state.since.id.empty()) s.state.since = s.now;
    for (const uint32_t i : s.selected)
        if (const auto before = findId(s.state.since, s.now.id[i]))
            visit(s.now.x[i] - s.state.since.x[*before]);
    return true;
}

// Component of a displacement along the check's direction; its length when none is given.
double along(const MeasureContext& s, const Vec3d& way) {
    const auto direction = s.point("direction");
    if (!direction) return std::sqrt(dot(way, way));
    return dot(way, *direction) / std::sqrt(dot(*direction, *direction));
}

std::optional<Vec3d> meanWay(const MeasureContext& s) {
    Vec3d mean;
    double n = 0;
    const bool begun = sinceThen(s, [&](const Vec3d& way) { mean += way, n += 1; });
    if (!begun || n == 0) return {};
    return mean / n;
}

}  // namespace

// RMS displacement.
Measured drift(const MeasureContext& s) {
    double sum = 0, n = 0;
    sinceThen(s, [&](const Vec3d& way) { sum += dot(way, way), n += 1; });
    return n > 0 ? Measured(std::sqrt(sum / n)) : std::nullopt;
}

Measured slide(const MeasureContext& s) {
    const auto way = meanWay(s);
    return way ? Measured(along(s, *way)) : std::nullopt;
}

// a of the parabola s₀ + v t + a t²/2 that fits the mean displacement best in the frames of the window.
Measured acceleration(const MeasureContext& s) {
    const auto way = meanWay(s);
    if (!way) return {};
    s.state.path.push_back({s.now.time, along(s, *way)});
    const auto& path = s.state.path;
    if (path.size() < 4) return {};
    // least squares with polynomials orthogonal over the frames: 1, τ, τ² − b τ − c
    const auto n = static_cast<double>(path.size());
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

// Heights of the maxima of the mean height above a surface, against the start or the maximum before.
Measured bounce(const MeasureContext& s) {
    double mean = 0;
    for (const uint32_t i : s.selected) mean += s.now.x[i][1] / static_cast<double>(s.selected.size());
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
    if (statistic == "count") return static_cast<double>(maxima.size());
    if (maxima.empty()) return {};
    if (statistic == "kept") return maxima.back() / path.front()[1];
    return maxima.back() / (maxima.size() > 1 ? maxima[maxima.size() - 2] : path.front()[1]);
}

}  // namespace coalesce::measures
