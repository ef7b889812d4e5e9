// Removal of particles by sinks and age, and detection of blocked spawn points.
#pragma once

#include "kernels/math/atomics.h"
#include "kernels/shapes/shape.h"
#include "kernels/solid/cluster.h"

namespace coalesce {

struct SinkConstants {
    int32_t shape;    // index of the region; negative: everywhere
    int32_t outside;  // 1: removes particles outside the region
    uint32_t before;  // removes only ids below this
};
struct IdRange {
    uint32_t first, end;
};

// Whether an id is in one of the ranges, which are in ascending order.
HD bool containsId(View<const IdRange> ranges, uint32_t id) {
    uint32_t low = 0, count = static_cast<uint32_t>(ranges.size);
    while (count > 0) {
        const uint32_t half = count / 2;
        const bool right = ranges[low + half].end <= id;
        low = right ? low + half + 1 : low;
        count = right ? count - half - 1 : half;
    }
    return low < ranges.size && ranges[low].first <= id;
}

// The clusters of a body; loose: 1 if its particles are not held together (liquids, grains, melted bodies).
struct BodyRange {
    uint32_t first = 0, count = 0;
    uint32_t loose = 1;
};

// Center of mass of each shape-matched body with w = 1; w = 0 for loose particles, w = −1 for cloth and
// ropes.
struct FindBodyCenters {
    View<const BodyRange> bodies;  // by group
    View<const ClusterPose> pose;
    View<Vec4> center;  // [m] by group; written
    HD void operator()(int g) const {
        const BodyRange body = bodies[g];
        Vec3 sum{0, 0, 0};
        float mass = 0;
        for (uint32_t k = body.first; k < body.first + body.count; ++k)
            sum += pose[k].mass * pose[k].center, mass += pose[k].mass;
        center[g] = body.loose != 0 ? Vec4{0, 0, 0, 0} : Vec4{0, 0, 0, -1};
        if (mass > 0 && body.loose == 0) center[g] = vec4(1 / mass * sum, 1.0f);
    }
};

// Marks particles to remove. A shape-matched body is removed as a whole, by its center; cloth and ropes are
// never removed. The first matching sink counts a particle. Integer counts.
struct MarkRemoved {
    View<const Vec4> x;
    View<const uint32_t> id, phase;
    View<const Vec4> center;  // by group, see FindBodyCenters
    ShapeSet regions;
    View<const SinkConstants> sinks;
    View<const uint32_t> ofMaterial, ofGroup;  // bit masks: sinks that act on them
    View<const IdRange> expired;
    View<const float> smokeless;      // [s] time without smoke near; empty: no gas ends by it
    View<const float> smokelessLife;  // [s] by material; 0: endless
    View<const uint32_t> slotOf;      // by group: index of the emitted body; kNoRow: none
    View<uint32_t> keep;              // written
    View<uint32_t> taken;             // added to: by sink; last element: expired particles
    View<uint32_t> left, stayed;      // set to 1 for emitted bodies with removed, kept particles

    HD void operator()(int i) const {
        const uint32_t group = groupOf(phase[i]), mine = ofMaterial[materialOf(phase[i])] | ofGroup[group];
        uint32_t by = static_cast<uint32_t>(sinks.size) + 1;
        const uint32_t material = materialOf(phase[i]);
        const bool faded =
            smokeless.size > 0 && smokelessLife[material] > 0 && smokeless[i] > smokelessLife[material];
        if (faded || containsId(expired, id[i])) by = static_cast<uint32_t>(sinks.size);
        Vec3 place = xyz(x[i]);
        const float held = center[group].w;
        const bool clothAndRopes = held < 0;
        if (held > 0) place = xyz(center[group]);
        for (uint32_t s = 0; s < sinks.size && by > sinks.size && !clothAndRopes; ++s) {
            if (!(mine >> s & 1) || id[i] >= sinks[s].before) continue;
            bool takes = true;
            if (sinks[s].shape >= 0) {
                const ShapeState& region = regions.states[sinks[s].shape];
                Vec3 unused;
                const bool in =
                    solidDistance<true>(region, regions.tables, toShape(region.previous, place), unused) < 0;
                takes = in != (sinks[s].outside != 0);
            }
            if (takes) by = s;
        }
        keep[i] = by > sinks.size;
        const uint32_t slot = slotOf.size > 0 ? slotOf[group] : kNoRow;
        if (slot != kNoRow) atomicOr(keep[i] ? &stayed[slot] : &left[slot], 1);
        if (!keep[i]) atomicAdd(&taken[by], 1);
    }
};

// Grid over the spawn points of one emitter.
struct SpawnGrid {
    Vec3 low;            // [m]
    float inverseCell;   // [1/m]
    int32_t nx, ny, nz;  // cells
    uint32_t firstCell;  // offset in the starts of all grids
    float reach;         // [m] required distance of a spawn point, added to the radius of the other particle
};

// Marks spawn points that are blocked by an existing particle.
struct MarkOccupied {
    View<const Vec4> x;
    View<const uint32_t> phase;
    View<const uint32_t> keep;  // removed particles do not block; empty: all are kept
    View<const float> radius;   // [m] by material: radius of a particle
    View<const SpawnGrid> grids;
    View<const uint32_t> starts;  // by cell: first spawn point
    View<const Vec4> points;
    View<uint32_t> occupied;  // set to 1

    HD void operator()(int i) const {
        if (keep.size > 0 && !keep[i]) return;
        const Vec3 p = xyz(x[i]);
        for (size_t g = 0; g < grids.size; ++g) {
            const SpawnGrid grid = grids[g];
            const float reach = grid.reach + radius[materialOf(phase[i])];
            int low[3], high[3];
            if (!cells(p.x - grid.low.x, reach, grid, grid.nx, low[0], high[0]) ||
                !cells(p.y - grid.low.y, reach, grid, grid.ny, low[1], high[1]) ||
                !cells(p.z - grid.low.z, reach, grid, grid.nz, low[2], high[2]))
                continue;
            for (int cz = low[2]; cz <= high[2]; ++cz)
                for (int cy = low[1]; cy <= high[1]; ++cy)
                    for (int cx = low[0]; cx <= high[0]; ++cx) {
                        const uint32_t cell =
                            grid.firstCell + static_cast<uint32_t>((cz * grid.ny + cy) * grid.nx + cx);
                        for (uint32_t k = starts[cell]; k < starts[cell + 1]; ++k) {
                            const Vec3 away = p - xyz(points[k]);
                            if (dot(away, away) < reach * reach) atomicOr(&occupied[k], 1);
                        }
                    }
        }
    }

private:
    // The range of cells along an axis within reach of `from` [m]; false: none.
    HD static bool cells(float from, float reach, const SpawnGrid& grid, int count, int& low, int& high) {
        const float first = (from - reach) * grid.inverseCell, last = (from + reach) * grid.inverseCell;
        if (!(last >= 0) || !(first < toFloat(count))) return false;
        low = static_cast<int>(max(first, 0.0f));
        high = static_cast<int>(min(last, toFloat(count - 1)));
        return true;
    }
};

}  // namespace coalesce
