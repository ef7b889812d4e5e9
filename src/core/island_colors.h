// Where the constraints of each color of each island begin and end: input of for_each_island.h.
#pragma once

#include "kernels/math/view.h"

namespace coalesce {

// Constraints are numbered island by island, and color by color inside.
struct IslandColors {
    View<const uint32_t> firstColor;  // by island, and the end
    View<const uint32_t> end;         // by color: of its constraints

    // visit(begin, end) for the constraints of each color
    template <class Visit>
    HD void forEachColor(int island, Visit&& visit) const {
        const uint32_t first = firstColor[island], last = firstColor[island + 1];
        uint32_t begin = first > 0 ? end[first - 1] : 0;
        for (uint32_t color = first; color < last; ++color) {
            visit(begin, end[color]);
            begin = end[color];
        }
    }
};

}  // namespace coalesce
