// Positions of particles shortly before or after their state, at constant velocity, for motion blur.
#pragma once

#include "kernels/math/view.h"

namespace coalesce {

// x(t) = x + t v
struct MoveEvenly {
    View<const Vec4> from;  // [m] of the state; w stays
    View<const Vec4> v;     // [m/s]
    View<Vec4> x;           // [m] written
    float t;                // [s]
    HD void operator()(int i) const { x[i] = vec4(fma(t, xyz(v[i]), xyz(from[i])), from[i].w); }
};

}  // namespace coalesce
