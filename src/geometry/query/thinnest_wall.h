// The thinnest wall of a mesh: what a field's cells or particles have to resolve.
#pragma once

#include <optional>

#include "geometry/mesh/mesh.h"

namespace coalesce {

struct Wall {
    double thickness = 0;  // [m]
    Vec3 at{};             // [m] center of a triangle on one of its sides
};

// The shortest way inward from the center of a triangle to a triangle of the opposite side, of which the
// normals differ by 120 degrees or more: two sides of an edge are no wall. Of large meshes an even selection
// of the triangles is tried. nullopt: none was found, as in an open sheet.
std::optional<Wall> thinnestWall(const TriangleMesh& mesh);

}  // namespace coalesce
