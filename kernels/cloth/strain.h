// Spring strain ε = (|x_a − x_b| − L) / L for display, as a line per spring or as one value per particle.
#pragma once

#include "kernels/cloth/distance_constraint.h"
#include "kernels/math/atomics.h"

namespace coalesce {

struct SpringEnds {
    View<const DistanceConstraint> springs;
    View<const uint32_t> slotOf;  // by row; kNoSlot: not alive
    View<const Vec4> x;           // [m] by slot

    HD bool isAlive(const DistanceConstraint& s) const {
        return slotOf[s.a] != kNoSlot && slotOf[s.b] != kNoSlot;
    }
    // 0 where an end is not alive
    HD float strain(const DistanceConstraint& s) const {
        if (!isAlive(s) || !(s.length > 0)) return 0;
        return length(xyz(x[slotOf[s.a]]) - xyz(x[slotOf[s.b]])) / s.length - 1;
    }
};

// The strain of largest magnitude among the springs at a particle; 0 without springs.
struct WriteStrain {
    SpringEnds ends;
    View<const uint32_t> start;  // by row: its range in `at`; rows + 1 elements
    View<const uint32_t> at;     // springs
    View<const uint32_t> id, phase;
    View<const GroupConstants> groups;
    View<float> value;  // [-] written
    HD void operator()(int i) const {
        const uint32_t row = rowOf(groups[groupOf(phase[i])], id[i]);
        float worst = 0;
        if (row != kNoRow)
            for (uint32_t k = start[row]; k < start[row + 1]; ++k) {
                const float strain = ends.strain(ends.springs[at[k]]);
                if (strain * strain > worst * worst) worst = strain;
            }
        value[i] = worst;
    }
};

// A line along each spring, and the largest strain. A spring whose particles are gone gets a line of length
// zero.
struct WriteSpringLines {
    SpringEnds ends;
    View<const uint32_t> shown;  // indices of springs
    View<Vec4> line;             // [m] two for each; w: strain [-]; written
    View<int32_t> largest;       // 1 element: orderedBits of |ε|
    HD void operator()(int i) const {
        const DistanceConstraint s = ends.springs[shown[i]];
        line[2 * i] = line[2 * i + 1] = Vec4{0, 0, 0, 0};
        if (!ends.isAlive(s)) return;
        const float strain = ends.strain(s);
        line[2 * i] = vec4(xyz(ends.x[ends.slotOf[s.a]]), strain);
        line[2 * i + 1] = vec4(xyz(ends.x[ends.slotOf[s.b]]), strain);
        if (isFinite(strain)) atomicMax(&largest[0], orderedBits(asInt(strain < 0 ? -strain : strain)));
    }
};

}  // namespace coalesce
