// Cells of the neighbor grid: coordinates, sort keys, ranges of neighboring rows. [GRE08], [VFX15] 5
//
// A cell is as wide as the largest support. Keys order cells by z, then y, then x, relative to a planned box
// around the particles, so that few bits need sorting. The domain is unbounded: the box follows the
// particles.
#pragma once

#include "kernels/math/atomics.h"
#include "kernels/math/view.h"
#include "kernels/particles/status_block.h"

namespace coalesce {

constexpr int kCellLimit =
    (1 << 20) - 2;  // cells from the origin, per axis and side: 21 bits with the empty layer

// The box of cells that keys can represent, with one empty layer around it, so that no row wraps.
struct CellKeyLayout {
    int32_t origin[3] = {0, 0, 0};  // cell of key coordinate 0
    int32_t bits[3] = {2, 2, 2};    // of each coordinate
    HD int total() const { return bits[0] + bits[1] + bits[2]; }
};

HD uint64_t packKey(const CellKeyLayout& plan, int x, int y, int z) {
    return ((static_cast<uint64_t>(z) << plan.bits[1] | static_cast<uint64_t>(y)) << plan.bits[0]) |
           static_cast<uint64_t>(x);
}

HD int cellCoordinate(float position, float inverseCell) {
    const float c = floorf(position * inverseCell);
    return static_cast<int>(clamp(c, static_cast<float>(-kCellLimit), static_cast<float>(kCellLimit)));
}

struct MakeCellKeys {
    View<const Vec4> xStar;
    View<uint64_t> key;    // written
    View<uint32_t> order;  // written: 0, 1, 2, …
    StatusBlock* status;
    CellKeyLayout plan;
    float inverseCell;  // [1/m]

    HD void operator()(int i) const {
        const Vec4 p = xStar[i];
        const int cell[3] = {cellCoordinate(p.x, inverseCell), cellCoordinate(p.y, inverseCell),
                             cellCoordinate(p.z, inverseCell)};
        int local[3];
        for (int k = 0; k < 3; ++k) {
            atomicMin(&status->cellMin[k], cell[k]);
            atomicMax(&status->cellMax[k], cell[k]);
            if (cell[k] <= -kCellLimit || cell[k] >= kCellLimit) atomicOr(&status->flags, kDomainOverflow);
            const int last = (1 << plan.bits[k]) - 2;
            local[k] = cell[k] - plan.origin[k];
            if (local[k] < 1 || local[k] > last) {
                atomicOr(&status->flags, kKeyOverflow);
                local[k] = local[k] < 1 ? 1 : last;
            }
        }
        key[i] = packKey(plan, local[0], local[1], local[2]);
        order[i] = static_cast<uint32_t>(i);
    }
};

// Orders particles within a cell by id, independent of their previous order.
struct RankInCell {
    View<const uint32_t> cellOf;  // per sorted position
    View<const uint32_t> starts;  // per cell: first sorted position
    View<const uint32_t> order;   // sorted position -> old slot
    View<const uint32_t> id;      // per old slot
    View<uint32_t> source;        // written: new slot -> old slot

    HD void operator()(int i) const {
        const uint32_t cell = cellOf[i], begin = starts[cell], end = starts[cell + 1];
        const uint32_t mine = id[order[i]];
        uint32_t rank = 0;
        for (uint32_t k = begin; k < end; ++k) rank += id[order[k]] < mine;
        source[begin + rank] = order[i];
    }
};

// Range of particles in a row of three cells x − 1 … x + 1; the nine rows at y ± 1, z ± 1 surround a cell.
struct RowRange {
    uint32_t begin, end;
};
constexpr int kRows = 9;

// Number of cells per bucket of 2^drop consecutive keys; the prefix sum gives the first cell of a bucket.
struct CountBuckets {
    View<const uint64_t> cellKey;
    const uint32_t* cellCount;
    View<uint32_t> count;  // initialized to 0; added to
    int drop;
    HD void operator()(int c) const {
        if (static_cast<uint32_t>(c) < *cellCount) atomicAdd(&count[cellKey[c] >> drop], 1);
    }
};

// The occupied cells, found by their keys.
struct CellTable {
    View<const uint64_t> cellKey;    // per occupied cell, ascending
    View<const uint32_t> cellStart;  // first particle of each cell, and the end
    const uint32_t* cellCount;
    View<const uint32_t> buckets;  // first cell of each bucket, and the end; see CountBuckets
    int drop;

    // Particles of the cells with keys first, first + 1 and first + 2.
    HD RowRange row(uint64_t first) const {
        const uint32_t count = *cellCount, begin = lowerBound(first);
        uint32_t end = begin;
        for (int k = 0; k < 3 && end < count && cellKey[end] <= first + 2; ++k) ++end;
        return {cellStart[begin], cellStart[end]};
    }

private:
    // first cell whose key is not below `key`: one lookup, then bisection inside a bucket
    HD uint32_t lowerBound(uint64_t key) const {
        uint32_t low = buckets[key >> drop];
        uint32_t count = drop > 0 ? buckets[(key >> drop) + 1] - low : 0;
        while (count > 0) {
            const uint32_t half = count / 2;
            const bool right = cellKey[low + half] < key;
            low = right ? low + half + 1 : low;
            count = right ? count - half - 1 : half;
        }
        return low;
    }
};

// Key of the first of the three cells x − 1 … x + 1 in row 0 … kRows − 1 around a cell.
HD uint64_t rowKey(const CellKeyLayout& plan, uint64_t cell, int row) {
    const int64_t stepY = int64_t{1} << plan.bits[0], stepZ = int64_t{1} << (plan.bits[0] + plan.bits[1]);
    return cell + (row / 3 - 1) * stepZ + (row % 3 - 1) * stepY - 1;
}

struct FindRows {
    CellTable cells;
    View<RowRange> rows;  // written: kRows per cell
    StatusBlock* status;
    CellKeyLayout plan;

    HD void operator()(int c) const {
        const uint32_t count = *cells.cellCount;
        if (c == 0) {
            atomicMax(&status->requiredCells, count);
            if (count * kRows > rows.size) atomicOr(&status->flags, kCellOverflow);
        }
        if (static_cast<uint32_t>(c) >= count || (c + 1) * kRows > static_cast<int64_t>(rows.size)) return;
        for (int row = 0; row < kRows; ++row)
            rows[c * kRows + row] = cells.row(rowKey(plan, cells.cellKey[c], row));
    }
};

}  // namespace coalesce
