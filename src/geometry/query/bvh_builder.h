// Builds bounding volume hierarchies over triangles or boxes.
#pragma once

#include <span>
#include <vector>

#include "geometry/mesh/mesh.h"
#include "kernels/search/bvh.h"

namespace coalesce {

// Median split along the longest axis of the centers; at most `leaf` items per leaf. A leaf refers to
// order[first … first + count − 1]. The result depends on the boxes only.
std::vector<BvhNode> buildTree(std::span<const Bounds> boxes, int leaf, std::vector<uint32_t>& order);

struct TriangleBvh {
    std::vector<BvhNode> nodes;
    TriangleMesh mesh;  // triangles in leaf order
};
TriangleBvh buildBvh(TriangleMesh mesh);

}  // namespace coalesce
