// Checks of groups of particles: extent, position, speed, contacts.
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include "checks/check_options.h"
#include "checks/expect.h"
#include "checks/measures.h"
#include "geometry/math/hash_grid.h"

namespace coalesce::measures {

namespace {

std::vector<uint32_t> inRegion(const ParticleSnapshot& of, const std::vector<uint32_t>& particles,
                               const Region& region) {
    std::vector<uint32_t> in;
    for (const uint32_t i : particles)
        if (region.has(of.x[i])) in.push_back(i);
    return in;
}

// Extent of the particles along an axis, including their radii.
double extent(const MeasureContext& s, const ParticleSnapshot& of, const std::vector<uint32_t>& particles,
              int axis) {
    double low = 1e300, high = -1e300;
    for (const uint32_t i : particles) {
        const double r = 0.5 * s.spacing(of, i);
        low = std::min(low, of.x[i][axis] - r), high = std::max(high, of.x[i][axis] + r);
    }
    return high - low;
}

// Extent along y, up to a percentile of the heights.
double heightOf(const MeasureContext& s, const ParticleSnapshot& of, const std::vector<uint32_t>& particles) {
    std::vector<double> heights;
    double low = 1e300;
    for (const uint32_t i : particles) {
        const double r = 0.5 * s.spacing(of, i);
        heights.push_back(of.x[i][1] + r);
        low = std::min(low, of.x[i][1] - r);
    }
    const double share = s.number("percentile", 100) / 100;
    const auto k = size_t(std::lround(share * double(heights.size() - 1)));
    std::nth_element(heights.begin(), heights.begin() + std::ptrdiff_t(k), heights.end());
    return heights[k] - low;
}

// The face through which the segment from a to b leaves a region: 2 · axis, + 1 for the upper side.
int exitFace(const Region& region, const Vec3d& a, const Vec3d& b) {
    double earliest = 2;
    int face = 0;
    for (int k = 0; k < 3; ++k)
        for (const bool upper : {false, true}) {
            const double wall = upper ? region.high[k] : region.low[k];
            if (upper ? !(b[k] > wall) : !(b[k] < wall)) continue;
            const double t = (wall - a[k]) / (b[k] - a[k]);
            if (t < earliest) earliest = t, face = 2 * k + upper;
        }
    return face;
}

// Whether a particle passed through a plane, or through a side of the region that is not open.
bool hasCrossed(const MeasureContext& s, const Region& region, int open, const Vec3d& a, const Vec3d& b) {
    if (const auto point = s.point("point")) {
        const Vec3d direction = s.point("direction").value_or(Vec3d{0, -1, 0});
        const double before = dot(a - *point, direction), after = dot(b - *point, direction);
        if (before > 0 || !(after > 0)) return false;
        return region.has(a + (b - a) * before / (before - after));
    }
    const bool in = region.has(a), stays = region.has(b);
    if (in == stays) return false;
    return (in ? exitFace(region, a, b) : exitFace(region, b, a)) != open;
}

Measured height(const MeasureContext& s) {
    const Region region = s.region();
    const std::vector<uint32_t> present = inRegion(s.now, s.selected, region);
    if (s.check.words.contains("unit")) return present.empty() ? 0 : heightOf(s, s.now, present);
    const std::vector<uint32_t> before = inRegion(s.start, sameAt(s.start, s.now, s.selected), region);
    if (before.empty()) return {};
    return present.empty() ? 0 : heightOf(s, s.now, present) / heightOf(s, s.start, before);
}

Measured width(const MeasureContext& s) {
    const auto larger = [&](const ParticleSnapshot& of, const std::vector<uint32_t>& particles) {
        return std::max(extent(s, of, particles, 0), extent(s, of, particles, 2));
    };
    if (s.check.words.contains("unit")) return larger(s.now, s.selected);
    const std::vector<uint32_t> before = sameAt(s.start, s.now, s.selected);
    if (before.empty()) return {};
    return larger(s.now, s.selected) / larger(s.start, before);
}

// Slope of a heap [deg]: the tops of columns 2 d wide are averaged in rings 2 d wide about the axis, and a
// line is fitted to the rings between two shares of the height: the tip is rounded, and the foot runs out.
Measured angle(const MeasureContext& s) {
    const std::vector<uint32_t> heap = inRegion(s.now, s.selected, s.region());
    if (heap.empty()) return {};
    const double width = 2 * s.spacing(heap[0]);
    Vec3d middle;
    for (const uint32_t i : heap) middle += s.now.x[i] / double(heap.size());
    middle = s.point("center").value_or(middle);

    std::map<std::pair<int64_t, int64_t>, double> tops;  // of columns, counted from the middle
    double foot = 1e300;
    for (const uint32_t i : heap) {
        const Vec3d& p = s.now.x[i];
        foot = std::min(foot, p[1]);
        const auto column = std::pair(int64_t(std::floor((p[0] - middle[0]) / width)),
                                      int64_t(std::floor((p[2] - middle[2]) / width)));
        const auto [it, isNew] = tops.try_emplace(column, p[1]);
        if (!isNew) it->second = std::max(it->second, p[1]);
    }
    struct Ring {
        double radius = 0, height = 0, columns = 0;
    };
    std::map<int64_t, Ring> rings;
    for (const auto& [column, top] : tops) {
        const double radius = width * std::hypot(double(column.first) + 0.5, double(column.second) + 0.5);
        Ring& ring = rings[int64_t(radius / width)];
        ring.radius += radius, ring.height += top - foot, ring.columns += 1;
    }
    double peak = 0;
    for (auto& [index, ring] : rings) {
        ring.radius /= ring.columns, ring.height /= ring.columns;
        peak = std::max(peak, ring.height);
    }
    // least squares of height against radius
    double n = 0, r = 0, h = 0, rr = 0, rh = 0;
    for (const auto& [index, ring] : rings) {
        if (ring.height < s.number("low", 0.2) * peak || ring.height > s.number("high", 0.8) * peak) continue;
        n += 1, r += ring.radius, h += ring.height;
        rr += ring.radius * ring.radius, rh += ring.radius * ring.height;
    }
    const double spreadOfRadii = n * rr - r * r;
    if (n < 2 || !(spreadOfRadii > 0)) return 0;  // fewer than two rings: no slope
    return std::atan(-(n * rh - r * h) / spreadOfRadii) * 180 / std::numbers::pi;
}

// Radius of a circle with the area that the group covers: columns 2 d wide, counted from the middle, that are
// connected to the column in the middle. Single grains that have run away do not count.
Measured footprint(const MeasureContext& s) {
    const double width = 2 * s.spacing(s.selected[0]);
    Vec3d middle;
    for (const uint32_t i : s.selected) middle += s.now.x[i] / double(s.selected.size());
    using Column = std::pair<int64_t, int64_t>;
    std::set<Column> covered;
    for (const uint32_t i : s.selected)
        covered.insert({int64_t(std::floor((s.now.x[i][0] - middle[0]) / width)),
                        int64_t(std::floor((s.now.x[i][2] - middle[2]) / width))});
    std::vector<Column> open;
    const auto visit = [&](Column column) {
        if (covered.erase(column)) open.push_back(column);
    };
    double count = 0;
    for (visit({0, 0}); !open.empty(); ++count) {
        const Column c = open.back();
        open.pop_back();
        for (const Column& next : {Column{c.first - 1, c.second}, Column{c.first + 1, c.second},
                                   Column{c.first, c.second - 1}, Column{c.first, c.second + 1}})
            visit(next);
    }
    return width * std::sqrt(count / std::numbers::pi);
}

// Ratio of the longest to the shortest axis of the equivalent ellipsoid: the root of the ratio of the largest
// to the smallest eigenvalue of the second moments.
Measured aspect(const MeasureContext& s) {
    Vec3d middle;
    double mass = 0;
    for (const uint32_t i : s.selected) mass += s.now.mass[i];
    for (const uint32_t i : s.selected) middle += s.now.mass[i] / mass * s.now.x[i];
    Eigen::Matrix3d moments;
    for (const uint32_t i : s.selected) {
        const Vec3d d = s.now.x[i] - middle;
        // each particle is a cube, so that a single row has a width
        const double own = s.spacing(i) * s.spacing(i) / 12;
        moments += s.now.mass[i] / mass * (d * d.transpose() + own * Eigen::Matrix3d::Identity());
    }
    const Vec3d values =  // ascending
        Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(moments, Eigen::EigenvaluesOnly).eigenvalues();
    return std::sqrt(values[2] / values[0]);
}

Measured center(const MeasureContext& s) {
    double sum = 0, mass = 0;
    for (const uint32_t i : s.selected) sum += s.now.mass[i] * s.now.x[i][s.axis("y")], mass += s.now.mass[i];
    return sum / mass;
}

Measured spread(const MeasureContext& s) {
    double cx = 0, cz = 0, sum = 0;
    for (const uint32_t i : s.selected) cx += s.now.x[i][0], cz += s.now.x[i][2];
    const auto n = double(s.selected.size());
    cx /= n, cz /= n;
    for (const uint32_t i : s.selected) {
        const double x = s.now.x[i][0] - cx, z = s.now.x[i][2] - cz;
        sum += x * x + z * z;
    }
    return std::sqrt(sum / n);
}

// Mean distance to the nearest neighbor, in spacings; distances above 2 d count as 2.
Measured spacing(const MeasureContext& s) {
    double d = 0;
    std::vector<Vec3d> points;
    for (const uint32_t i : s.selected) points.push_back(s.now.x[i]), d = std::max(d, s.spacing(i));
    std::vector<double> least(points.size(), 4 * d * d);
    HashGrid(points, 2 * d).forEachPair([&](uint32_t i, uint32_t j, double r2) {
        if (i != j) least[i] = std::min(least[i], r2);
    });
    double sum = 0;
    for (size_t i = 0; i < least.size(); ++i) sum += std::sqrt(least[i]) / s.spacing(s.selected[i]);
    return sum / double(least.size());
}

Measured components(const MeasureContext& s) {
    double d = 0;
    std::vector<Vec3d> points;
    for (const uint32_t i : s.selected) points.push_back(s.now.x[i]), d = std::max(d, s.spacing(i));
    std::map<uint32_t, size_t> sizes;
    for (const uint32_t part : connectedParts(points, s.number("distance", 1.5) * d)) ++sizes[part];
    const std::string statistic = s.word("statistic", "count");
    if (statistic == "count") return double(sizes.size());
    if (statistic == "mean") return double(points.size()) / double(sizes.size());
    size_t largest = 0;
    for (const auto& [part, size] : sizes) largest = std::max(largest, size);
    return double(largest);
}

Measured contains(const MeasureContext& s) {
    return double(inRegion(s.now, s.selected, s.region()).size()) / double(s.selected.size());
}

Measured outside(const MeasureContext& s) {
    Region region = s.region();
    if (s.scene.bounded && !s.point("regionMin") && !s.point("regionMax"))
        region = {toDouble(s.scene.boundsMin), toDouble(s.scene.boundsMax)};
    return double(s.selected.size() - inRegion(s.now, s.selected, region).size());
}

Measured crossings(const MeasureContext& s) {
    const Region region = s.region();
    static constexpr const char* kFaces[] = {"-x", "+x", "-y", "+y", "-z", "+z"};
    const std::string openWord = s.word("open", "+y");
    int open = -1;
    for (int face = 0; face < 6; ++face)
        if (openWord == kFaces[face]) open = face;
    for (const uint32_t i : s.selected)
        if (const auto before = findId(s.state.since, s.now.id[i]);
            before && hasCrossed(s, region, open, s.state.since.x[*before], s.now.x[i]))
            s.state.crossed.insert(s.now.id[i]);
    s.state.since = s.now;
    return double(s.state.crossed.size());
}

Measured rise(const MeasureContext& s) {
    double highest = -1e300;
    if (s.check.numbers.contains("surface")) {
        for (const uint32_t i : s.selected) highest = std::max(highest, s.now.x[i][1]);
        return highest - s.check.numbers.at("surface");
    }
    for (const uint32_t i : s.selected)
        if (const auto before = findId(s.start, s.now.id[i]))
            highest = std::max(highest, s.now.x[i][1] - s.start.x[*before][1]);
    return highest > -1e300 ? highest : 0;
}

Measured rest(const MeasureContext& s) {
    double sum = 0;
    for (const uint32_t i : s.selected) sum += dot(s.now.v[i], s.now.v[i]);
    return std::sqrt(sum / double(s.selected.size()));
}

Measured speed(const MeasureContext& s) {
    double sum = 0, most = 0;
    for (const uint32_t i : s.selected) {
        const double v = std::sqrt(dot(s.now.v[i], s.now.v[i]));
        sum += v, most = std::max(most, v);
    }
    return s.word("statistic", "max") == "mean" ? sum / double(s.selected.size()) : most;
}

// Mean over the particles in the region and the frames of the window: of a steady flow, that at a place.
Measured velocity(const MeasureContext& s) {
    const Region region = s.region();
    const Vec3d along = normalizeOr(s.point("direction").value_or(Vec3d{1, 0, 0}), {1, 0, 0});
    if (s.check.from < 0) s.state.path.clear();
    double sum = 0, count = 0;
    for (const uint32_t i : s.selected)
        if (region.has(s.now.x[i])) sum += dot(s.now.v[i], along), count += 1;
    s.state.path.push_back({sum, count});
    double all = 0, n = 0;
    for (const auto& [ofFrame, particles] : s.state.path) all += ofFrame, n += particles;
    if (n == 0) return {};
    return all / n;
}

// Smallest increase of the measure from one group to the next.
Measured order(const MeasureContext& s) {
    Measured least, last;
    Check one = s.check;
    one.kind = s.word("measure", "");
    for (const std::string& group : s.check.lists.at("groups")) {
        const Measured value = measure(s.scene, one, s.now, s.start, s.select(group), s.state.ofGroup[group]);
        if (!value) return {};
        if (last) least = std::min(least.value_or(1e300), *value - *last);
        last = value;
    }
    return least;
}

// Pairs of the named groups whose particles have touched in some frame: closer than 1.05 times the mean of
// their spacings.
Measured touched(const MeasureContext& s) {
    constexpr double kContactFactor = 1.05;
    const std::vector<std::string>& groups = s.check.lists.at("groups");
    std::vector<Vec3d> points;
    std::vector<double> spacings;
    std::vector<uint32_t> groupOf;
    for (uint32_t g = 0; g < groups.size(); ++g)
        for (const uint32_t i : s.select(groups[g]))
            points.push_back(s.now.x[i]), spacings.push_back(s.spacing(i)), groupOf.push_back(g);
    if (points.empty()) return {};
    const double reach = kContactFactor * *std::max_element(spacings.begin(), spacings.end());
    HashGrid(points, reach).forEachPair([&](uint32_t i, uint32_t j, double r2) {
        const double contact = kContactFactor * (spacings[i] + spacings[j]) / 2;
        if (groupOf[i] < groupOf[j] && r2 < contact * contact) s.state.met.insert({groupOf[i], groupOf[j]});
    });
    return double(s.state.met.size());
}

CheckOption unitOfExtent() {
    return wordOption(
        "unit",
        "\"m\" or \"d\": the extent itself, in meters or particle spacings, not relative to the start.",
        {"m", "d"});
}

}  // namespace

std::vector<CheckKind> groupChecks() {
    return {
        {.name = "rest", .unit = "m/s", .measures = "RMS speed", .value = rest},
        {.name = "speed",
         .unit = "m/s",
         .measures = "speed",
         .value = speed,
         .options = {wordOption("statistic", "max (default) or mean over the particles.", {"max", "mean"})}},
        {.name = "velocity",
         .unit = "m/s",
         .measures = "velocity along a direction, mean over the particles in the region and over the window, "
                     "or over the "
                     "frame without a window",
         .over = CheckKind::Window::Whole,
         .value = velocity,
         .options = {pointOption("direction", "Direction; +x when omitted."), regionMin(), regionMax()}},
        {.name = "height",
         .measures =
             "vertical extent of the group, including the particles' radii, relative to its extent at "
             "the start",
         .value = height,
         .options = {unitOfExtent(),
                     numberOption("percentile",
                                  "Up to this percentile of the heights, to ignore stray particles; 100 when "
                                  "omitted."),
                     regionMin(), regionMax()}},
        {.name = "width",
         .measures = "larger horizontal extent of the group, relative to its extent at the start",
         .value = width,
         .options = {unitOfExtent()}},
        {.name = "aspect",
         .measures =
             "ratio of the longest to the shortest axis of the ellipsoid with the same second moments "
             "as the group; 1 is a sphere",
         .value = aspect},
        {.name = "angle",
         .unit = "deg",
         .measures = "slope of a heap: line fitted to the mean heights of rings 2 d wide about its axis; "
                     "negative in a pit",
         .value = angle,
         .options = {pointOption("center", "A point on the axis [m]; the center of mass when omitted."),
                     numberOption("low", "Ignores rings below this share of the height; 0.2 when omitted."),
                     numberOption("high", "Ignores rings above this share of the height; 0.8 when omitted."),
                     regionMin(), regionMax()}},
        {.name = "center",
         .unit = "m",
         .measures = "center of mass along an axis",
         .value = center,
         .options = {axisOption("Direction; y when omitted."), unitSpacings()}},
        {.name = "spread",
         .unit = "m",
         .measures = "RMS horizontal distance from the center of mass",
         .value = spread,
         .options = {unitSpacings()}},
        {.name = "footprint",
         .unit = "m",
         .measures =
             "radius of a circle with the area that the group covers: columns 2 d wide that are connected to "
             "that of the center of mass; stray particles do not count",
         .value = footprint,
         .options = {unitSpacings()}},
        {.name = "spacing",
         .measures = "mean distance to the nearest neighbor / d; distances above 2 d count as 2",
         .value = spacing},
        {.name = "components",
         .measures = "connected parts of the group",
         .value = components,
         .options = {numberOption("distance",
                                  "Particles closer than this are connected [d]; 1.5 when omitted."),
                     wordOption("statistic",
                                "count (default): number of parts; mean or largest: particles per part.",
                                {"count", "mean", "largest"})}},
        {.name = "contains",
         .measures = "share of the group inside the region",
         .value = contains,
         .options = {regionMin(), regionMax()}},
        {.name = "outside",
         .unit = "particles",
         .measures = "number of particles outside the region, or outside the scene's bounds",
         .value = outside,
         .options = {regionMin(), regionMax()}},
        {.name = "crossings",
         .unit = "particles",
         .measures =
             "number of particles that passed through a plane, or through a closed side of the region, "
             "so far",
         .value = crossings,
         .options = {wordOption("open", "Side of the region that particles may pass; +y when omitted.",
                                {"none", "-x", "+x", "-y", "+y", "-z", "+z"}),
                     pointOption("point",
                                 "A point on a plane [m]: counts particles that pass this plane inside the "
                                 "region."),
                     planeDirection(), regionMin(), regionMax()},
         .everyFrame = true},
        {.name = "rise",
         .unit = "m",
         .measures = "largest height of a particle above its start, or above a surface; in a window its peak",
         .over = CheckKind::Window::Peak,
         .value = rise,
         .options = {numberOption("surface",
                                  "Height of the surface [m]; each particle's start when omitted."),
                     unitSpacings()}},
        {.name = "order",
         .measures = "smallest increase of a measure from one group to the next, in its unit: min 0 requires "
                     "ascending values; takes the options of the measure too",
         .value = order,
         .options = {required(wordOption("measure", "Kind of check that is measured.")),
                     required(wordListOption("groups", "Bodies or materials in ascending order."))},
         .everyFrame = true},
        {.name = "touched",
         .unit = "pairs",
         .measures = "number of pairs of groups whose particles have touched so far",
         .value = touched,
         .options = {required(wordListOption("groups", "Bodies or materials."))},
         .everyFrame = true},
    };
}

}  // namespace coalesce::measures
