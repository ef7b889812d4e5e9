#include "scene/measure.h"

#include <cmath>
#include <limits>
#include <map>

namespace coalesce {

namespace {

constexpr double kPiDouble = 3.14159265358979323846;

double dotOf(const Double3& a, const Double3& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
Double3 minus(const Double3& a, const Double3& b) {
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
Double3 wide(Vec3 a) {
    return {a.x, a.y, a.z};
}

double numberOf(const Check& check, const char* name, double otherwise) {
    const auto it = check.numbers.find(name);
    return it == check.numbers.end() ? otherwise : it->second;
}
std::string wordOf(const Check& check, const char* name, const char* otherwise) {
    const auto it = check.words.find(name);
    return it == check.words.end() ? otherwise : it->second;
}
int axisOf(const Check& check) {
    return wordOf(check, "axis", "x")[0] - 'x';
}

struct Region {
    Double3 low{-1e300, -1e300, -1e300}, high{1e300, 1e300, 1e300};
    bool has(const Double3& p) const {
        for (int k = 0; k < 3; ++k)
            if (!(p[k] >= low[k] && p[k] <= high[k])) return false;
        return true;
    }
};
Region regionOf(const Check& check) {
    Region region;
    if (const auto it = check.points.find("regionMin"); it != check.points.end())
        region.low = wide(it->second);
    if (const auto it = check.points.find("regionMax"); it != check.points.end())
        region.high = wide(it->second);
    return region;
}

double spacingOf(const Scene& scene, const Snapshot& now, uint32_t i) {
    return scene.materials[materialOf(now.phase[i])].properties.spacing;
}

// max(0, φ − 1) over the selected particles: φ = Σ V_j W(x_ij, h_ij) over all. Walls add nothing, so φ is
// lower there.
double densityError(const Scene& scene, const Check& check, const Snapshot& now,
                    const std::vector<uint32_t>& selected) {
    std::vector<double> support, volume;
    double reach = 0;
    for (const Material& material : scene.materials) {
        const double d = material.properties.spacing, h = d * material.properties.supportRatio;
        support.push_back(h);
        volume.push_back(latticeVolume(d, h));
        reach = std::max(reach, h);
    }
    std::vector<double> fraction(now.x.size(), 0);
    PointGrid(now.x, reach).forEachPair([&](uint32_t i, uint32_t j, double r2) {
        const uint32_t a = materialOf(now.phase[i]), b = materialOf(now.phase[j]);
        fraction[i] += volume[b] * kernelOf(0.5 * (support[a] + support[b]), r2);
    });
    const Region region = regionOf(check);
    double sum = 0, worst = 0;
    size_t n = 0;
    for (const uint32_t i : selected) {
        if (!region.has(now.x[i])) continue;
        const double error = std::max(0.0, fraction[i] - 1);
        sum += error, worst = std::max(worst, error), ++n;
    }
    if (wordOf(check, "statistic", "mean") == "max") return worst;
    return n ? sum / static_cast<double>(n) : 0;
}

// Mean height of the highest particle in columns of width 2 d, and half a spacing for the particle itself.
std::optional<double> level(const Scene& scene, const Check& check, const Snapshot& now,
                            const std::vector<uint32_t>& selected) {
    const Region region = regionOf(check);
    const double d = spacingOf(scene, now, selected[0]), width = 2 * d;
    std::map<std::pair<int64_t, int64_t>, double> columns;
    for (const uint32_t i : selected) {
        const Double3& p = now.x[i];
        if (!region.has(p)) continue;
        const auto column = std::pair(static_cast<int64_t>(std::floor(p[0] / width)),
                                      static_cast<int64_t>(std::floor(p[2] / width)));
        const auto [it, fresh] = columns.try_emplace(column, p[1]);
        if (!fresh) it->second = std::max(it->second, p[1]);
    }
    if (columns.empty()) return {};
    double sum = 0;
    for (const auto& [column, top] : columns) sum += top;
    return sum / static_cast<double>(columns.size()) + 0.5 * d;
}

// Extent of the particles along an axis, each with its size.
double extent(const Scene& scene, const Snapshot& now, const std::vector<uint32_t>& selected, int axis) {
    double low = 1e300, high = -1e300;
    for (const uint32_t i : selected) {
        const double r = 0.5 * spacingOf(scene, now, i);
        low = std::min(low, now.x[i][axis] - r), high = std::max(high, now.x[i][axis] + r);
    }
    return high - low;
}

// The same particles at the start, by their ids.
std::vector<uint32_t> sameAt(const Snapshot& other, const Snapshot& now,
                             const std::vector<uint32_t>& selected) {
    std::vector<uint32_t> found;
    for (const uint32_t i : selected) {
        const auto it = std::lower_bound(other.id.begin(), other.id.end(), now.id[i]);
        if (it != other.id.end() && *it == now.id[i])
            found.push_back(static_cast<uint32_t>(it - other.id.begin()));
    }
    return found;
}

// Kinetic and potential energy [J]; potential is 0 at the lowest place there is.
double energyOf(const Scene& scene, const Snapshot& now, const std::vector<uint32_t>& selected,
                double& kinetic) {
    const Double3 gravity = wide(scene.parameters.world.gravity);
    double potential = 0;
    kinetic = 0;
    for (const uint32_t i : selected) {
        kinetic += 0.5 * now.mass[i] * dotOf(now.v[i], now.v[i]);
        potential -= now.mass[i] * scene.materials[materialOf(now.phase[i])].properties.gravityScale *
                     dotOf(gravity, now.x[i]);
    }
    return kinetic + potential;
}
// Growth [%] of the energy, as a share of what there was at the start above the lowest place.
double energyGrowth(const Scene& scene, const Check& check, const Snapshot& now, const Snapshot& start,
                    const std::vector<uint32_t>& selected, MeasureState& state) {
    const std::vector<uint32_t> before = sameAt(start, now, selected);
    double kinetic = 0, kineticNow = 0;
    const double atStart = energyOf(scene, start, before, kinetic),
                 present = energyOf(scene, now, selected, kineticNow);
    const Double3 gravity = wide(scene.parameters.world.gravity);
    // the lowest place: the corner of the bounds, or the lowest particle
    double floor = std::numeric_limits<double>::infinity();
    if (scene.bounded) {
        floor = 0;
        for (int k = 0; k < 3; ++k)
            floor += std::min(-gravity[k] * wide(scene.boundsMin)[k], -gravity[k] * wide(scene.boundsMax)[k]);
    } else {
        for (const uint32_t i : before) floor = std::min(floor, -dotOf(gravity, start.x[i]));
    }
    double scale = kinetic;
    for (const uint32_t i : before)
        scale += start.mass[i] * std::max(0.0, -dotOf(gravity, start.x[i]) - floor);
    double reference = atStart;
    if (wordOf(check, "since", "start") == "lowest") {
        state.number = std::min(state.number.value_or(atStart), present);
        reference = *state.number;
    }
    return scale > 0 ? 100 * (present - reference) / scale : 0;
}

// |P − P₀| as a share of M·v_rms, the larger of now and the start.
double momentumDrift(const Snapshot& now, const Snapshot& start, const std::vector<uint32_t>& selected) {
    const auto sums = [](const Snapshot& s, const std::vector<uint32_t>& of, Double3& momentum) {
        double mass = 0, square = 0;
        momentum = {};
        for (const uint32_t i : of) {
            for (int k = 0; k < 3; ++k) momentum[k] += s.mass[i] * s.v[i][k];
            mass += s.mass[i], square += s.mass[i] * dotOf(s.v[i], s.v[i]);
        }
        return std::sqrt(mass * square);  // M v_rms
    };
    Double3 present, before;
    const double scale =
        std::max(sums(now, selected, present), sums(start, sameAt(start, now, selected), before));
    const Double3 change = minus(present, before);
    return scale > 0 ? std::sqrt(dotOf(change, change)) / scale : 0;
}

double spread(const Snapshot& now, const std::vector<uint32_t>& selected) {
    double cx = 0, cz = 0, sum = 0;
    for (const uint32_t i : selected) cx += now.x[i][0], cz += now.x[i][2];
    const auto n = static_cast<double>(selected.size());
    cx /= n, cz /= n;
    for (const uint32_t i : selected) {
        const double x = now.x[i][0] - cx, z = now.x[i][2] - cz;
        sum += x * x + z * z;
    }
    return std::sqrt(sum / n);
}

// Mean height of the highest 1 %.
double splash(const Snapshot& now, const std::vector<uint32_t>& selected) {
    std::vector<double> heights;
    for (const uint32_t i : selected) heights.push_back(now.x[i][1]);
    const size_t top = std::max<size_t>(1, heights.size() / 100);
    std::nth_element(heights.begin(), heights.begin() + (top - 1), heights.end(), std::greater<>());
    double sum = 0;
    for (size_t i = 0; i < top; ++i) sum += heights[i];
    return sum / static_cast<double>(top);
}

// Mean distance to the nearest neighbor, in spacings; farther than 2 d counts as 2.
double nearestSpacing(const Scene& scene, const Snapshot& now, const std::vector<uint32_t>& selected) {
    double d = 0;
    std::vector<Double3> points;
    for (const uint32_t i : selected) points.push_back(now.x[i]), d = std::max(d, spacingOf(scene, now, i));
    std::vector<double> least(points.size(), 4 * d * d);
    PointGrid(points, 2 * d).forEachPair([&](uint32_t i, uint32_t j, double r2) {
        if (i != j) least[i] = std::min(least[i], r2);
    });
    double sum = 0;
    for (size_t i = 0; i < least.size(); ++i) sum += std::sqrt(least[i]) / spacingOf(scene, now, selected[i]);
    return sum / static_cast<double>(least.size());
}

// How far the liquid has come along an axis.
double front(const Scene& scene, const Check& check, const Snapshot& now,
             const std::vector<uint32_t>& selected) {
    const int axis = axisOf(check);
    if (wordOf(check, "mode", "percentile") == "percentile") {
        std::vector<double> values;
        for (const uint32_t i : selected) values.push_back(now.x[i][axis]);
        const double share = numberOf(check, "percentile", 99) / 100;
        const auto k = static_cast<size_t>(std::lround(share * static_cast<double>(values.size() - 1)));
        std::nth_element(values.begin(), values.begin() + k, values.end());
        return values[k];
    }
    // connected: what hangs together with the hindmost particle, over gaps of at most 1.5 d
    std::vector<Double3> points;
    double d = 0;
    for (const uint32_t i : selected) points.push_back(now.x[i]), d = std::max(d, spacingOf(scene, now, i));
    std::vector<uint32_t> parent(points.size());
    for (uint32_t i = 0; i < parent.size(); ++i) parent[i] = i;
    const auto root = [&](uint32_t i) {
        while (parent[i] != i) i = parent[i] = parent[parent[i]];
        return i;
    };
    PointGrid(points, 1.5 * d).forEachPair([&](uint32_t i, uint32_t j, double) {
        parent[root(i)] = root(j);
    });
    uint32_t hindmost = 0;
    for (uint32_t i = 1; i < points.size(); ++i)
        if (points[i][axis] < points[hindmost][axis]) hindmost = i;
    double reached = points[hindmost][axis];
    const uint32_t home = root(hindmost);
    for (uint32_t i = 0; i < points.size(); ++i)
        if (root(i) == home) reached = std::max(reached, points[i][axis]);
    return reached;
}

double outside(const Scene& scene, const Check& check, const Snapshot& now,
               const std::vector<uint32_t>& selected) {
    Region region = regionOf(check);
    if (scene.bounded && !check.points.contains("regionMin") && !check.points.contains("regionMax"))
        region = {wide(scene.boundsMin), wide(scene.boundsMax)};
    size_t n = 0;
    for (const uint32_t i : selected) n += !region.has(now.x[i]);
    return static_cast<double>(n);
}

double contains(const Check& check, const Snapshot& now, const std::vector<uint32_t>& selected) {
    const Region region = regionOf(check);
    size_t n = 0;
    for (const uint32_t i : selected) n += region.has(now.x[i]);
    return static_cast<double>(n) / static_cast<double>(selected.size());
}

double rise(const Check& check, const Snapshot& now, const Snapshot& start,
            const std::vector<uint32_t>& selected) {
    double highest = -1e300;
    if (check.numbers.contains("surface")) {
        for (const uint32_t i : selected) highest = std::max(highest, now.x[i][1]);
        return highest - check.numbers.at("surface");
    }
    for (const uint32_t i : selected) {
        const auto it = std::lower_bound(start.id.begin(), start.id.end(), now.id[i]);
        if (it != start.id.end() && *it == now.id[i])
            highest = std::max(highest, now.x[i][1] - start.x[it - start.id.begin()][1]);
    }
    return highest > -1e300 ? highest : 0;
}

std::optional<double> drift(const Check& check, const Snapshot& now, const std::vector<uint32_t>& selected,
                            MeasureState& state) {
    if (now.time + 1e-6 < numberOf(check, "since", 0)) return {};
    if (state.since.id.empty()) state.since = now;
    double sum = 0;
    size_t n = 0;
    for (const uint32_t i : selected) {
        const auto it = std::lower_bound(state.since.id.begin(), state.since.id.end(), now.id[i]);
        if (it == state.since.id.end() || *it != now.id[i]) continue;
        const Double3 way = minus(now.x[i], state.since.x[it - state.since.id.begin()]);
        sum += dotOf(way, way), ++n;
    }
    return n ? std::optional(std::sqrt(sum / static_cast<double>(n))) : std::nullopt;
}

double speed(const Check& check, const Snapshot& now, const std::vector<uint32_t>& selected) {
    double sum = 0, most = 0;
    for (const uint32_t i : selected) {
        const double s = std::sqrt(dotOf(now.v[i], now.v[i]));
        sum += s, most = std::max(most, s);
    }
    return wordOf(check, "statistic", "max") == "mean" ? sum / static_cast<double>(selected.size()) : most;
}

double rms(const Snapshot& now, const std::vector<uint32_t>& selected) {
    double sum = 0;
    for (const uint32_t i : selected) sum += dotOf(now.v[i], now.v[i]);
    return std::sqrt(sum / static_cast<double>(selected.size()));
}

std::optional<double> valueOf(const Scene& scene, const Check& check, const Snapshot& now,
                              const Snapshot& start, const std::vector<uint32_t>& selected,
                              MeasureState& state) {
    const std::string& kind = check.kind;
    if (kind == "bytes_per_particle") return now.bytesPerParticle;
    if (selected.empty()) return {};
    if (kind == "density_error") return densityError(scene, check, now, selected);
    if (kind == "level") return level(scene, check, now, selected);
    if (kind == "rest") return rms(now, selected);
    if (kind == "speed") return speed(check, now, selected);
    if (kind == "energy") return energyGrowth(scene, check, now, start, selected, state);
    if (kind == "momentum") return momentumDrift(now, start, selected);
    if (kind == "spread") return spread(now, selected);
    if (kind == "splash") return splash(now, selected);
    if (kind == "spacing") return nearestSpacing(scene, now, selected);
    if (kind == "contains") return contains(check, now, selected);
    if (kind == "outside") return outside(scene, check, now, selected);
    if (kind == "front") return front(scene, check, now, selected);
    if (kind == "rise") return rise(check, now, start, selected);
    if (kind == "drift") return drift(check, now, selected, state);
    if (kind == "arrival") {
        if (!state.number && front(scene, check, now, selected) >= numberOf(check, "position", 0))
            state.number = now.time;
        return state.number;
    }
    if (kind == "height" || kind == "width") {
        const std::vector<uint32_t> before = sameAt(start, now, selected);
        if (before.empty()) return {};
        if (kind == "height") return extent(scene, now, selected, 1) / extent(scene, start, before, 1);
        return std::max(extent(scene, now, selected, 0), extent(scene, now, selected, 2)) /
               std::max(extent(scene, start, before, 0), extent(scene, start, before, 2));
    }
    return {};
}

}  // namespace

double kernelOf(double h, double r2) {
    const double a = h - std::sqrt(r2);
    return a > 0 ? 15 / (kPiDouble * std::pow(h, 6)) * a * a * a : 0;
}

double latticeVolume(double d, double h) {
    const int n = static_cast<int>(std::ceil(h / d));
    double sum = 0;
    for (int i = -n; i <= n; ++i)
        for (int j = -n; j <= n; ++j)
            for (int k = -n; k <= n; ++k) sum += kernelOf(h, d * d * (i * i + j * j + k * k));
    return 1 / sum;
}

Snapshot takeSnapshot(World& world) {
    const std::vector<Vec4> x = world.particles.x.download(), v = world.particles.v.download();
    const std::vector<uint32_t> id = world.particles.id.download(), phase = world.particles.phase.download();
    std::vector<uint32_t> order(id.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return id[a] < id[b]; });
    std::vector<double> pinnedMass;  // what a particle without motion of its own would weigh
    for (const Material& material : world.materials) pinnedMass.push_back(particleMass(material.properties));
    Snapshot s;
    s.time = world.time;
    s.id.reserve(id.size()), s.phase.reserve(id.size()), s.x.reserve(id.size()), s.v.reserve(id.size()),
        s.mass.reserve(id.size());
    for (const uint32_t i : order) {
        s.id.push_back(id[i]);
        s.phase.push_back(phase[i]);
        s.x.push_back({x[i].x, x[i].y, x[i].z});
        s.v.push_back({v[i].x, v[i].y, v[i].z});
        s.mass.push_back(x[i].w > 0 ? 1.0 / x[i].w : pinnedMass[materialOf(phase[i])]);
    }
    s.bytesPerParticle =
        id.empty() ? 0 : static_cast<double>(world.exec.peakBytes()) / static_cast<double>(id.size());
    return s;
}

std::optional<double> measure(const Scene& scene, const Check& check, const Snapshot& now,
                              const Snapshot& start, const std::vector<uint32_t>& selected,
                              MeasureState& state) {
    std::optional<double> value = valueOf(scene, check, now, start, selected, state);
    if (value && wordOf(check, "unit", "") == "d" && !selected.empty())
        *value /= spacingOf(scene, now, selected[0]);
    return value;
}

}  // namespace coalesce
