#include "geometry/query/bvh_builder.h"

#include <algorithm>

#include "geometry/query/median_split.h"

namespace coalesce {

std::vector<BvhNode> buildTree(std::span<const Bounds> boxes, int leaf, std::vector<uint32_t>& order) {
    const auto centerOf = [&](uint32_t i) { return 0.5f * (boxes[i].low + boxes[i].high); };
    std::vector<Vec3d> centers;
    centers.reserve(boxes.size());
    for (uint32_t i = 0; i < boxes.size(); ++i) centers.push_back(toDouble(centerOf(i)));

    std::vector<BvhNode> nodes;
    const MedianSplit split(centers, size_t(leaf), order, [&](size_t begin, size_t end) {
        Bounds all = boxes[order[begin]];
        Bounds middles{centerOf(order[begin]), centerOf(order[begin])};
        for (size_t k = begin; k < end; ++k) {
            const Bounds& box = boxes[order[k]];
            all = {min(all.low, box.low), max(all.high, box.high)};
            const Vec3 c = centerOf(order[k]);
            middles = {min(middles.low, c), max(middles.high, c)};
        }
        nodes.push_back({all.low, int32_t(begin), all.high, int32_t(end - begin)});
        return toDouble(middles.high - middles.low);
    });
    for (size_t n = 0; n < nodes.size(); ++n) {
        BvhNode& node = nodes[n];
        if (node.count > leaf)
            node.first = int32_t(split.next()[n]), node.count = 0;
        else  // the median leaves the items of a leaf in the order of the standard library
            std::sort(order.begin() + node.first, order.begin() + node.first + node.count);
    }
    return nodes;
}

TriangleBvh buildBvh(TriangleMesh mesh) {
    std::vector<Bounds> boxes;
    boxes.reserve(mesh.triangles.size());
    for (const Triangle& t : mesh.triangles) {
        const Vec3 &a = mesh.vertices[t[0]], &b = mesh.vertices[t[1]], &c = mesh.vertices[t[2]];
        boxes.push_back({min(a, min(b, c)), max(a, max(b, c))});
    }
    std::vector<uint32_t> order;
    std::vector<BvhNode> nodes = buildTree(boxes, 4, order);
    std::vector<Triangle> triangles;
    triangles.reserve(order.size());
    for (const uint32_t k : order) triangles.push_back(mesh.triangles[k]);
    mesh.triangles = std::move(triangles);
    return {std::move(nodes), std::move(mesh)};
}

}  // namespace coalesce
