// Connected pieces of surface meshes.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/surface/surface_mesher.h"

namespace coalesce {

// The piece of each vertex, counted from 0 in the order of size: the most triangles first, of equal ones that
// with the first vertex. Triangles that share a vertex belong to one piece.
std::vector<uint32_t> piecesOf(const SurfaceMesh& mesh);

}  // namespace coalesce
