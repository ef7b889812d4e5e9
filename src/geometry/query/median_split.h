// Builds binary trees over items by median splits: the topology of bounding volume hierarchies.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "geometry/math/vec3d.h"

namespace coalesce {

// Splits items at the median of their centers until a node has at most `leaf` of them. Nodes are numbered
// depth first: the first child of an inner node follows it, the second one follows the subtree of the first.
//
// addNode(begin, end) is called once for each node, in this order, and before its items order[begin … end −
// 1] are split; it returns the extent [m] whose longest axis the split takes.
template <class AddNode>
class MedianSplit {
public:
    MedianSplit(std::span<const Vec3d> centers, size_t leaf, std::vector<uint32_t>& order, AddNode addNode)
        : m_centers(centers), m_leaf(leaf), m_order(order), m_addNode(std::move(addNode)) {
        m_order.resize(centers.size());
        std::iota(m_order.begin(), m_order.end(), 0u);
        if (!centers.empty()) split(0, centers.size());
    }
    // For each node, the node after its subtree.
    std::span<const uint32_t> next() const { return m_next; }

private:
    void split(size_t begin, size_t end) {
        const size_t node = m_next.size();
        m_next.push_back(0);
        const Vec3d extent = m_addNode(begin, end);
        if (end - begin > m_leaf) {
            int axis = 0;  // the first of the longest
            extent.maxCoeff(&axis);
            const size_t middle = begin + (end - begin) / 2;
            // a strict order, so that the split is the same with every standard library
            std::nth_element(m_order.begin() + begin, m_order.begin() + middle, m_order.begin() + end,
                             [&](uint32_t a, uint32_t b) {
                                 const double ca = m_centers[a][axis], cb = m_centers[b][axis];
                                 return ca != cb ? ca < cb : a < b;
                             });
            split(begin, middle);
            split(middle, end);
        }
        m_next[node] = uint32_t(m_next.size());
    }

    std::span<const Vec3d> m_centers;
    size_t m_leaf;
    std::vector<uint32_t>& m_order;
    AddNode m_addNode;
    std::vector<uint32_t> m_next;
};

}  // namespace coalesce
