// Trees of boxes over triangles, or over anything that has a box.
#pragma once

#include <span>
#include <vector>

#include "geometry/mesh/mesh.h"
#include "kernels/search/bvh.h"

namespace coalesce {

// Halves at the median of the longest axis of the centers; at most `leaf` things in a leaf. A leaf names
// order[first … first + count − 1]. The result depends on the boxes alone.
std::vector<BvhNode> buildTree(std::span<const Bounds> boxes, int leaf, std::vector<uint32_t>& order);

struct TriangleBvh {
    std::vector<BvhNode> nodes;
    TriangleMesh mesh;  // triangles in the order of the leaves
};
TriangleBvh buildBvh(TriangleMesh mesh);

}  // namespace coalesce
