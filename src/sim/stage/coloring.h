// Graph coloring of constraints: constraints of one color share no row, so a color is solved in parallel.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace coalesce {

struct Coloring {
    std::vector<uint32_t> order;  // constraints, color by color
    std::vector<uint32_t> end;    // by color, into order
};
// rows: of all constraints, one after the other; first: where the rows of each constraint begin, and the end.
// Greedy, in the order of the constraints.
Coloring colorConstraints(std::span<const uint32_t> rows, std::span<const uint32_t> first, size_t rowCount);

}  // namespace coalesce
