// Constraints on the device, in the order in which they are solved color by color: see solve_colored.h.
#pragma once

#include "core/buffer.h"
#include "core/island_colors.h"
#include "sim/stage/coloring.h"
#include "sim/stage/step_context.h"

namespace coalesce {

class ColoredConstraints : Stage {
public:
    using Stage::Stage;

    void upload(const Coloring& coloring) {
        m_order.upload(coloring.order);
        m_end.upload(coloring.end);
        m_firstColor.upload(coloring.firstColor);
        m_islands = coloring.firstColor.size() - 1;
        const uint32_t first = coloring.firstColor.back();
        m_largeColors.clear();
        uint32_t begin = first > 0 ? coloring.end[first - 1] : 0;
        for (size_t color = first; color < coloring.end.size(); ++color) {
            const uint32_t end = coloring.end[color];
            m_largeColors.push_back(m_order.view().subview(begin, end - begin));
            begin = end;
        }
    }

    View<const uint32_t> order() const { return m_order.view(); }
    // Small islands, all colors of which are solved in one launch.
    size_t islands() const { return m_islands; }
    IslandColors islandColors() const { return {m_firstColor.view(), m_end.view()}; }
    // The constraints of each color of large islands.
    const std::vector<View<const uint32_t>>& largeColors() const { return m_largeColors; }

private:
    Buffer<uint32_t> m_order{exec}, m_end{exec}, m_firstColor{exec};  // of Coloring
    size_t m_islands = 0;
    std::vector<View<const uint32_t>> m_largeColors;
};

}  // namespace coalesce
