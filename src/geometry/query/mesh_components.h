// Connected components of triangle meshes.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "geometry/mesh/mesh.h"

namespace coalesce {

class DisjointSets {
public:
    explicit DisjointSets(size_t count) : m_parent(count) { std::iota(m_parent.begin(), m_parent.end(), 0u); }
    uint32_t rootOf(uint32_t i) {
        while (m_parent[i] != i) i = m_parent[i] = m_parent[m_parent[i]];
        return i;
    }
    void join(uint32_t a, uint32_t b) { m_parent[rootOf(a)] = rootOf(b); }

private:
    std::vector<uint32_t> m_parent;
};

// Triangles that share vertices, by position; in the order of their first triangles. Without normals.
std::vector<TriangleMesh> componentsOf(const TriangleMesh& mesh);

}  // namespace coalesce
