#include "sim/stage/coloring.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "core/disjoint_sets.h"

namespace coalesce {

std::vector<uint32_t> colorConstraints(std::span<const uint32_t> rows, std::span<const uint32_t> first,
                                       size_t rowCount) {
    const size_t constraints = first.empty() ? 0 : first.size() - 1;
    std::vector<uint32_t> colorOf(constraints);
    std::vector<std::vector<uint64_t>> used(rowCount);  // bits of the colors at a row
    for (size_t c = 0; c < constraints; ++c) {
        const auto own = rows.subspan(first[c], first[c + 1] - first[c]);
        uint32_t color = 0;
        const auto taken = [&] {
            for (const uint32_t row : own)
                if (color / 64 < used[row].size() && (used[row][color / 64] >> (color % 64) & 1)) return true;
            return false;
        };
        while (taken()) ++color;
        for (const uint32_t row : own) {
            if (used[row].size() <= color / 64) used[row].resize(color / 64 + 1, 0);
            used[row][color / 64] |= uint64_t{1} << (color % 64);
        }
        colorOf[c] = color;
    }
    return colorOf;
}

Coloring orderByIsland(std::vector<uint32_t> colorOf, std::span<const uint32_t> rows,
                       std::span<const uint32_t> first, size_t rowCount) {
    const size_t constraints = colorOf.size();
    Coloring all;
    all.colors = constraints == 0 ? 0 : 1 + *std::max_element(colorOf.begin(), colorOf.end());

    DisjointSets islands(rowCount);
    for (size_t c = 0; c < constraints; ++c)
        for (uint32_t k = first[c] + 1; k < first[c + 1]; ++k) islands.join(rows[first[c]], rows[k]);
    std::vector<uint32_t> islandOf(constraints);
    for (size_t c = 0; c < constraints; ++c) islandOf[c] = islands.find(rows[first[c]]);

    all.order.resize(constraints);
    std::iota(all.order.begin(), all.order.end(), uint32_t{0});
    const auto sort = [&] {
        std::stable_sort(all.order.begin(), all.order.end(), [&](uint32_t a, uint32_t b) {
            return std::tie(islandOf[a], colorOf[a]) < std::tie(islandOf[b], colorOf[b]);
        });
    };
    // visit(begin, end) for each color of each island
    const auto forEachColor = [&](auto visit) {
        for (size_t begin = 0, end; begin < constraints; begin = end) {
            const uint32_t c = all.order[begin];
            for (end = begin; end < constraints; ++end)
                if (islandOf[all.order[end]] != islandOf[c] || colorOf[all.order[end]] != colorOf[c]) break;
            visit(begin, end);
        }
    };

    // all large islands become one, after the small ones
    const auto large = uint32_t(rowCount);
    sort();
    std::vector<bool> isLarge(rowCount, false);
    forEachColor([&](size_t begin, size_t end) {
        if (end - begin > Coloring::kMostOfColor) isLarge[islandOf[all.order[begin]]] = true;
    });
    for (uint32_t& island : islandOf)
        if (isLarge[island]) island = large;
    sort();
    uint32_t previous = large + 1;
    forEachColor([&](size_t begin, size_t end) {
        const uint32_t island = islandOf[all.order[begin]];
        if (island != previous) all.firstColor.push_back(uint32_t(all.end.size()));
        all.end.push_back(uint32_t(end));
        previous = island;
    });
    if (previous != large) all.firstColor.push_back(uint32_t(all.end.size()));
    all.colorOf = std::move(colorOf);
    return all;
}

}  // namespace coalesce
