// Connected components of triangle meshes.
#pragma once

#include <vector>

#include "geometry/mesh/mesh.h"

namespace coalesce {

// Triangles that share vertices, by position; in the order of their first triangles. Without normals.
std::vector<TriangleMesh> componentsOf(const TriangleMesh& mesh);

}  // namespace coalesce
