#include "geometry/shapes/distance_volume.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "core/error.h"
#include "core/parallel.h"
#include "geometry/shapes/solid.h"

namespace coalesce {

std::array<size_t, 3> nodesAround(const Box& box, float cell, float margin, size_t maxBytes,
                                  const std::string& where) {
    CHECK(cell > 0 && margin >= 0);
    const auto nodes = [&](double extent) { return std::ceil((extent + 2.0 * margin) / cell - 1e-6) + 1; };
    const Vec3d size = toDouble(box.high) - toDouble(box.low),
                n{nodes(size.x()), nodes(size.y()), nodes(size.z())};
    const double bytes = n.x() * n.y() * n.z() * sizeof(float);
    if (!(bytes <= static_cast<double>(maxBytes)))
        fail(Exit::Scene, where,
             fmt::format("a distance volume of {} x {} x {} nodes takes {:.0f} MiB, more than {:.0f}", n.x(),
                         n.y(), n.z(), bytes / 0x1p20, static_cast<double>(maxBytes) / 0x1p20),
             fmt::format("Make its cells larger than {:.3g} m.", cell));
    return {static_cast<size_t>(n.x()), static_cast<size_t>(n.y()), static_cast<size_t>(n.z())};
}

DistanceVolume gridAround(const Box& box, float cell, float margin, size_t maxBytes,
                          const std::string& where) {
    const auto [x, y, z] = nodesAround(box, cell, margin, maxBytes, where);
    const Vec3d low = toDouble(box.low), high = toDouble(box.high),
                n{static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)};
    DistanceVolume volume;
    volume.cell = cell;
    volume.nx = static_cast<int>(x), volume.ny = static_cast<int>(y), volume.nz = static_cast<int>(z);
    volume.origin = toFloat(0.5 * (low + high) - (0.5 * cell) * Vec3d{n.x() - 1, n.y() - 1, n.z() - 1});
    volume.distance.resize(x * y * z);
    return volume;
}

DistanceVolume bakeVolume(const Solid& solid, float cell, float margin, size_t maxBytes,
                          const std::string& where) {
    DistanceVolume volume = gridAround(solid.bounds(), cell, margin, maxBytes, where);
    parallelFor(0, volume.ny * volume.nz, [&](int row) {
        const int y = row % volume.ny, z = row / volume.ny;
        for (int x = 0; x < volume.nx; ++x) {
            const Vec3d p = toDouble(volume.origin) +
                            static_cast<double>(cell) *
                                Vec3d{static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)};
            volume.distance[static_cast<size_t>(row) * volume.nx + x] =
                static_cast<float>(solid.distanceAt(p));
        }
    });
    return volume;
}

namespace {

// The cell that contains a point, or the closest cell.
struct Place {
    std::array<float, 8> corner;  // values; x fastest
    float u[3];                   // coordinates in the cell, 0 to 1
    Vec3 beyond;                  // [m] from the grid to the point
};

Place placeOf(const DistanceVolume& v, Vec3 p) {
    Place place{};
    const float at[] = {(p.x - v.origin.x) / v.cell, (p.y - v.origin.y) / v.cell,
                        (p.z - v.origin.z) / v.cell};
    const int n[] = {v.nx, v.ny, v.nz};
    int low[3];
    float beyond[3];
    for (int k = 0; k < 3; ++k) {
        const float inside = std::clamp(at[k], 0.0f, static_cast<float>(n[k] - 1));
        low[k] = std::min(static_cast<int>(inside), std::max(n[k] - 2, 0));
        place.u[k] = inside - static_cast<float>(low[k]);
        beyond[k] = (at[k] - inside) * v.cell;
    }
    place.beyond = {beyond[0], beyond[1], beyond[2]};
    for (int c = 0; c < 8; ++c) {
        const int x = std::min(low[0] + (c & 1), n[0] - 1), y = std::min(low[1] + (c >> 1 & 1), n[1] - 1),
                  z = std::min(low[2] + (c >> 2), n[2] - 1);
        place.corner[c] = v.distance[(static_cast<size_t>(z) * v.ny + y) * v.nx + x];
    }
    return place;
}

float mixed(float a, float b, float t) {
    return a + t * (b - a);
}

}  // namespace

float volumeDistance(const DistanceVolume& volume, Vec3 p) {
    const auto [c, u, beyond] = placeOf(volume, p);
    const float near = mixed(mixed(c[0], c[1], u[0]), mixed(c[2], c[3], u[0]), u[1]);
    const float far = mixed(mixed(c[4], c[5], u[0]), mixed(c[6], c[7], u[0]), u[1]);
    return mixed(near, far, u[2]) + length(beyond);
}

Vec3 volumeGradient(const DistanceVolume& volume, Vec3 p) {
    const auto [c, u, beyond] = placeOf(volume, p);
    const float x = mixed(mixed(c[1] - c[0], c[3] - c[2], u[1]), mixed(c[5] - c[4], c[7] - c[6], u[1]), u[2]);
    const float y = mixed(mixed(c[2] - c[0], c[3] - c[1], u[0]), mixed(c[6] - c[4], c[7] - c[5], u[0]), u[2]);
    const float z = mixed(mixed(c[4] - c[0], c[5] - c[1], u[0]), mixed(c[6] - c[2], c[7] - c[3], u[0]), u[1]);
    // outside the grid, add the gradient of the distance to it
    const Vec3 g = (1 / volume.cell) * Vec3{x, y, z} + normalizeOr(beyond, {0, 0, 0});
    return normalizeOr(g, {0, 1, 0});
}

}  // namespace coalesce
