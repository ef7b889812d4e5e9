#include "geometry/query/bvh_builder.h"

#include <algorithm>
#include <numeric>

namespace coalesce {

namespace {

float along(Vec3 v, int axis) {
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

struct Builder {
    std::span<const Bounds> boxes;
    int leaf;
    std::vector<uint32_t>& order;
    std::vector<BvhNode> nodes;

    Vec3 centerOf(uint32_t i) const { return 0.5f * (boxes[i].low + boxes[i].high); }

    void build(size_t begin, size_t end) {
        Bounds all = boxes[order[begin]];
        Bounds centers{centerOf(order[begin]), centerOf(order[begin])};
        for (size_t k = begin; k < end; ++k) {
            const Bounds& box = boxes[order[k]];
            all = {min(all.low, box.low), max(all.high, box.high)};
            const Vec3 c = centerOf(order[k]);
            centers = {min(centers.low, c), max(centers.high, c)};
        }
        const size_t index = nodes.size();
        nodes.push_back({all.low, static_cast<int32_t>(begin), all.high, static_cast<int32_t>(end - begin)});
        if (end - begin <= static_cast<size_t>(leaf)) {
            std::sort(order.begin() + begin, order.begin() + end);
            return;
        }
        const Vec3 size = centers.high - centers.low;
        const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
        const size_t middle = begin + (end - begin) / 2;
        // a strict order, so that the split is the same with every standard library
        std::nth_element(order.begin() + begin, order.begin() + middle, order.begin() + end,
                         [&](uint32_t a, uint32_t b) {
                             const float ca = along(centerOf(a), axis), cb = along(centerOf(b), axis);
                             return ca != cb ? ca < cb : a < b;
                         });
        build(begin, middle);
        build(middle, end);
        nodes[index].count = 0;
        nodes[index].first = static_cast<int32_t>(nodes.size());
    }
};

}  // namespace

std::vector<BvhNode> buildTree(std::span<const Bounds> boxes, int leaf, std::vector<uint32_t>& order) {
    order.resize(boxes.size());
    std::iota(order.begin(), order.end(), 0u);
    if (boxes.empty()) return {};
    Builder builder{boxes, leaf, order, {}};
    builder.build(0, boxes.size());
    return std::move(builder.nodes);
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
