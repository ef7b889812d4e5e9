// Gives back the angular momentum that a step loses where a fluid turns.
#pragma once

#include "kernels/math/vec.h"
#include "kernels/math/view.h"
#include "kernels/particles/material_constants.h"

namespace coalesce {

// The constraints push along the directions between the particles at the end of a substep, after
// the fluid has turned by dt Ω, Ω = ω/2. In a rigid rotation the impulse Δv = −½ dt Ω² r then
// has a part ½ dt² Ω² |v| against the motion: π Ω dt of the spin is lost per turn. Directions of
// its start would lose none, so Δv is turned back:
//     v += s dt Δv × ω/2,  Δv = v − v_predicted;  dt |ω| is limited to one radian
struct CorrectSpin {
    View<const Vec4> predicted;  // [m/s] before the constraints
    View<const Vec4> vorticity;  // [1/s] ω; w: its length
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    View<const Vec4> x;
    View<Vec4> v;  // [m/s] updated
    float dt;      // [s]

    HD void operator()(int i) const {
        const float share = materials[materialOf(phase[i])].spinCorrection;
        if (share == 0 || x[i].w == 0) return;
        const Vec3 gained = xyz(v[i]) - xyz(predicted[i]);
        const float turn = dt * vorticity[i].w;  // [rad]
        const float scale = 0.5f * share * dt / max(turn, 1.0f);
        v[i] = vec4(fma(scale, cross(gained, xyz(vorticity[i])), xyz(v[i])), v[i].w);
    }
};

}  // namespace coalesce
