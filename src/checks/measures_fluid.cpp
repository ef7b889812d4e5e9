// Checks of liquids: density, surface, fronts, flow.
#include <algorithm>
#include <cmath>
#include <map>

#include "checks/check_options.h"
#include "checks/measures.h"
#include "checks/shape_distance.h"

namespace coalesce::measures {

namespace {

using Column = std::pair<int64_t, int64_t>;
Column columnOf(const Vec3d& p, double width) {
    return {int64_t(std::floor(p[0] / width)), int64_t(std::floor(p[2] / width))};
}

// Height of the highest particle in each column of the given width.
std::map<Column, double> topsOf(const ParticleSnapshot& now, const std::vector<uint32_t>& particles,
                                const Region& region, double width) {
    std::map<Column, double> tops;
    for (const uint32_t i : particles) {
        if (!region.has(now.x[i])) continue;
        const auto [it, isNew] = tops.try_emplace(columnOf(now.x[i], width), now.x[i][1]);
        if (!isNew) it->second = std::max(it->second, now.x[i][1]);
    }
    return tops;
}

// Value at a time, interpolated between frames.
double valueAt(const std::vector<std::array<double, 2>>& path, double time) {
    const auto after = std::lower_bound(path.begin(), path.end(), time,
                                        [](const auto& point, double t) { return point[0] < t; });
    if (after == path.begin()) return path.front()[1];
    if (after == path.end()) return path.back()[1];
    const auto before = after - 1;
    return (*before)[1] + ((*after)[1] - (*before)[1]) * (time - (*before)[0]) / ((*after)[0] - (*before)[0]);
}

// Records the number of particles that are beyond the plane in this frame, or have left the world there.
void recordPassed(const MeasureContext& s) {
    const Vec3d point = s.point("point").value_or(Vec3d{}),
                direction = s.point("direction").value_or(Vec3d{0, -1, 0});
    const auto beyond = [&](const Vec3d& x) { return dot(x - point, direction) > 0; };
    // a sink may be reached within the frame that passes the plane
    ParticleSnapshot& last = s.state.since;
    double gone = s.state.number.value_or(0);
    for (size_t k = 0; k < last.id.size(); ++k)
        if (!findId(s.now, last.id[k])) gone += beyond(last.x[k] + (s.now.time - last.time) * last.v[k]);
    s.state.number = gone;
    double passed = gone;
    last = {};
    last.time = s.now.time;
    for (const uint32_t i : s.selected) {
        passed += beyond(s.now.x[i]);
        last.id.push_back(s.now.id[i]), last.x.push_back(s.now.x[i]), last.v.push_back(s.now.v[i]);
    }
    s.state.path.push_back({s.now.time, passed});
}

// Volume fractions φ = Σ V_j W(x_ij, h_ij), over all particles, of the selected liquid ones in the region. Without wall
// terms, so φ is lower at walls.
std::vector<double> volumeFractions(const MeasureContext& s) {
    uint32_t materials = 0;  // with that of a ball thrown by the user
    for (const uint32_t phase : s.now.phase) materials = std::max(materials, materialOf(phase) + 1);
    std::vector<double> support, volume;
    double reach = 0;
    for (uint32_t m = 0; m < materials; ++m) {
        const MaterialProperties material = s.material(m);
        const double d = material.spacing, h = d * material.supportRatio;
        support.push_back(h);
        volume.push_back(latticeVolume(d, h, s.scene.parameters.solver.planar));
        reach = std::max(reach, h);
    }
    std::vector<double> fraction(s.now.x.size(), 0);
    HashGrid(s.now.x, reach).forEachPair([&](uint32_t i, uint32_t j, double r2) {
        const uint32_t a = materialOf(s.now.phase[i]), b = materialOf(s.now.phase[j]);
        fraction[i] += volume[b] * kernelOf(0.5 * (support[a] + support[b]), r2);
    });
    const Region region = s.region();
    std::vector<double> selected;
    for (const uint32_t i : s.selected)
        if (isFluid(s.material(s.now, i)) && region.has(s.now.x[i])) selected.push_back(fraction[i]);
    return selected;
}

double meanOf(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return values.empty() ? 0 : sum / double(values.size());
}

double medianOf(std::vector<double> values) {
    const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

Measured densityError(const MeasureContext& s) {
    std::vector<double> errors = volumeFractions(s);
    for (double& error : errors) error = std::max(0.0, error - 1);
    const std::string statistic = s.word("statistic", "mean");
    if (statistic == "mean" || errors.empty()) return meanOf(errors);
    const double share = statistic == "max" ? 1 : 0.99;
    const auto k = std::ptrdiff_t(std::lround(share * double(errors.size() - 1)));
    std::nth_element(errors.begin(), errors.begin() + k, errors.end());
    return errors[size_t(k)];
}

Measured volumeFraction(const MeasureContext& s) {
    return meanOf(volumeFractions(s));
}

// Mean height of the highest particle in columns of width 2 d, plus half a spacing for the particle itself.
Measured level(const MeasureContext& s) {
    const double d = s.spacing(s.selected[0]);
    const auto tops = topsOf(s.now, s.selected, s.region(), 2 * d);
    if (tops.empty()) return {};
    double sum = 0;
    for (const auto& [column, top] : tops) sum += top;
    return sum / double(tops.size()) + 0.5 * d;
}

// Share of a body below the level of the liquid: each particle is a cube of its spacing. Columns that the
// body occupies do not count for the level.
Measured submerged(const MeasureContext& s) {
    const std::vector<uint32_t> liquid = s.select(s.word("other", ""));
    if (liquid.empty()) return {};
    const double d = s.spacing(liquid[0]), width = 2 * d;
    auto tops = topsOf(s.now, liquid, s.region(), width);
    for (const uint32_t i : s.selected) {
        // columns that the particle overlaps
        const double r = 0.5 * s.spacing(i);
        for (const double x : {-r, r})
            for (const double z : {-r, r})
                tops.erase(columnOf({s.now.x[i][0] + x, 0, s.now.x[i][2] + z}, width));
    }
    if (tops.empty()) return {};
    double level = 0;
    for (const auto& [column, top] : tops) level += top;
    level = level / double(tops.size()) + 0.5 * d;
    double below = 0;
    for (const uint32_t i : s.selected) {
        const double own = s.spacing(i);
        below += std::clamp((level - s.now.x[i][1]) / own + 0.5, 0.0, 1.0);
    }
    return below / double(s.selected.size());
}

// Share of the submerged surface of a shape that has liquid near it, sampled at the centers of its triangles.
// Submerged: the surface of the liquid is farther above than liquid may be away. The surface is the median of
// the highest particles of the nine columns about it, 2 d wide: its own may hold none, and drops lie on the shape. Where a particle of radius d/2 does not fit is no surface for it: inside
// other parts, and in narrow gaps.
Measured wetted(const MeasureContext& s) {
    const std::string name = s.word("shape", "");
    const auto shape = std::find_if(s.now.shapes.begin(), s.now.shapes.end(),
                                    [&](const Shape& one) { return one.name == name; });
    if (shape == s.now.shapes.end() || !shape->geometry) return {};
    const double d = s.spacing(s.selected[0]), reach = s.number("distance", 1.5) * d;
    std::vector<Vec3d> liquid;
    for (const uint32_t i : s.selected) liquid.push_back(s.now.x[i]);
    const HashGrid near(liquid, reach);
    const auto tops = topsOf(s.now, s.selected, s.region(), 2 * d);
    const ShapeDistance distance(*shape, s.now.time);
    const Pose pose = poseAt(*shape, s.now.time);
    const TriangleMesh& surface = shape->geometry->surface;
    const auto inWorld = [&](uint32_t vertex) -> Vec3d {
        const Vec3d scaled = toDouble(surface.vertices[vertex]).cwiseProduct(toDouble(shape->scale));
        return toDouble(pose.position) + rotate(toDouble(pose.rotation), scaled);
    };
    double submerged = 0, wet = 0;
    for (const Triangle& t : surface.triangles) {
        const Vec3d a = inWorld(t[0]), b = inWorld(t[1]), c = inWorld(t[2]), at = (a + b + c) / 3;
        const Vec3d ab = b - a, ac = c - a, normal = cross(ab, ac);
        const double area = 0.5 * length(normal);
        const Column column = columnOf(at, 2 * d);
        std::vector<double> around;
        for (int64_t x = column.first - 1; x <= column.first + 1; ++x)
            for (int64_t z = column.second - 1; z <= column.second + 1; ++z)
                if (const auto found = tops.find({x, z}); found != tops.end())
                    around.push_back(found->second);
        if (!(area > 0) || around.empty() || medianOf(around) < at[1] + reach) continue;
        if (distance(at + 0.25 * d / area * normal) < 0.45 * d) continue;
        submerged += area;
        bool found = false;
        near.forEachNear(at, [&](uint32_t, double) { found = true; });
        if (found) wet += area;
    }
    if (submerged == 0) return {};
    return wet / submerged;
}

// Mean height of the highest 1 %.
Measured splash(const MeasureContext& s) {
    std::vector<double> heights;
    for (const uint32_t i : s.selected) heights.push_back(s.now.x[i][1]);
    const size_t top = std::max<size_t>(1, heights.size() / 100);
    std::nth_element(heights.begin(), heights.begin() + (top - 1), heights.end(), std::greater<>());
    double sum = 0;
    for (size_t i = 0; i < top; ++i) sum += heights[i];
    return sum / double(top);
}

// Position of the front along an axis.
Measured front(const MeasureContext& s) {
    const int axis = s.axis();
    if (s.word("mode", "percentile") == "percentile") {
        std::vector<double> values;
        for (const uint32_t i : s.selected) values.push_back(s.now.x[i][axis]);
        const double share = s.number("percentile", 99) / 100;
        const auto k = size_t(std::lround(share * double(values.size() - 1)));
        std::nth_element(values.begin(), values.begin() + k, values.end());
        return values[k];
    }
    // connected: the part connected to the rearmost particle over gaps of at most 1.5 d
    std::vector<Vec3d> points;
    double d = 0;
    for (const uint32_t i : s.selected) points.push_back(s.now.x[i]), d = std::max(d, s.spacing(i));
    const std::vector<uint32_t> part = connectedParts(points, 1.5 * d);
    uint32_t rearmost = 0;
    for (uint32_t i = 1; i < points.size(); ++i)
        if (points[i][axis] < points[rearmost][axis]) rearmost = i;
    double reached = points[rearmost][axis];
    for (uint32_t i = 0; i < points.size(); ++i)
        if (part[i] == part[rearmost]) reached = std::max(reached, points[i][axis]);
    return reached;
}

// The side is the one on which the front starts: falling particles pass a height from above.
Measured arrival(const MeasureContext& s) {
    const double beyond = *front(s) - s.number("position", 0);
    if (s.state.path.empty()) s.state.path.push_back({s.now.time, beyond});
    const bool fromAbove = s.state.path.front()[1] > 0;
    if (!s.state.number && (fromAbove ? beyond <= 0 : beyond >= 0)) s.state.number = s.now.time;
    return s.state.number;
}

Measured flow(const MeasureContext& s) {
    recordPassed(s);
    const auto &first = s.state.path.front(), &last = s.state.path.back();
    if (!(last[0] > first[0])) return {};
    return (last[1] - first[1]) / (last[0] - first[0]);
}

// Largest deviation of the rates in equal parts of the window from their mean, as a share of the mean.
Measured flowVariation(const MeasureContext& s) {
    recordPassed(s);
    const auto& path = s.state.path;
    const double from = path.front()[0], length = path.back()[0] - from;
    const auto parts = int(std::max(2.0, s.number("parts", 5)));
    const double total = path.back()[1] - path.front()[1];
    if (path.size() <= size_t(parts) || total == 0) return {};
    double worst = 0;
    for (int k = 0; k < parts; ++k) {
        const double passed =
            valueAt(path, from + length * (k + 1) / parts) - valueAt(path, from + length * k / parts);
        worst = std::max(worst, std::abs(passed * parts / total - 1));
    }
    return worst;
}

CheckOption frontMode() {
    return wordOption(
        "mode",
        "percentile (default): of the positions; connected: of the part connected to the rearmost "
        "particle over gaps of at most 1.5 d.",
        {"percentile", "connected"});
}
CheckOption frontPercentile() {
    return numberOption("percentile", "Percentile of the positions; 99 when omitted.");
}

}  // namespace

std::vector<CheckKind> fluidChecks() {
    return {
        {.name = "density_error",
         .measures =
             "max(0, φ − 1) over fluid particles; φ is a plain sum over particles, without wall terms",
         .value = densityError,
         .options = {wordOption("statistic",
                                "mean (default), p99 (99th percentile) or max over the particles.",
                                {"mean", "p99", "max"}),
                     regionMin(), regionMax()}},
        {.name = "volume_fraction",
         .measures = "mean φ of fluid particles, the plain sum over particles; 1 inside a liquid at rest "
                     "density, less at walls and at the surface",
         .value = volumeFraction,
         .options = {regionMin(), regionMax()}},
        {.name = "wetted",
         .measures =
             "share of the submerged surface of a convex, sdf or mesh that has liquid near it, where a "
             "particle fits; a point is submerged if the surface of the liquid is more than `distance` above "
             "it: the "
             "median of the highest particles of the 3 x 3 columns around it, each 2 d wide",
         .value = wetted,
         .options = {shapeOption(),
                     numberOption("distance",
                                  "Largest distance at which liquid counts as near [d]; 1.5 when omitted."),
                     regionMin(), regionMax()}},
        {.name = "level",
         .unit = "m",
         .measures =
             "height of the free surface: highest particle of each column 2 d wide, averaged, plus d/2",
         .value = level,
         .options = {regionMin(), regionMax(), unitSpacings()}},
        {.name = "submerged",
         .measures = "share of a body's particles, taken as cubes, below the level of a liquid; columns that "
                     "the body occupies do not count for the level",
         .value = submerged,
         .options = {required(wordOption("other", "The liquid: a body or material.")), regionMin(),
                     regionMax()}},
        {.name = "splash",
         .unit = "m",
         .measures = "mean height of the highest 1 % of the particles; in a window its peak",
         .over = CheckKind::Window::Peak,
         .value = splash,
         .options = {unitSpacings()}},
        {.name = "front",
         .unit = "m",
         .measures = "position of the front of the group along an axis",
         .over = CheckKind::Window::Peak,
         .value = front,
         .options = {axisOption(), frontMode(), frontPercentile(), unitSpacings()}},
        {.name = "arrival",
         .unit = "s",
         .measures = "time at which the front passes a position",
         .value = arrival,
         .options = {required(numberOption("position", "Position along the axis [m].")), axisOption(),
                     frontMode(), frontPercentile()},
         .everyFrame = true},
        {.name = "flow",
         .unit = "1/s",
         .measures = "particles per second that pass through a plane, over the whole window",
         .over = CheckKind::Window::Whole,
         .value = flow,
         .options = {required(pointOption("point", "A point on the plane [m].")), planeDirection()},
         .everyFrame = true},
        {.name = "flow_variation",
         .measures =
             "largest deviation of the flow in equal parts of the window from its mean, as a share of "
             "the mean",
         .over = CheckKind::Window::Whole,
         .value = flowVariation,
         .options = {required(pointOption("point", "A point on the plane [m].")), planeDirection(),
                     numberOption("parts", "Number of parts of the window; 5 when omitted.")},
         .everyFrame = true},
    };
}

}  // namespace coalesce::measures
