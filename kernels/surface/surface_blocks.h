// Sparse grid around a liquid, on which its surface is found.
//
// Nodes lie at integer multiples of the cell size, fixed in space, so that the mesh of a liquid at rest does
// not change from frame to frame. A block has 4³ nodes and owns the 4³ cells to their upper sides. Bins hold
// the particles: each is m³ blocks wide and at least as wide as the reach of a particle, so that the
// particles that reach a block lie in the 27 bins around it. Blocks are ordered by the key of their bin (z,
// then y, then x). Only blocks that a particle reaches exist; at all other nodes the field is 0.
#pragma once

#include "kernels/math/integer_box.h"
#include "kernels/particles/material_constants.h"
#include "kernels/search/grid.h"

namespace coalesce {

constexpr int kBlockEdge = 4;  // nodes
constexpr int kBlockNodes = kBlockEdge * kBlockEdge * kBlockEdge;
constexpr uint32_t kNoBlock = 0xffffffffu;

struct SurfaceGrid {
    CellKeyLayout plan;  // of the bins
    float cell;          // [m] distance of the nodes
    int blocksPerBin;    // m, per axis

    HD float binEdge() const { return cell * static_cast<float>(kBlockEdge * blocksPerBin); }
    HD int blocksOfBin() const { return blocksPerBin * blocksPerBin * blocksPerBin; }
    HD int64_t stepY() const { return plan.stepY(); }
    HD int64_t stepZ() const { return plan.stepZ(); }
    HD int binCoordinate(uint64_t key, int axis) const {
        const int64_t step = axis == 0 ? 1 : axis == 1 ? stepY() : stepZ();
        return static_cast<int>(static_cast<int64_t>(key) / step % plan.size[axis]) + plan.origin[axis];
    }
};

// Marks the particles of a material.
struct SelectMaterial {
    View<const uint32_t> phase;
    View<uint32_t> selected;  // written
    uint32_t material;
    HD void operator()(int i) const { selected[i] = materialOf(phase[i]) == material; }
};

// Box of the bins of all particles, of forEachReduce.
struct FindBinBounds {
    View<const Vec4> x;  // [m]
    IntegerBox* box;     // extended; the identity before
    float inverseEdge;   // [1/m]
    HD IntegerBox operator()(int i) const { return cellOfPoint(inverseEdge, xyz(x[i])); }
    HD void finish(const IntegerBox& found) const { box->extend(found); }
};

struct MakeBinKeys {
    View<const Vec4> x;    // [m]
    View<uint64_t> key;    // written
    View<uint32_t> order;  // written: 0, 1, 2, …
    CellKeyLayout plan;
    float inverseEdge;  // [1/m]
    HD void operator()(int i) const {
        key[i] = keyOfPoint(plan, inverseEdge, xyz(x[i]));
        order[i] = static_cast<uint32_t>(i);
    }
};

// Orders particles within a bin by id, those of equal ids (images) as they are listed; see RankInCell.
struct RankInBin {
    View<const uint32_t> binOf;   // per sorted position
    View<const uint32_t> starts;  // per bin: first sorted position
    View<const uint32_t> order;   // sorted position → particle
    View<const uint32_t> id;      // per particle
    View<uint32_t> ranked;        // written: new position → particle
    HD void operator()(int i) const {
        const uint32_t bin = binOf[i], begin = starts[bin], end = starts[bin + 1];
        const uint32_t own = order[i], mine = id[own];
        uint32_t rank = 0;
        for (uint32_t k = begin; k < end; ++k) {
            const uint32_t other = order[k], theirs = id[other];
            rank += theirs < mine || (theirs == mine && other < own);
        }
        ranked[begin + rank] = own;
    }
};

// Each bin and its two neighbors along one axis.
struct DilateBins {
    View<const uint64_t> bins;
    View<uint64_t> key;  // written: three per bin
    int64_t step;        // of the key, from a bin to the next along the axis
    HD void operator()(int i) const { key[i] = bins[i / 3] + (i % 3 - 1) * step; }
};

// Particles in the nine rows of three bins around a bin.
struct FindBinRows {
    View<const uint64_t> bins;
    CellTable occupied;
    View<RowRange> rows;  // written: kRows per bin
    CellKeyLayout plan;
    HD void operator()(int i) const { rows[i] = occupied.row(rowKey(plan, bins[i / kRows], i % kRows)); }
};

// The bin of each particle, as an index into the bins around all particles.
struct FindHomeBins {
    View<const Vec4> x;  // [m]
    CellTable table;
    View<uint32_t> home;  // written
    CellKeyLayout plan;
    float inverseEdge;  // [1/m]
    HD void operator()(int i) const { home[i] = table.find(keyOfPoint(plan, inverseEdge, xyz(x[i]))); }
};

// A block: its first node, and its bin.
struct SurfaceBlock {
    int32_t node[3];  // coordinates of node 0
    uint32_t bin;
};

HD SurfaceBlock blockOf(const SurfaceGrid& grid, View<const uint64_t> bins, uint32_t candidate) {
    const int m = grid.blocksPerBin, sub = static_cast<int>(candidate) % grid.blocksOfBin();
    const uint32_t bin = candidate / static_cast<uint32_t>(grid.blocksOfBin());
    const int offset[3] = {sub % m, sub / m % m, sub / (m * m)};
    SurfaceBlock b;
    for (int k = 0; k < 3; ++k) b.node[k] = (grid.binCoordinate(bins[bin], k) * m + offset[k]) * kBlockEdge;
    b.bin = bin;
    return b;
}

// Marks the blocks whose cells a particle reaches.
struct MarkReachedBlocks {
    View<const uint64_t> bins;
    View<const RowRange> rows;  // kRows per bin
    View<const Vec4> center;    // of the particles' kernels [m]
    View<const Vec4> extent;    // half-size of their bounding boxes [m]
    View<uint32_t> reached;     // written: per candidate, blocksOfBin per bin
    SurfaceGrid grid;

    HD void operator()(int i) const {
        const SurfaceBlock b = blockOf(grid, bins, static_cast<uint32_t>(i));
        const float half = 0.5f * grid.cell * kBlockEdge;
        const Vec3 middle{fma(grid.cell, toFloat(b.node[0]), half), fma(grid.cell, toFloat(b.node[1]), half),
                          fma(grid.cell, toFloat(b.node[2]), half)};
        for (int row = 0; row < kRows; ++row) {
            const RowRange range = rows[b.bin * kRows + row];
            for (uint32_t j = range.begin; j < range.end; ++j) {
                const Vec4 p = center[j], e = extent[j];
                if (fabsf(p.x - middle.x) <= half + e.x && fabsf(p.y - middle.y) <= half + e.y &&
                    fabsf(p.z - middle.z) <= half + e.z) {
                    reached[i] = 1;
                    return;
                }
            }
        }
        reached[i] = 0;
    }
};

struct IndexBlocks {
    View<const uint32_t> candidate;  // per block
    View<uint32_t> blockAt;          // per candidate, initialized to kNoBlock; written
    HD void operator()(int i) const { blockAt[candidate[i]] = static_cast<uint32_t>(i); }
};

// The block itself and its seven upper neighbors: bit 0 of the index is +x, bit 1 +y, bit 2 +z.
struct FindUpperBlocks {
    View<const uint64_t> bins;
    CellTable table;                 // of the same bins
    View<const uint32_t> candidate;  // per block
    View<const uint32_t> blockAt;    // per candidate
    View<uint32_t> upper;            // written: eight per block; kNoBlock where none exists
    SurfaceGrid grid;

    HD void operator()(int i) const {
        const int m = grid.blocksPerBin;
        const uint32_t from = candidate[i / 8];
        const uint32_t bin = from / static_cast<uint32_t>(grid.blocksOfBin());
        const int sub = static_cast<int>(from) % grid.blocksOfBin();
        int x = sub % m + (i & 1), y = sub / m % m + (i >> 1 & 1), z = sub / (m * m) + (i >> 2 & 1);
        int64_t step = 0;
        if (x == m) x = 0, step += 1;
        if (y == m) y = 0, step += grid.stepY();
        if (z == m) z = 0, step += grid.stepZ();
        const uint32_t at = step == 0 ? bin : table.find(bins[bin] + step);
        upper[i] = at == kNoCell ? kNoBlock
                                 : blockAt[at * static_cast<uint32_t>(grid.blocksOfBin()) +
                                           static_cast<uint32_t>((z * m + y) * m + x)];
    }
};

}  // namespace coalesce
