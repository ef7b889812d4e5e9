// Tearing: finds springs strained beyond the limit of their material.
#pragma once

#include "kernels/cloth/distance_constraint.h"
#include "kernels/math/atomics.h"
#include "kernels/particles/status_block.h"

namespace coalesce {

struct FindTears {
    View<const DistanceConstraint> springs;
    View<const float> limit;  // [-] strain, by index of a SpringParams; 0: unlimited
    View<const uint32_t> slotOf;
    View<const Vec4> x;
    View<uint32_t> torn;  // 0 or 1, written
    StatusBlock* status;

    HD void operator()(int i) const {
        const DistanceConstraint s = springs[i];
        const uint32_t a = slotOf[s.a], b = slotOf[s.b];
        torn[i] = 0;
        const float most = limit[springParamsIndex(s)];
        if (!(most > 0) || (s.params & (kCut | kTether)) || a == kNoSlot || b == kNoSlot) return;
        if (!(length(xyz(x[a]) - xyz(x[b])) > (1 + most) * s.length)) return;
        torn[i] = 1;
        atomicAdd(&status->torn, 1);
    }
};

// Reduces the mass of particles that were split by a tear.
struct ScaleSplitMasses {
    View<const uint32_t> slot;
    View<const float> massFraction;  // [-] remaining share of the mass
    View<Vec4> x;                    // w updated
    HD void operator()(int i) const { x[slot[i]].w = x[slot[i]].w / massFraction[i]; }
};

}  // namespace coalesce
