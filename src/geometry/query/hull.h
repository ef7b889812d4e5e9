// Convex hulls of points, as planes and triangles.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "geometry/mesh/mesh.h"
#include "kernels/math/vec.h"

namespace coalesce {

struct ConvexHull {
    std::vector<Vec4>
        planes;         // xyz: unit normal, outward; w: offset [m]. Inside is xyz · x <= w for all of them
    TriangleMesh mesh;  // flat-shaded: vertices are duplicated along edges
};

// Quickhull [Barber et al. 1996] in double. Coplanar faces (to 1e-5 of the extent) are merged. Above
// `maxPlanes` (at least 6) the planes that cut most are kept, so the hull grows as little as possible; it
// always contains all points. Fails (Exit::Scene, at `where`) for coplanar points, fewer than four, or
// non-finite coordinates.
ConvexHull convexHull(std::span<const Vec3> points, int maxPlanes = 64, const std::string& where = {});

}  // namespace coalesce
