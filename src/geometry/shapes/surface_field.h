// Signed distances around triangle meshes that may be broken, on a grid, with the displacement of the closest
// surface.  [VFX15] section 4
//
// Nodes at most a cell away from a triangle get their exact distance to it. Signs come from the winding
// number, so they are right also where surfaces intersect each other, and continue across holes. Where
// neighbors differ in sign without a triangle between them, the mesh has a hole: there the surface lies
// half-way between them. All other nodes get the closest of the triangles that sweeps over the grid bring them:
// rarely not the closest one, but one next to it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "geometry/mesh/mesh.h"
#include "geometry/shapes/distance_volume.h"

namespace coalesce {

struct SurfaceFieldSpec {
    float cell = 0;      // [m]
    float margin = 0;    // [m] of the grid around the mesh
    bool shell = false;  // distance to the triangles, without an inside: for open sheets
    float offset = 0;    // [m] moves the surface outward
    bool closed = true;  // the mesh: its winding numbers are whole
    size_t maxBytes = size_t{1} << 30;
    std::string where{};  // in the user's file, for messages
};

struct SurfaceField {
    DistanceVolume volume;
    std::vector<Vec3> motion;  // [m] of the point of the surface closest to each node; empty: at rest
};

// before: the vertices at an earlier time, from which they moved to those of the
// mesh; empty: at rest. The grid contains both.
SurfaceField bakeSurface(const TriangleMesh& mesh, const SurfaceFieldSpec& spec,
                         std::span<const Vec3> before = {});

}  // namespace coalesce
