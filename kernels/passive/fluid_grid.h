// Grid of the liquid particles for queries at any point, such as the places of passive particles.
#pragma once

#include "kernels/particles/material_constants.h"
#include "kernels/search/neighbor_lists.h"

namespace coalesce {

// Positions of the sorted particles as a structure of arrays; what is not liquid is placed out of reach.
struct SortFluidPositions {
    View<const Vec4> position;
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    View<const uint32_t> order;  // sorted position -> slot
    View<float> x, y, z;         // [m] written

    HD void operator()(int i) const {
        const uint32_t slot = order[i];
        const Vec4 p = position[slot];
        x[i] = materials[materialOf(phase[slot])].fluid ? p.x : 1e30f;
        y[i] = p.y, z[i] = p.z;
    }
};

struct MakeFluidKeys {
    View<const Vec4> position;
    View<uint64_t> key;    // written
    View<uint32_t> order;  // written: 0, 1, 2, …
    CellKeyLayout plan;
    float inverseCell;  // [1/m]

    HD void operator()(int i) const {
        const Vec4 p = position[i];
        const float at[3] = {p.x, p.y, p.z};
        int local[3];
        for (int k = 0; k < 3; ++k) {
            // particles outside of the planned box, which was planned for this frame, are at its border
            local[k] = cellCoordinate(at[k], inverseCell) - plan.origin[k];
            local[k] = lesser(greater(local[k], 1), plan.size[k] - 2);
        }
        key[i] = packKey(plan, local[0], local[1], local[2]);
        order[i] = static_cast<uint32_t>(i);
    }

private:
    HD static int lesser(int a, int b) { return a < b ? a : b; }
    HD static int greater(int a, int b) { return a > b ? a : b; }
};

struct FluidGrid {
    View<const float> x, y, z;    // [m] in the order of cells, padded by kCandidates
    View<const uint32_t> source;  // sorted position -> slot
    CellTable cells;
    CellKeyLayout plan;
    float inverseCell = 0;  // [1/m]; 0: there is no liquid

    // visit(slot, squared distance) for all liquid particles within h of p, h ≤ 1/inverseCell, in a fixed
    // order: by cell, and inside a cell in storage order.
    template <class Visit>
    HD void forEachWithin(Vec3 p, float h, Visit&& visit) const {
        if (inverseCell == 0) return;
        const int local[3] = {cellCoordinate(p.x, inverseCell) - plan.origin[0],
                              cellCoordinate(p.y, inverseCell) - plan.origin[1],
                              cellCoordinate(p.z, inverseCell) - plan.origin[2]};
        for (int k = 0; k < 3; ++k)
            if (local[k] < 1 || local[k] > plan.size[k] - 2) return;
        const uint64_t cell = packKey(plan, local[0], local[1], local[2]);
        const Candidates px(p.x), py(p.y), pz(p.z), h2(h * h);
        for (int row = 0; row < kRows; ++row) {
            const RowRange range = cells.row(rowKey(plan, cell, row));
            for (uint32_t j = range.begin; j < range.end; j += kCandidates) {
                const Vec3T<Candidates> d{px - loadCandidates(&x.data[j]), py - loadCandidates(&y.data[j]),
                                          pz - loadCandidates(&z.data[j])};
                uint32_t near = bitsOf(dot(d, d) < h2);
                const uint32_t left = range.end - j;
                if (left < kCandidates) near &= (1u << left) - 1;
                for (; near != 0; near &= near - 1) {
                    const uint32_t k = j + static_cast<uint32_t>(lowestBit(near));
                    const Vec3 to{p.x - x[k], p.y - y[k], p.z - z[k]};
                    visit(source[k], dot(to, to));
                }
            }
        }
    }
};

}  // namespace coalesce
