// Triangles of an implicit surface: marching cubes whose table is worked out instead of typed in.
//
// Corners of a cell are inside or outside; on each face the inside corners stay apart, so that two cells
// agree on the face they share. The outlines on the six faces close into loops, each loop becomes a patch. A
// loop's inner edges never join two points of one face. Hence every edge has two triangles: the mesh is
// closed and manifold.
//
// Where the normals of a patch spread, the surface has an edge or a corner there: the patch gets a point at
// the least-squares meeting of its tangent planes.  Kobbelt et al. 2001, "Feature sensitive surface
// extraction"
#pragma once

#include <string>

#include "geometry/mesh/mesh.h"
#include "geometry/sdf/implicit.h"

namespace coalesce {

struct PolygonizeChoices {
    double cell = 0.05;  // longest edge of a cell [m]
    // [degrees] normals that differ by more meet at an edge, where vertices are double, one for each side; 0:
    // none
    double crease = 0;
    double precision = 1e-7;  // [cells] of the points on the grid edges
    bool normals = true;      // false: f is no distance, only its sign means something
    std::string where{};      // in the user's file, for messages
};

// f < 0 is inside and must lie within `bounds`. Cells fit the bounds so that no surface of a box falls on a
// corner. Normals are unit gradients. Deterministic. Fails (Exit::Scene) beyond 2^27 cells.
TriangleMesh polygonize(const Implicit& f, Box3d bounds, const PolygonizeChoices& choices);

}  // namespace coalesce
