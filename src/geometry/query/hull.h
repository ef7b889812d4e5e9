// The convex hull of points, as planes and as triangles.
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
    TriangleMesh mesh;  // flat sides: vertices are double along edges
};

// Quickhull [Barber et al. 1996] in double. Faces in one plane (to 1e-5 of the extent) are taken together.
// Beyond `maxPlanes` (at least 6) only the most needed of them are kept, so that the hull grows, least where
// it can; always it contains all points. Fails (Exit::Scene, at `where`) for points that lie in a plane, are
// fewer than four, or not finite.
ConvexHull convexHull(std::span<const Vec3> points, int maxPlanes = 64, const std::string& where = {});

}  // namespace coalesce
