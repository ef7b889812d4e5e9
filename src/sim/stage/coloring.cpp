#include "sim/stage/coloring.h"

namespace coalesce {

Coloring colorConstraints(std::span<const uint32_t> rows, std::span<const uint32_t> first, size_t rowCount) {
    const size_t constraints = first.empty() ? 0 : first.size() - 1;
    std::vector<uint32_t> colorOf(constraints), count;
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
        if (count.size() <= color) count.resize(color + 1, 0);
        colorOf[c] = color;
        ++count[color];
    }
    Coloring colors;
    std::vector<uint32_t> next;
    for (const uint32_t n : count) {
        next.push_back(colors.end.empty() ? 0 : colors.end.back());
        colors.end.push_back(next.back() + n);
    }
    colors.order.resize(constraints);
    for (size_t c = 0; c < constraints; ++c) colors.order[next[colorOf[c]]++] = uint32_t(c);
    return colors;
}

}  // namespace coalesce
