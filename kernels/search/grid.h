// Cells of the neighbor grid: coordinates, keys, ranges of neighboring rows. [GRE08], [VFX15] 5
//
// A cell is as wide as the largest support. Keys order cells by z, then y, then x, relative to a planned box
// around the particles. The domain is unbounded: the box follows the particles.
//
// Where the box has few cells per particle, particles are sorted by counting those of each cell of the box,
// and the table of cells is dense. Otherwise they are sorted by key, and the table holds the occupied cells.
#pragma once

#include "kernels/math/integer_box.h"
#include "kernels/math/view.h"
#include "kernels/particles/status_block.h"

namespace coalesce {

constexpr int kCellLimit =
    (1 << 20) - 2;  // cells from the origin, per axis and side: 21 bits with the empty layer

// The box of cells that keys can represent, with one empty layer around it, so that no row wraps.
struct CellKeyLayout {
    int32_t origin[3] = {0, 0, 0};  // cell of key coordinate 0
    int32_t size[3] = {4, 4, 4};    // cells along each axis, the empty layer included
    // from the key of a cell to that of the next along y and z
    HD int64_t stepY() const { return size[0]; }
    HD int64_t stepZ() const { return int64_t{size[0]} * size[1]; }
    HD int64_t cells() const { return stepZ() * size[2]; }
    int keyBits() const {
        int bits = 0;
        while (uint64_t{1} << bits < static_cast<uint64_t>(cells())) ++bits;
        return bits;
    }
};

HD uint64_t packKey(const CellKeyLayout& plan, int x, int y, int z) {
    return static_cast<uint64_t>(z * plan.stepZ() + y * plan.stepY() + x);
}

HD int cellCoordinate(float position, float inverseCell) {
    const float c = floorf(position * inverseCell);
    return static_cast<int>(clamp(c, static_cast<float>(-kCellLimit), static_cast<float>(kCellLimit)));
}

// The cell of a point, as a box of one cell.
HD IntegerBox cellOfPoint(float inverseCell, Vec3 p) {
    const int x = cellCoordinate(p.x, inverseCell), y = cellCoordinate(p.y, inverseCell),
              z = cellCoordinate(p.z, inverseCell);
    return {{x, y, z}, {x, y, z}};
}

// Key of a cell; of one outside of the planned box, that of a cell at its border.
HD uint64_t keyOfCell(const CellKeyLayout& plan, const int32_t cell[3]) {
    int local[3];
    for (int k = 0; k < 3; ++k) {
        const int last = plan.size[k] - 2;
        local[k] = cell[k] - plan.origin[k];
        local[k] = local[k] < 1 ? 1 : local[k] > last ? last : local[k];
    }
    return packKey(plan, local[0], local[1], local[2]);
}

HD uint64_t keyOfPoint(const CellKeyLayout& plan, float inverseCell, Vec3 p) {
    return keyOfCell(plan, cellOfPoint(inverseCell, p).low);
}

// The cell of each particle; reduces their bounding box into the status.
struct FindCell {
    View<const Vec4> xStar;
    StatusBlock* status;
    CellKeyLayout plan;
    float inverseCell;  // [1/m]

    HD IntegerBox find(int i) const { return cellOfPoint(inverseCell, xyz(xStar[i])); }

    HD void finish(const IntegerBox& box) const {
        uint32_t flags = 0;
        for (int k = 0; k < 3; ++k) {
            atomicMin(&status->cellMin[k], box.low[k]);
            atomicMax(&status->cellMax[k], box.high[k]);
            if (box.low[k] <= -kCellLimit || box.high[k] >= kCellLimit) flags |= kDomainOverflow;
            if (box.low[k] < plan.origin[k] + 1 || box.high[k] > plan.origin[k] + plan.size[k] - 2)
                flags |= kKeyOverflow;
        }
        if (flags != 0) atomicOr(&status->flags, flags);
    }
};

struct MakeCellKeys : FindCell {
    View<uint64_t> key;    // written
    View<uint32_t> order;  // written: 0, 1, 2, …

    HD IntegerBox operator()(int i) const {
        const IntegerBox box = find(i);
        key[i] = keyOfCell(plan, box.low);
        order[i] = static_cast<uint32_t>(i);
        return box;
    }
};

// ---- dense table: counting sort ----

struct CountInCells : FindCell {
    View<uint32_t> count;  // per cell of the box; 0 before; added to
    View<uint32_t> cell;   // written: the cell of each particle
    View<uint32_t>
        arrival;  // written: how many of the cell were counted before; depends on the order of threads

    HD IntegerBox operator()(int i) const {
        const IntegerBox box = find(i);
        cell[i] = static_cast<uint32_t>(keyOfCell(plan, box.low));
        arrival[i] = atomicAdd(&count[cell[i]], 1);
        return box;
    }
};

// Lists the ids of each cell, in the order of their arrival. Clears
// the counts again: a launch fewer than filling.
struct PlaceInCells {
    View<const uint32_t> cell, arrival, id;
    View<const uint32_t> starts;  // per cell: first sorted position
    View<uint32_t> sortedId;      // written
    View<uint32_t> count;         // of CountInCells, cleared
    HD void operator()(int i) const {
        sortedId[starts[cell[i]] + arrival[i]] = id[i];
        if (arrival[i] == 0) count[cell[i]] = 0;
    }
};

// Orders the particles of each cell by id, so that nothing depends on the order of arrival.
struct SortCells {
    View<const uint32_t> cell, id;  // per old slot
    View<const uint32_t> starts;    // per cell: first sorted position
    View<const uint32_t> sortedId;  // of PlaceInCells
    View<uint32_t> target;          // written: old slot -> new slot
    View<uint32_t> cellOf;          // written: per new slot

    HD void operator()(int i) const {
        const uint32_t c = cell[i], begin = starts[c], end = starts[c + 1], mine = id[i];
        uint32_t rank = 0;
        for (uint32_t k = begin; k < end; ++k) rank += sortedId[k] < mine;
        target[i] = begin + rank;
        cellOf[begin + rank] = c;
    }
};

// ---- table of occupied cells: sort by key ----

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

// The rows of the particles' cells, in either table.
struct NeighborRows {
    View<const uint32_t> cellOf;   // per particle
    View<const RowRange> rows;     // kRows per occupied cell; or
    View<const uint32_t> starts;   // dense: first particle of each cell of the box, and the end
    int32_t stepY = 0, stepZ = 0;  // dense: from a cell to the next along y and z

    // false: the capacity of the table of occupied cells was too small for the cell
    HD bool known(uint32_t cell) const { return starts.size > 0 || (cell + 1) * kRows <= rows.size; }
    HD RowRange of(uint32_t cell, int row) const {
        if (starts.size == 0) return rows[cell * kRows + row];
        const int c = static_cast<int>(cell) + (row / 3 - 1) * stepZ + (row % 3 - 1) * stepY;
        return {starts[c - 1], starts[c + 2]};
    }
};

constexpr uint32_t kNoCell = 0xffffffffu;

// The occupied cells, found by their keys: by a lookup of the bucket of 2^drop consecutive keys, and bisection inside it.
struct CellTable {
    View<const uint64_t> cellKey;    // per cell, ascending
    View<const uint32_t> cellStart;  // first particle of each cell, and the end; only for row and forEachCell
    const uint32_t* cellCount;       // null: as many as there are keys
    View<const uint32_t> buckets;    // first cell of each bucket, and the end
    int drop;

    HD uint32_t count() const { return cellCount ? *cellCount : static_cast<uint32_t>(cellKey.size); }

    // Particles of the cells with keys first, first + 1 and first + 2.
    HD RowRange row(uint64_t first) const {
        const uint32_t cells = count(), begin = lowerBound(first);
        uint32_t end = begin;
        for (int k = 0; k < 3 && end < cells && cellKey[end] <= first + 2; ++k) ++end;
        return {cellStart[begin], cellStart[end]};
    }

    // The cell with this key, or kNoCell.
    HD uint32_t find(uint64_t key) const {
        const uint32_t c = lowerBound(key);
        return c < count() && cellKey[c] == key ? c : kNoCell;
    }

    // visit(key, particles) for the occupied cells with keys first … last, ascending
    template <class Visit>
    HD void forEachCell(uint64_t first, uint64_t last, Visit&& visit) const {
        for (uint32_t c = lowerBound(first), cells = count(); c < cells && cellKey[c] <= last; ++c)
            visit(cellKey[c], RowRange{cellStart[c], cellStart[c + 1]});
    }

private:
    // first cell whose key is not below `key`
    HD uint32_t lowerBound(uint64_t key) const {
        uint32_t low = buckets[key >> drop];
        uint32_t inBucket = drop > 0 ? buckets[(key >> drop) + 1] - low : 0;
        while (inBucket > 0) {
            const uint32_t half = inBucket / 2;
            const bool right = cellKey[low + half] < key;
            low = right ? low + half + 1 : low;
            inBucket = right ? inBucket - half - 1 : half;
        }
        return low;
    }
};

// Number of cells per bucket; the prefix sum gives the first cell of each.
struct CountBuckets {
    CellTable cells;
    View<uint32_t> count;  // initialized to 0; added to
    HD void operator()(int c) const {
        if (static_cast<uint32_t>(c) < cells.count()) atomicAdd(&count[cells.cellKey[c] >> cells.drop], 1);
    }
};

// Key of the first of the three cells x − 1 … x + 1 in row 0 … kRows − 1 around a cell.
HD uint64_t rowKey(const CellKeyLayout& plan, uint64_t cell, int row) {
    return cell + (row / 3 - 1) * plan.stepZ() + (row % 3 - 1) * plan.stepY() - 1;
}

struct FindRows {
    CellTable cells;
    View<RowRange> rows;  // written: kRows per cell
    StatusBlock* status;
    CellKeyLayout plan;

    HD void operator()(int c) const {
        const uint32_t count = cells.count();
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
