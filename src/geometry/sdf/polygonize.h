// Polygonization of implicit surfaces: marching cubes with a computed table, and sharp features.
//
// Corners of a cell are inside or outside; diagonal inside corners of a face are never connected, so that two
// cells agree on their shared face. The outlines on the six faces form closed loops, and each loop becomes a
// patch. Inner edges of a patch never join two points of one face. Hence every edge has two triangles: the
// mesh is closed and manifold.
//
// Where the normals of a patch differ, the surface has an edge or corner: the patch gets a point at the
// least-squares intersection of its tangent planes.  Kobbelt et al. 2001, "Feature sensitive surface
// extraction"
#pragma once

#include <string>

#include "geometry/mesh/mesh.h"
#include "geometry/sdf/implicit.h"

namespace coalesce {

struct PolygonizeChoices {
    double cell = 0.05;  // longest edge of a cell [m]
    // [degrees] normals that differ by more form a sharp edge, with duplicated vertices; 0: no sharp edges
    double crease = 0;
    double precision = 1e-7;  // [cells] tolerance of the points on grid edges
    bool normals = true;      // false: only the sign of f is meaningful
    std::string where{};      // in the user's file, for messages
};

// f < 0 is inside and must lie within `bounds`. Cells are aligned so that no face of a box coincides with
// grid corners. Normals are unit gradients. Deterministic. Fails (Exit::Scene) beyond 2^27 cells.
TriangleMesh polygonize(const Implicit& f, Box3d bounds, const PolygonizeChoices& choices);

}  // namespace coalesce
