// Closed manifold meshes with fewer triangles, which stay closed and manifold.
//
// An edge collapse merges the two vertices of an edge, and the two triangles at it vanish.
// It keeps the topology where the vertices have exactly two neighbors in common, each with
// more than three triangles [DEGN99]; it is refused elsewhere, and where a triangle would
// turn over. The order depends on the mesh alone.
#pragma once

#include <cstdint>
#include <vector>

#include "geometry/mesh/mesh.h"

namespace coalesce {

struct ReducedMesh {
    std::vector<Vec3> position;  // [m]
    std::vector<Triangle> triangle;
    std::vector<uint32_t> source;  // per vertex: the one of the given mesh that it was

    size_t size() const { return position.size(); }
};

// Leaves out connected pieces that enclose less than a volume [m³], cavities among them.
void dropSmallPieces(ReducedMesh& mesh, double minVolume);

// Merges vertices of marching cubes, which lie on the edges of a grid with nodes at integer
// multiples of a cell [m]: those at most `distance` cells from the same node, at their
// mean. Removes triangles with short sides. [MW92]
void mergeAtNodes(ReducedMesh& mesh, double cell, double distance);

// Collapses edges, those that move the surface least first, until it would move by more than
// `tolerance` [m] or an edge would be longer than `longestEdge` [m]. The new vertex is where the planes
// of the triangles at the edge meet best [GH97]. On all threads, by blocks of space that are fixed by
// longestEdge; the result depends on the mesh alone.
void decimate(ReducedMesh& mesh, double tolerance, double longestEdge);

}  // namespace coalesce
