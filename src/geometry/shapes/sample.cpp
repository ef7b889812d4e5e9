#include "geometry/shapes/sample.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "core/error.h"
#include "core/hash.h"
#include "core/parallel.h"
#include "geometry/math/hash_grid.h"

namespace coalesce {

namespace {

// A lattice centered on a box, with n points along each axis.
struct Lattice {
    Vec3d middle;
    double spacing;
    int n[3];

    size_t size() const { return static_cast<size_t>(n[0]) * n[1] * n[2]; }
    Vec3d at(size_t k) const {
        const int x = static_cast<int>(k % n[0]), y = static_cast<int>(k / n[0] % n[1]),
                  z = static_cast<int>(k / n[0] / n[1]);
        return middle + spacing * Vec3d{x - (n[0] - 1) / 2.0, y - (n[1] - 1) / 2.0, z - (n[2] - 1) / 2.0};
    }
};

std::vector<double> distances(const Solid& solid, const Lattice& lattice) {
    std::vector<double> d(lattice.size());
    parallelFor(size_t{0}, d.size(), [&](size_t k) { d[k] = solid.distanceAt(lattice.at(k)); });
    return d;
}

double latticePoints(const Solid& solid, double d) {
    const Vec3d size = toDouble(solid.bounds().high) - toDouble(solid.bounds().low);
    return (size.x() / d + 2) * (size.y() / d + 2) * (size.z() / d + 2);
}

double dartsOn(const TriangleMesh& mesh, double d) {
    constexpr double kDarts = 16;  // per spacing²
    return std::ceil(kDarts * areaOf(mesh) / (d * d));
}

constexpr const char* kFewer = "Make it smaller, or the material's spacing larger.";

void requireDarts(const TriangleMesh& mesh, float spacing, const std::string& where,
                  const std::string& advice = kFewer) {
    if (spacing > 0 && dartsOn(mesh, spacing) < 0x1p25) return;
    fail(Exit::Scene, where,
         fmt::format("a surface of {:.3g} m² has too many particles at a spacing of {} m", areaOf(mesh),
                     spacing),
         advice);
}

}  // namespace

void requireRoom(const Solid& solid, float spacing, bool surface, const std::string& where,
                 const std::string& cause) {
    const std::string advice = cause + kFewer;
    const Vec3 size = solid.bounds().high - solid.bounds().low;
    if (!surface && !(spacing > 0 && latticePoints(solid, spacing) < 0x1p27))
        fail(
            Exit::Scene, where,
            fmt::format("a solid of {:.3g} by {:.3g} by {:.3g} m has too many particles at a spacing of {} m",
                        size.x, size.y, size.z, spacing),
            advice);
    if (surface) requireDarts(solid.surface(), spacing, where, advice);
}

std::vector<Sample> sampleSolid(const Solid& solid, float spacing, const std::string& where) {
    const Vec3d low = toDouble(solid.bounds().low), high = toDouble(solid.bounds().high), size = high - low;
    const double extent[] = {size.x(), size.y(), size.z()}, d = spacing,
                 wanted = solid.volume() / (d * d * d);
    const double cells = latticePoints(solid, spacing);
    requireRoom(solid, spacing, false, where);
    // tolerance: points on the surface count as inside
    const double level = 1e-5 * d;

    // phase of the lattice: the number of layers that fits; for small bodies also one more along some axes
    Lattice best{};
    std::vector<double> bestDistances;
    double bestError = 0;
    const int phases = cells < 8000 ? 8 : 1;
    for (int phase = 0; phase < phases; ++phase) {
        Lattice lattice{0.5 * (low + high), d, {}};
        for (int k = 0; k < 3; ++k) {
            const int layers = std::max(1, static_cast<int>(std::lround(extent[k] / d)));
            // two more, for points slightly outside
            lattice.n[k] = layers + 2 + (phase >> k & 1);
        }
        std::vector<double> values = distances(solid, lattice);
        const auto count = std::count_if(values.begin(), values.end(), [&](double v) { return v <= level; });
        const double error = count > 0 ? std::abs(std::log(static_cast<double>(count) / wanted)) : 1e30;
        if (phase == 0 || error < 0.999 * bestError)
            best = lattice, bestDistances = std::move(values), bestError = error;
    }

    // thin shapes: raise the level point by point, points of equal distance together
    double threshold = level;
    std::vector<double> outside;
    size_t count = 0;
    for (const double v : bestDistances)
        if (v <= level)
            ++count;
        else if (v <= 0.5 * d)
            outside.push_back(v);
    std::sort(outside.begin(), outside.end());
    for (size_t k = 0; k < outside.size() && (count == 0 || static_cast<double>(count) < 0.9 * wanted);) {
        size_t end = k;
        while (end < outside.size() && outside[end] <= outside[k] + 1e-4 * d) ++end;
        const double more = static_cast<double>(count + (end - k));
        if (count > 0 && more - wanted > wanted - static_cast<double>(count)) break;
        threshold = outside[end - 1];
        count += end - k;
        k = end;
    }

    std::vector<Sample> samples;
    for (size_t k = 0; k < bestDistances.size(); ++k)
        if (bestDistances[k] <= threshold)
            samples.push_back({toFloat(best.at(k)), static_cast<float>(std::min(bestDistances[k], 0.0)), {}});
    if (samples.empty()) {  // far smaller than the lattice: the point of least distance
        const size_t k = std::min_element(bestDistances.begin(), bestDistances.end()) - bestDistances.begin();
        samples.push_back({toFloat(best.at(k)), static_cast<float>(std::min(bestDistances[k], 0.0)), {}});
    }
    parallelFor(size_t{0}, samples.size(),
                [&](size_t i) { samples[i].normal = solid.gradient(samples[i].x); });
    return samples;
}

std::vector<Sample> sampleSurface(const TriangleMesh& mesh, float spacing, const OntoSurface& ontoSurface,
                                  const std::string& where) {
    requireDarts(mesh, spacing, where);
    const double area = areaOf(mesh), count = dartsOn(mesh, spacing);

    // stratified: one dart per equal share of the area
    const size_t darts = std::max<size_t>(1, static_cast<size_t>(count));
    const auto unit = [](uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; };
    std::vector<Sample> thrown(darts);
    std::vector<std::pair<size_t, std::array<double, 2>>> places(darts);
    double passed = 0;
    size_t dart = 0;
    for (size_t t = 0; t < mesh.triangles.size() && dart < darts; ++t) {
        const auto& [a, b, c] = mesh.triangles[t];
        const Vec3d origin = toDouble(mesh.vertices[a]);
        passed +=
            0.5 * length(cross(toDouble(mesh.vertices[b]) - origin, toDouble(mesh.vertices[c]) - origin));
        const bool last = t + 1 == mesh.triangles.size();
        for (; dart < darts && (last || (static_cast<double>(dart) + unit(mixIn(1, dart))) * area <
                                            passed * static_cast<double>(darts));
             ++dart)
            places[dart] = {t, {unit(mixIn(2, dart)), unit(mixIn(3, dart))}};
    }
    parallelFor(size_t{0}, darts, [&](size_t i) {
        const auto& [a, b, c] = mesh.triangles[places[i].first];
        auto [u, v] = places[i].second;
        if (u + v > 1) u = 1 - u, v = 1 - v;
        const Vec3d origin = toDouble(mesh.vertices[a]);
        const Vec3d x =
            origin + u * (toDouble(mesh.vertices[b]) - origin) + v * (toDouble(mesh.vertices[c]) - origin);
        thrown[i] = ontoSurface(x, places[i].first);
    });

    // in shuffled order; a dart is kept if it is far enough from the earlier ones
    std::vector<std::pair<uint64_t, size_t>> order;
    for (size_t i = 0; i < darts; ++i) order.push_back({mixIn(4, i), i});
    std::sort(order.begin(), order.end());
    const float apart = 0.8f * spacing;
    HashGrid grid(apart);
    std::vector<Sample> kept;
    for (const auto& [key, i] : order) {
        const Sample& sample = thrown[i];
        const Vec3d x = toDouble(sample.x);
        bool free = true;
        grid.forEachCandidate(x, [&](uint32_t j) {
            free &= length(kept[j].x - sample.x) >= apart || dot(kept[j].normal, sample.normal) < -0.25f;
        });
        if (!free) continue;
        grid.add(x);
        kept.push_back(sample);
    }
    return kept;
}

std::vector<Sample> sampleSurface(const Solid& solid, float spacing, const std::string& where) {
    const double d = spacing;
    const auto ontoSurface = [&](Vec3d x, size_t) {
        for (int step = 0; step < 2; ++step)
            x = x - std::clamp(solid.distanceAt(x), -0.5 * d, 0.5 * d) * toDouble(solid.gradient(toFloat(x)));
        return Sample{toFloat(x), 0, solid.gradient(toFloat(x))};
    };
    return sampleSurface(solid.surface(), spacing, ontoSurface, where);
}

}  // namespace coalesce
