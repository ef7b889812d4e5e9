// Signed distance field of a solid on a grid, for lookup in kernels.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "geometry/mesh/mesh.h"
#include "kernels/math/vec.h"

namespace coalesce {

class Solid;

struct DistanceVolume {
    Vec3 origin{};                // [m] of the first node, in the solid's frame
    float cell = 0;               // [m] between nodes
    int nx = 0, ny = 0, nz = 0;   // nodes
    std::vector<float> distance;  // [m] at the nodes, x fastest
};

// A grid that extends `margin` beyond a box and is centered on it, with distances of zero. Fails
// (Exit::Scene, at `where`) above `maxBytes`.
DistanceVolume gridAround(const Box& box, float cell, float margin, size_t maxBytes,
                          const std::string& where);

// On the grid around the bounds of the solid.
DistanceVolume bakeVolume(const Solid& solid, float cell, float margin, size_t maxBytes = size_t{1} << 30,
                          const std::string& where = {});

// Trilinear; outside the grid: the value at the closest point of the grid plus the distance to it.
float volumeDistance(const DistanceVolume& volume, Vec3 p);
// Unit gradient of volumeDistance; +y where it is undefined.
Vec3 volumeGradient(const DistanceVolume& volume, Vec3 p);

}  // namespace coalesce
