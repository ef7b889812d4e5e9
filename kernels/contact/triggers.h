// Trigger shapes: count particles inside, and may teleport them. Integer counts.
#pragma once

#include "kernels/contact/shape_loads.h"

namespace coalesce {

// A shape without contact response that counts the particles inside and may teleport them.
struct Trigger {
    uint32_t shape;
    int32_t teleports;         // 1: teleports particles that are inside
    Vec3 target, halfExtents;  // [m] center and half size of the target box; velocity becomes 0
};

// Counts as entered: outside at the start of the substep and inside at its end, or inside in between, by the
// particle's center.
template <bool Forms>
struct UpdateTriggers {
    View<const Trigger> triggers;
    ContactSearch<Forms> search;
    View<const uint32_t> id;
    View<Vec4> x, xStar, v;  // updated for teleported particles
    ShapeLoads loads;
    uint32_t substep;  // since the start of the run; seeds the target positions
    bool last;         // last substep of a frame

    HD void operator()(int i) const {
        for (size_t t = 0; t < triggers.size; ++t) {
            const Trigger trigger = triggers[t];
            const ShapeState& shape = search.shapes.states[trigger.shape];
            if (!(shape.collisionMask & search.collisionMaskOf(search.phase[i]))) continue;
            const ShapeTables& tables = search.shapes.tables;
            const Vec3 a = startInShape<Forms>(shape, tables, xyz(x[i])),
                       b = endInShape<Forms>(shape, tables, xyz(xStar[i]));
            Vec3 unused;
            float distance;
            const bool before = solidDistance<Forms>(shape, search.shapes.tables, a, unused) < 0;
            const bool after = solidDistance<Forms>(shape, search.shapes.tables, b, unused) < 0;
            const bool through =
                !before && !after && !is<Forms>(shape, ShapeKind::plane) &&
                sweepSolid<Forms>(shape, search.shapes.tables, 0, a, b, unused, distance) >= 0;
            ShapeLoadSums& tally = loads.tally(i, trigger.shape);
            if ((!before && after) || through) atomicAdd(&tally.entered, 1);
            if (!after && !through) continue;
            if (trigger.teleports && xStar[i].w > 0) {
                const Vec3 place{trigger.target.x + trigger.halfExtents.x * evenly(i, 0),
                                 trigger.target.y + trigger.halfExtents.y * evenly(i, 1),
                                 trigger.target.z + trigger.halfExtents.z * evenly(i, 2)};
                x[i] = xStar[i] = vec4(place, xStar[i].w);
                v[i] = {0, 0, 0, v[i].w};
            } else if (last && after) {
                atomicAdd(&tally.present, 1);
            }
        }
    }

private:
    // uniform in −1 … 1, hashed from particle, time and axis
    HD float evenly(int i, uint32_t axis) const {
        uint32_t h = (id[i] * 0x9e3779b9u ^ substep * 0x85ebca6bu) + axis * 0xc2b2ae35u;
        h = (h ^ h >> 16) * 0x7feb352du;
        h = (h ^ h >> 15) * 0x846ca68bu;
        return toFloat(static_cast<int>((h ^ h >> 16) >> 8)) * (2.0f / 16777215.0f) - 1;
    }
};

}  // namespace coalesce
