#include "export/surface_pieces.h"

#include <algorithm>
#include <numeric>

#include "core/disjoint_sets.h"

namespace coalesce {

std::vector<uint32_t> piecesOf(const SurfaceMesh& mesh) {
    const size_t n = mesh.position.size();
    DisjointSets sets(n);
    for (const Triangle& t : mesh.triangle) sets.join(t[0], t[1]), sets.join(t[0], t[2]);

    // pieces in the order of their first vertices
    constexpr uint32_t kNone = ~0u;
    std::vector<uint32_t> piece(n), numberOf(n, kNone), triangles;
    for (uint32_t i = 0; i < n; ++i) {
        uint32_t& number = numberOf[sets.find(i)];
        if (number == kNone) number = uint32_t(triangles.size()), triangles.push_back(0);
        piece[i] = number;
    }
    for (const Triangle& t : mesh.triangle) ++triangles[piece[t[0]]];

    // in the order of size
    std::vector<uint32_t> order(triangles.size()), rank(triangles.size());
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::stable_sort(order, [&](uint32_t a, uint32_t b) { return triangles[a] > triangles[b]; });
    for (uint32_t k = 0; k < order.size(); ++k) rank[order[k]] = k;
    for (uint32_t& p : piece) p = rank[p];
    return piece;
}

}  // namespace coalesce
