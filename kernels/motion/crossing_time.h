// Time in which a particle moves by its radius, the measure of the time step of the CFL condition.
#pragma once

#include "kernels/math/vec.h"
#include "kernels/math/view.h"
#include "kernels/particles/material_constants.h"
#include "kernels/particles/status_block.h"

namespace coalesce {

// r/|v| [s], r = d/2; at most kNeverCrosses
HD float crossingTimeOf(Vec3 v, float spacing) {
    const float speed = length(v), radius = 0.5f * spacing;
    return speed * kNeverCrosses > radius ? radius / speed : kNeverCrosses;
}

struct FindCrossingTime {
    View<const Vec4> v;  // [m/s]
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    View<float> time;  // [s] written
    HD void operator()(int i) const {
        time[i] = crossingTimeOf(xyz(v[i]), materials[materialOf(phase[i])].spacing);
    }
};

}  // namespace coalesce
