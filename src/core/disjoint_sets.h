// Union-find with path halving: sets of integers that are joined.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace coalesce {

class DisjointSets {
public:
    // Every integer below `count` is a set of its own.
    explicit DisjointSets(size_t count) : m_parent(count) {
        std::iota(m_parent.begin(), m_parent.end(), uint32_t{0});
    }
    // The smallest member of the set of i.
    uint32_t find(uint32_t i) {
        while (m_parent[i] != i) i = m_parent[i] = m_parent[m_parent[i]];
        return i;
    }
    void join(uint32_t a, uint32_t b) {
        a = find(a), b = find(b);
        m_parent[std::max(a, b)] = std::min(a, b);
    }
    // Numbers the sets by their smallest members: the number of the set of each integer; returns how many there are.
    size_t number(std::vector<uint32_t>& of) {
        of.resize(m_parent.size());
        uint32_t count = 0;
        for (uint32_t i = 0; i < of.size(); ++i) {
            const uint32_t first = find(i);
            of[i] = first == i ? count++ : of[first];
        }
        return count;
    }

private:
    std::vector<uint32_t> m_parent;
};

}  // namespace coalesce
