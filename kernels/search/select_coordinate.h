// Coordinates of the particles of some groups, for their bounds.
#pragma once

#include "kernels/math/view.h"
#include "kernels/particles/material_constants.h"

namespace coalesce {

constexpr float kOutsideGroups = 3e38f;  // [m]

// A coordinate of each particle of the groups, whose least value is to be found. sign −1: the largest.
struct SelectCoordinate {
    View<const Vec4> x;
    View<const uint32_t> phase;
    uint32_t first, count;  // groups
    int axis;
    float sign;
    View<float> coordinate;  // written [m]: kOutsideGroups for other particles
    HD void operator()(int i) const {
        const Vec3 p = xyz(x[i]);
        const float at = axis == 0 ? p.x : axis == 1 ? p.y : p.z;
        coordinate[i] = groupOf(phase[i]) - first < count ? sign * at : kOutsideGroups;
    }
};

}  // namespace coalesce
