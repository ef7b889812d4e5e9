// Neighbor search on a uniform grid, once per substep: sorts and reorders particles by cell, builds the
// lists.
#pragma once

#include <tuple>
#include <vector>

#include "core/array_set.h"
#include "core/scratch.h"
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
    // Whether the table of cells holds all cells of the box, or the occupied ones.
    static bool usesDenseTable(const CellKeyLayout& keys, size_t particles);
    static float cellSize(const World& world, const MaterialSummary& summary);

private:
    // Sort particles by cell and by id inside a cell, and return the rows around them.
    NeighborRows sortDense(const StepContext& step, Scratch::Scope& scratch);
    NeighborRows sortOccupied(const StepContext& step, Scratch::Scope& scratch);
    // Exchanges the arrays of particles for others; returns both, for the kernel that reorders.
    std::vector<ArrayPair> exchangeArrays(const StepContext& step);
    void buildFluidLists(const StepContext& step, const SearchPositions& positions, const NeighborRows& rows);
    void buildPairLists(const StepContext& step, const SearchPositions& positions, const NeighborRows& rows);

    Buffer<int> m_count{exec}, m_entries{exec};
    Buffer<int> m_pairCount{exec}, m_pairEntries{exec};
    int64_t m_stride = 0;
    Buffer<uint32_t> m_cellCount{exec};  // of the dense table; 0 after each sort
    bool m_countsAreZero = false;        // not after a sort that failed
    // Arrays of type T that are exchanged with those that are reordered.
    template <class T>
    struct Spares {
        std::vector<Buffer<T>> arrays;
        size_t used = 0;
    };
    std::tuple<Spares<Vec4>, Spares<uint32_t>, Spares<float>> m_spares;
};

}  // namespace coalesce
