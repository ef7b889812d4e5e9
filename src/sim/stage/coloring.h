// Colors of constraints: no two of a color share a row, so that all of one color may move their particles at
// once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace coalesce {

struct Coloring {
    std::vector<uint32_t> order;  // constraints, one color after the other
    std::vector<uint32_t> end;    // by color, into order
};
// rows: of all constraints, one after the other; first: where those of each begin, and the end. Greedy, in
// the order of the constraints.
Coloring colorConstraints(std::span<const uint32_t> rows, std::span<const uint32_t> first, size_t rowCount);

}  // namespace coalesce
