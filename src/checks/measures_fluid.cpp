// What a liquid does: density, surface, fronts, flow.
#include <algorithm>
#include <cmath>
#include <map>

#include "checks/measures.h"

namespace coalesce::measures {

namespace {

using Column = std::pair<int64_t, int64_t>;
Column columnOf(const Vec3d& p, double width) {
    return {static_cast<int64_t>(std::floor(p[0] / width)), static_cast<int64_t>(std::floor(p[2] / width))};
}

// Height of the highest of these particles in each column of this width.
std::map<Column, double> topsOf(const Snapshot& now, const std::vector<uint32_t>& particles,
                                const Region& region, double width) {
    std::map<Column, double> tops;
    for (const uint32_t i : particles) {
        if (!region.has(now.x[i])) continue;
        const auto [it, fresh] = tops.try_emplace(columnOf(now.x[i], width), now.x[i][1]);
        if (!fresh) it->second = std::max(it->second, now.x[i][1]);
    }
    return tops;
}

// The value at a time between two frames.
double valueAt(const std::vector<std::array<double, 2>>& path, double time) {
    const auto after = std::lower_bound(path.begin(), path.end(), time,
                                        [](const auto& point, double t) { return point[0] < t; });
    if (after == path.begin()) return path.front()[1];
    if (after == path.end()) return path.back()[1];
    const auto before = after - 1;
    return (*before)[1] + ((*after)[1] - (*before)[1]) * (time - (*before)[0]) / ((*after)[0] - (*before)[0]);
}

// Particles past the plane, noted frame by frame.
void notePassed(const MeasureContext& s) {
    const Vec3d point = s.point("point").value_or(Vec3d{}),
                direction = s.point("direction").value_or(Vec3d{0, -1, 0});
    double passed = 0;
    for (const uint32_t i : s.selected) passed += dot(s.now.x[i] - point, direction) > 0;
    s.state.path.push_back({s.now.time, passed});
}

}  // namespace

// max(0, φ − 1) over the selected particles: φ = Σ V_j W(x_ij, h_ij) over all. Walls add nothing, so φ is
// lower there.
Measured densityError(const MeasureContext& s) {
    std::vector<double> support, volume;
    double reach = 0;
    for (const Material& material : s.scene.materials) {
        const double d = material.properties.spacing, h = d * material.properties.supportRatio;
        support.push_back(h);
        volume.push_back(latticeVolume(d, h, s.scene.parameters.solver.planar));
        reach = std::max(reach, h);
    }
    std::vector<double> fraction(s.now.x.size(), 0);
    PointGrid(s.now.x, reach).forEachPair([&](uint32_t i, uint32_t j, double r2) {
        const uint32_t a = materialOf(s.now.phase[i]), b = materialOf(s.now.phase[j]);
        fraction[i] += volume[b] * kernelOf(0.5 * (support[a] + support[b]), r2);
    });
    const Region region = s.region();
    double sum = 0, worst = 0;
    size_t n = 0;
    for (const uint32_t i : s.selected) {
        if (!region.has(s.now.x[i])) continue;
        const double error = std::max(0.0, fraction[i] - 1);
        sum += error, worst = std::max(worst, error), ++n;
    }
    if (s.word("statistic", "mean") == "max") return worst;
    return n ? sum / static_cast<double>(n) : 0;
}

// Mean height of the highest particle in columns of width 2 d, and half a spacing for the particle itself.
Measured level(const MeasureContext& s) {
    const double d = s.spacing(s.selected[0]);
    const auto tops = topsOf(s.now, s.selected, s.region(), 2 * d);
    if (tops.empty()) return {};
    double sum = 0;
    for (const auto& [column, top] : tops) sum += top;
    return sum / static_cast<double>(tops.size()) + 0.5 * d;
}

// Share of a body below the level of the liquid: each particle is a cube of its spacing. Columns in which
// the body itself stands say nothing about the level.
Measured submerged(const MeasureContext& s) {
    const std::vector<uint32_t> liquid = s.select(s.word("other", ""));
    if (liquid.empty()) return {};
    const double d = s.spacing(liquid[0]), width = 2 * d;
    auto tops = topsOf(s.now, liquid, s.region(), width);
    for (const uint32_t i : s.selected) {
        // the cells that the particle reaches into
        const double r = 0.5 * s.spacing(i);
        for (const double x : {-r, r})
            for (const double z : {-r, r})
                tops.erase(columnOf({s.now.x[i][0] + x, 0, s.now.x[i][2] + z}, width));
    }
    if (tops.empty()) return {};
    double level = 0;
    for (const auto& [column, top] : tops) level += top;
    level = level / static_cast<double>(tops.size()) + 0.5 * d;
    double below = 0;
    for (const uint32_t i : s.selected) {
        const double own = s.spacing(i);
        below += std::clamp((level - s.now.x[i][1]) / own + 0.5, 0.0, 1.0);
    }
    return below / static_cast<double>(s.selected.size());
}

// Mean height of the highest 1 %.
Measured splash(const MeasureContext& s) {
    std::vector<double> heights;
    for (const uint32_t i : s.selected) heights.push_back(s.now.x[i][1]);
    const size_t top = std::max<size_t>(1, heights.size() / 100);
    std::nth_element(heights.begin(), heights.begin() + (top - 1), heights.end(), std::greater<>());
    double sum = 0;
    for (size_t i = 0; i < top; ++i) sum += heights[i];
    return sum / static_cast<double>(top);
}

// How far the liquid has come along an axis.
Measured front(const MeasureContext& s) {
    const int axis = s.axis();
    if (s.word("mode", "percentile") == "percentile") {
        std::vector<double> values;
        for (const uint32_t i : s.selected) values.push_back(s.now.x[i][axis]);
        const double share = s.number("percentile", 99) / 100;
        const auto k = static_cast<size_t>(std::lround(share * static_cast<double>(values.size() - 1)));
        std::nth_element(values.begin(), values.begin() + k, values.end());
        return values[k];
    }
    // connected: what hangs together with the hindmost particle, over gaps of at most 1.5 d
    std::vector<Vec3d> points;
    double d = 0;
    for (const uint32_t i : s.selected) points.push_back(s.now.x[i]), d = std::max(d, s.spacing(i));
    const std::vector<uint32_t> part = connectedParts(points, 1.5 * d);
    uint32_t hindmost = 0;
    for (uint32_t i = 1; i < points.size(); ++i)
        if (points[i][axis] < points[hindmost][axis]) hindmost = i;
    double reached = points[hindmost][axis];
    for (uint32_t i = 0; i < points.size(); ++i)
        if (part[i] == part[hindmost]) reached = std::max(reached, points[i][axis]);
    return reached;
}

// From the side on which the front is first seen: what falls passes a height from above.
Measured arrival(const MeasureContext& s) {
    const double beyond = *front(s) - s.number("position", 0);
    if (s.state.path.empty()) s.state.path.push_back({s.now.time, beyond});
    const bool fromAbove = s.state.path.front()[1] > 0;
    if (!s.state.number && (fromAbove ? beyond <= 0 : beyond >= 0)) s.state.number = s.now.time;
    return s.state.number;
}

Measured flow(const MeasureContext& s) {
    notePassed(s);
    const auto &first = s.state.path.front(), &last = s.state.path.back();
    if (!(last[0] > first[0])) return {};
    return (last[1] - first[1]) / (last[0] - first[0]);
}

// Largest distance of the rates in equal parts of the window from their mean, as a share of it.
Measured flowVariation(const MeasureContext& s) {
    notePassed(s);
    const auto& path = s.state.path;
    const double from = path.front()[0], length = path.back()[0] - from;
    const auto parts = static_cast<int>(std::max(2.0, s.number("parts", 5)));
    const double total = path.back()[1] - path.front()[1];
    if (path.size() <= static_cast<size_t>(parts) || total == 0) return {};
    double worst = 0;
    for (int k = 0; k < parts; ++k) {
        const double passed =
            valueAt(path, from + length * (k + 1) / parts) - valueAt(path, from + length * k / parts);
        worst = std::max(worst, std::abs(passed * parts / total - 1));
    }
    return worst;
}

}  // namespace coalesce::measures
