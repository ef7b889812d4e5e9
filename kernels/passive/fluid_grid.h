// Grid of the liquid particles for queries at any point, such as the places of passive particles.
#pragma once

#include "kernels/particles/material_constants.h"
#include "kernels/particles/quantized_velocity.h"
#include "kernels/search/neighbor_lists.h"

namespace coalesce {

// Positions and velocities of the liquid that carry passive particles. The solver derives a velocity from the displacement
// over a substep, so it is the velocity at the midpoint: it belongs to x − ½ Δt v. At the position of the end it would
// move particles outwards in a vortex. Velocities are quantized as in a cache, so that the frames of a cache make the
// passive particles of the run.
struct FluidSamples {
    View<const Vec4> position, velocity;  // at the end of the substep
    float back;                           // [s] half a substep

    HD Vec3 velocityOf(uint32_t slot) const { return quantizedVelocity(velocity[slot]); }
    HD Vec3 positionOf(uint32_t slot) const { return fma(-back, velocityOf(slot), xyz(position[slot])); }
};

// What is read of the sorted particles; what is not liquid is placed out of reach.
struct SortFluid {
    FluidSamples samples;
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    View<const uint32_t> order;  // sorted position -> slot
    View<float> x, y, z;         // [m] written
    View<float> xOfAll;          // [m] written: x of what is not liquid, too; empty: nobody asks
    View<Vec4> v;                // [m/s] written
    View<int32_t> isGas;         // written; empty: nobody asks

    HD void operator()(int i) const {
        const uint32_t slot = order[i];
        const MaterialConstants& m = materials[materialOf(phase[slot])];
        const Vec3 p = samples.positionOf(slot);
        x[i] = m.fluid ? p.x : 1e30f;
        y[i] = p.y, z[i] = p.z;
        if (xOfAll.size > 0) xOfAll[i] = p.x;
        v[i] = vec4(samples.velocityOf(slot), 0.0f);
        if (isGas.size > 0) isGas[i] = m.gas;
    }
};

// Points outside of the planned box, which was planned for the particles of this frame, are sorted to its border.
struct MakePointKeys {
    FluidSamples samples;
    View<uint64_t> key;    // written
    View<uint32_t> order;  // written: 0, 1, 2, …
    CellKeyLayout plan;
    float inverseCell;  // [1/m]

    HD void operator()(int i) const {
        key[i] = keyOfPoint(plan, inverseCell, samples.positionOf(static_cast<uint32_t>(i)));
        order[i] = static_cast<uint32_t>(i);
    }
};

struct FluidGrid {
    View<const float> x, y, z;    // [m] in the order of cells, padded by kCandidates
    View<const float> xOfAll;     // [m] see SortFluid
    View<const Vec4> v;           // [m/s]
    View<const int32_t> isGas;    // 1, where liquids and gases are in one scene; else empty
    View<const uint32_t> source;  // sorted position -> slot
    CellTable cells;
    CellKeyLayout plan;
    float inverseCell = 0;  // [1/m]; 0: there is no liquid

    // visit(sorted position, squared distance, true) for all liquid particles within h of p, h ≤
    // 1/inverseCell, in a fixed order: by cell, and inside a cell in storage order.
    template <class Visit>
    HD void forEachWithin(Vec3 p, float h, Visit&& visit) const {
        int local[3];
        if (h == 0 || !findCell(p, local)) return;
        const uint64_t cell = packKey(plan, local[0], local[1], local[2]);
        const Candidates px(p.x), py(p.y), pz(p.z), h2(h * h);
        for (int row = 0; row < kRows; ++row) {
            const RowRange range = cells.row(rowKey(plan, cell, row));
            for (uint32_t j = range.begin; j < range.end; j += kCandidates) {
                const Vec3T<Candidates> d{px - loadCandidates(&x.data[j]), py - loadCandidates(&y.data[j]),
                                          pz - loadCandidates(&z.data[j])};
                for (uint32_t near = bitsOf(dot(d, d) < h2) & first(range.end - j); near != 0;
                     near &= near - 1) {
                    const uint32_t k = j + static_cast<uint32_t>(lowestBit(near));
                    const Vec3 to{p.x - x[k], p.y - y[k], p.z - z[k]};
                    visit(k, dot(to, to), true);
                }
            }
        }
    }

    // visit(sorted position, squared distances, mask of the lanes within whose h it lies): for each lane the
    // same particles in the same order. Lanes with h = 0 have none. Faster than one point after the other
    // where points are sorted: those near one another look at each particle around them together.
    template <class Visit>
    HD void forEachWithin(const Vec3T<LaneFloat>& p, LaneFloat h, Visit&& visit) const {
        alignas(64) int32_t local[3][kLanes];
        uint32_t left = 0;
        for (int lane = 0; lane < kLanes; ++lane) {
            int cell[3];
            const bool inside = h.bits[lane] > 0 && findCell(pointOf(p, lane), cell);
            for (int k = 0; k < 3; ++k) local[k][lane] = inside ? cell[k] : kNowhere;
            left |= static_cast<uint32_t>(inside) << lane;
        }
        const LaneInt x0 = load(local[0], LaneIndex{0}), z0 = load(local[2], LaneIndex{0});
        LaneInt y0 = load(local[1], LaneIndex{0});
        while (left != 0) {
            // those in the first one's row of cells, and near it
            const int lead = lowestBit(left), at = local[0][lead];
            const LaneMask inRow = (local[1][lead] == y0) & (local[2][lead] == z0);
            const LaneMask group = inRow & (at - kSpan < x0) & (-at - kSpan < LaneInt(0) - x0);
            visitAround(p, h, x0, group, bitsOf(group), visit);
            left &= ~bitsOf(group);
            y0 = select(group, LaneInt(kNowhere), y0);  // in no other group
        }
    }

private:
    static constexpr int kSpan = 4;  // cells between the first point of a group and the last, and one
    static constexpr int kMostCells = 2 * kSpan + 1;  // in a row around a group
    static constexpr int kNowhere = -1 << 24;         // beyond kCellLimit

    // false: too far away to have neighbors
    HD bool findCell(Vec3 p, int local[3]) const {
        const float at[3] = {p.x, p.y, p.z};
        bool inside = inverseCell != 0;
        for (int k = 0; k < 3; ++k) {
            local[k] = cellCoordinate(at[k], inverseCell) - plan.origin[k];
            inside = inside && local[k] >= 1 && local[k] <= plan.size[k] - 2;
        }
        return inside;
    }

    // A group of points in one row of cells. Candidates are first tested against the box around the points; a
    // float difference rounds monotonically, so that the box excludes none that is near a point.
    template <class Visit>
    HD void visitAround(const Vec3T<LaneFloat>& p, LaneFloat h, LaneInt cellX, LaneMask group, uint32_t lanes,
                        Visit&& visit) const {
        const int lead = lowestBit(lanes);
        Vec3 low = pointOf(p, lead), high = low;
        float reach = 0;
        int left = cellX.bits[lead], right = left;
        for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
            const int lane = lowestBit(rest), cell = cellX.bits[lane];
            const Vec3 at = pointOf(p, lane);
            low = {min(low.x, at.x), min(low.y, at.y), min(low.z, at.z)};
            high = {max(high.x, at.x), max(high.y, at.y), max(high.z, at.z)};
            reach = max(reach, h.bits[lane]);
            left = cell < left ? cell : left;
            right = cell > right ? cell : right;
        }
        const auto beyond = [](float lowest, float highest, LaneFloat at) {
            return max(max(LaneFloat(lowest) - at, at - LaneFloat(highest)), LaneFloat(0));
        };
        const LaneFloat reach2(reach * reach), h2 = h * h;
        int leadCell[3];
        findCell(pointOf(p, lead), leadCell);
        const uint64_t cell = packKey(plan, left, leadCell[1], leadCell[2]);
        for (int row = 0; row < kRows; ++row) {
            // the cells of the row, whose particles follow one another
            int32_t column[kMostCells];
            uint32_t end[kMostCells], begin = 0;
            int number = 0;
            const uint64_t key = rowKey(plan, cell, row);
            cells.forEachCell(key, key + static_cast<uint64_t>(right - left + 2),
                              [&](uint64_t one, RowRange r) {
                                  if (number == 0) begin = r.begin;
                                  column[number] = left - 1 + static_cast<int>(one - key);
                                  end[number++] = r.end;
                              });
            if (number == 0) continue;
            const auto besideColumn = [&](int c) {
                return group & (c - 2 < cellX) & (-c - 2 < LaneInt(0) - cellX);
            };
            int c = 0;
            LaneMask beside = besideColumn(column[0]);
            for (uint32_t j = begin; j < end[number - 1]; j += kLanes) {
                const Vec3T<LaneFloat> gap{beyond(low.x, high.x, loadFrom(&x.data[j])),
                                           beyond(low.y, high.y, loadFrom(&y.data[j])),
                                           beyond(low.z, high.z, loadFrom(&z.data[j]))};
                uint32_t near = bitsOf(dot(gap, gap) < reach2) & first(end[number - 1] - j);
                for (; near != 0; near &= near - 1) {
                    const uint32_t k = j + static_cast<uint32_t>(lowestBit(near));
                    if (k >= end[c]) {
                        while (k >= end[c]) ++c;
                        beside = besideColumn(column[c]);
                    }
                    const Vec3T<LaneFloat> to{p.x - LaneFloat(x[k]), p.y - LaneFloat(y[k]),
                                              p.z - LaneFloat(z[k])};
                    const LaneFloat r2 = dot(to, to);
                    visit(k, r2, beside & (r2 < h2));
                }
            }
        }
    }

    HD static Vec3 pointOf(const Vec3T<LaneFloat>& p, int lane) {
        return {p.x.bits[lane], p.y.bits[lane], p.z.bits[lane]};
    }
    // bits of the first `count` candidates
    HD static uint32_t first(uint32_t count) { return count < kCandidates ? (1u << count) - 1 : ~0u; }
};

}  // namespace coalesce
