// Positions of the particles of bodies and cloth by row, as their tables name them.
#pragma once

#include "kernels/math/vec.h"
#include "kernels/particles/material_constants.h"

namespace coalesce {

constexpr float kAbsent = -1;  // inverse mass of a row without a particle, or with one that is not finite

struct GatherRows {
    View<const uint32_t> slotOf;  // by row; kNoSlot: not alive
    View<const Vec4> x;           // [m] by slot; w: inverse mass [1/kg], 0: held
    View<Vec4> position;          // [m] by row, written; w: inverse mass, or kAbsent
    HD void operator()(int row) const {
        const uint32_t slot = slotOf[row];
        if (slot == kNoSlot || !isFinite(xyz(x[slot])))
            position[row] = {0, 0, 0, kAbsent};
        else
            position[row] = x[slot];
    }
};

}  // namespace coalesce
