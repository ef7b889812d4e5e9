// Neighbor search on a uniform grid, once per substep: sorts and reorders particles by cell, builds the
// lists.
#pragma once

#include "kernels/search/neighbor_lists.h"
#include "sim/stage/step_context.h"

namespace coalesce {

class Neighbors : Stage {
public:
    using Stage::Stage;

    // At x*. Changes the storage order of the particles.
    void build(const StepContext& step);
    // Drops the lists: the particles were replaced.
    void clear();
    // Pairs within the support of liquids, at least one of the two being liquid; empty in a world without
    // liquids.
    NeighborLists lists() const { return {m_count.view(), m_entries.view(), m_stride}; }
    // Pairs that may touch, at least one of the two being solid; empty in a world without grains and bodies.
    NeighborLists pairs() const { return {m_pairCount.view(), m_pairEntries.view(), m_stride}; }

    // Keys for the cells low … high, with a margin for motion.
    static CellKeyLayout planKeys(const int32_t low[3], const int32_t high[3]);
    static float cellSize(const World& world, const MaterialSummary& summary);

private:
    void reorder(const StepContext& step, View<const uint32_t> source);
    void buildFluidLists(const StepContext& step, const PositionsSoA& positions, View<const uint32_t> cellOf,
                         View<const RowRange> rows);
    void buildPairLists(const StepContext& step, const PositionsSoA& positions, View<const uint32_t> cellOf,
                        View<const RowRange> rows);

    Buffer<int> m_count{exec}, m_entries{exec};
    Buffer<int> m_pairCount{exec}, m_pairEntries{exec};
    int64_t m_stride = 0;
    Buffer<Vec4> m_spare{exec};  // exchanged with the array that is being reordered
};

}  // namespace coalesce
