// Ways down a bounding volume hierarchy that visit one node per level.
#pragma once

#include "kernels/search/bvh.h"

namespace coalesce {

// Nodes begin … end − 1 of a tree, which are a subtree; none where begin = end.
struct NodeRange {
    int begin, end;
};

// The smallest subtree that has all leaves of `tree` whose boxes satisfy hit(box).
template <class Hit>
HD NodeRange smallestSubtree(View<const BvhNode> nodes, NodeRange tree, Hit&& hit) {
    while (nodes[tree.begin].count == 0) {
        const BvhNode first = nodes[tree.begin + 1];
        const int next = first.count == 0 ? first.first : tree.begin + 2;
        const BvhNode second = nodes[next];
        const bool inFirst = hit(Bounds{first.low, first.high}),
                   inSecond = hit(Bounds{second.low, second.high});
        if (inFirst && inSecond) break;
        if (!inFirst && !inSecond) return {tree.begin, tree.begin};
        tree = inFirst ? NodeRange{tree.begin + 1, next} : NodeRange{next, tree.end};
    }
    return tree;
}

// The leaf at the end of the way that takes the child of lesser distance(box) at every node.
template <class Distance>
HD BvhNode nearbyLeaf(View<const BvhNode> nodes, NodeRange tree, Distance&& distance) {
    int n = tree.begin;
    BvhNode node = nodes[n];
    while (node.count == 0) {
        const BvhNode first = nodes[n + 1];
        const int next = first.count == 0 ? first.first : n + 2;
        const BvhNode second = nodes[next];
        const bool toFirst =
            distance(Bounds{first.low, first.high}) <= distance(Bounds{second.low, second.high});
        n = toFirst ? n + 1 : next;
        node = toFirst ? first : second;
    }
    return node;
}

}  // namespace coalesce
