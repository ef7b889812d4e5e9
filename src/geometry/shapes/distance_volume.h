// A solid's signed distance on a lattice: what kernels look up instead of the solid itself.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "geometry/shapes/solid.h"
#include "kernels/math/vec.h"

namespace coalesce {

struct DistanceVolume {
    Vec3 origin{};                // [m] of the first node, in the solid's frame
    float cell = 0;               // [m] between nodes
    int nx = 0, ny = 0, nz = 0;   // nodes
    std::vector<float> distance;  // [m] at the nodes, x fastest
};

// Nodes reach `margin` beyond the bounds, centered on them. Fails (Exit::Scene, at `where`) when the volume
// takes more than `maxBytes`.
DistanceVolume bakeVolume(const Solid& solid, float cell, float margin, size_t maxBytes = size_t{1} << 30,
                          const std::string& where = {});

// Trilinear between the nodes; outside the volume the value at its rim and the distance to there.
float volumeDistance(const DistanceVolume& volume, Vec3 p);
// Unit gradient of volumeDistance; +y where there is none.
Vec3 volumeGradient(const DistanceVolume& volume, Vec3 p);

}  // namespace coalesce
