// Graph coloring of constraints: constraints of one color share no row that they move, so they are solved in parallel.
// Islands are connected components: constraints of different islands share no row, so islands do not wait for one
// another between colors.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace coalesce {

// Greedy, in the order of the constraints: the color of each. rows: of all constraints, one after the other; first:
// where the rows of each constraint begin, and the end.
std::vector<uint32_t> colorConstraints(std::span<const uint32_t> rows, std::span<const uint32_t> first,
                                       size_t rowCount);

// An order in which constraints are solved.
struct Coloring {
    std::vector<uint32_t> colorOf;  // by constraint
    uint32_t colors = 0;

    // Constraints: first those of islands with at most kMostOfColor constraints of any color, island by island, and
    // color by color inside; then those of all others, color by color.
    static constexpr uint32_t kMostOfColor = 512;
    std::vector<uint32_t> order;
    std::vector<uint32_t> end;         // of each color of each island, into order
    std::vector<uint32_t> firstColor;  // of each such island, into end; last: of the others
};
// rows, first: as above, with the rows that constraints only read.
Coloring orderByIsland(std::vector<uint32_t> colorOf, std::span<const uint32_t> rows,
                       std::span<const uint32_t> first, size_t rowCount);

}  // namespace coalesce
