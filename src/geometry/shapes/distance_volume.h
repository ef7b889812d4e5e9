// Signed distance field of a solid on a grid, for lookup in kernels.
#pragma once

#include <array>
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

// Nodes along x, y and z of a grid that extends `margin` beyond a box. Fails (Exit::Scene, at `where`) when its
// distances take more than `maxBytes`.
std::array<size_t, 3> nodesAround(const Box& box, float cell, float margin, size_t maxBytes,
                                  const std::string& where);
// The same grid, centered on the box, with distances of zero.
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
