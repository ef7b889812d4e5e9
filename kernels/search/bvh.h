// Bounding volume hierarchy with stackless traversal.
//
// Nodes are stored depth first: the first child of an inner node follows it, and `first` of an inner node is
// the index of the node after its subtree, where traversal continues if the box is missed. Traversal needs
// one index, and visits leaves in the same order on every device.
#pragma once

#include <cstdint>

#include "kernels/math/vec.h"
#include "kernels/math/view.h"

namespace coalesce {

struct Bounds {
    Vec3 low, high;
};
HD bool overlap(const Bounds& a, const Bounds& b) {
    return a.low.x <= b.high.x && b.low.x <= a.high.x && a.low.y <= b.high.y && b.low.y <= a.high.y &&
           a.low.z <= b.high.z && b.low.z <= a.high.z;
}
HD Vec3 min(Vec3 a, Vec3 b) {
    return {min(a.x, b.x), min(a.y, b.y), min(a.z, b.z)};
}
HD Vec3 max(Vec3 a, Vec3 b) {
    return {max(a.x, b.x), max(a.y, b.y), max(a.z, b.z)};
}
// Bounds of a ball that moves from a to b.
HD Bounds boundsOfPath(Vec3 a, Vec3 b, float radius) {
    const Vec3 r{radius, radius, radius};
    return {min(a, b) - r, max(a, b) + r};
}

// Whether the ray a + t d, 0 ≤ t ≤ most, intersects the box. inverse: component-wise 1/d, finite.
HD bool meets(const Bounds& box, Vec3 a, Vec3 inverse, float most) {
    const Vec3 s{(box.low.x - a.x) * inverse.x, (box.low.y - a.y) * inverse.y, (box.low.z - a.z) * inverse.z};
    const Vec3 t{(box.high.x - a.x) * inverse.x, (box.high.y - a.y) * inverse.y,
                 (box.high.z - a.z) * inverse.z};
    const Vec3 in = min(s, t), out = max(s, t);
    return max(max(in.x, in.y), max(in.z, 0.0f)) <= min(min(out.x, out.y), min(out.z, most));
}
HD float squaredDistance(const Bounds& box, Vec3 p) {
    const Vec3 out = max(max(box.low - p, p - box.high), Vec3{0, 0, 0});
    return dot(out, out);
}

struct BvhNode {
    Vec3 low;
    int32_t first;  // leaf: its first item; inner: the node after its subtree
    Vec3 high;
    int32_t count;  // leaf: number of items, at least 1; inner: 0
};
static_assert(sizeof(BvhNode) == 32);

// Calls leaf(k) for the items of all leaves of the tree nodes[begin … end − 1] whose boxes satisfy hit(box).
template <class Hit, class Leaf>
HD void walk(View<const BvhNode> nodes, int begin, int end, Hit&& hit, Leaf&& leaf) {
    for (int n = begin; n < end;) {
        const BvhNode node = nodes[n];
        const bool inner = node.count == 0;
        if (!hit(Bounds{node.low, node.high})) {
            n = inner ? node.first : n + 1;
            continue;
        }
        for (int k = node.first; k < node.first + node.count; ++k) leaf(k);
        ++n;
    }
}

}  // namespace coalesce
