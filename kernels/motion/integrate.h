// Prediction of positions at the start of a substep. [UPP14] Algorithm 1, lines 1-6
#pragma once

#include "kernels/math/atomics.h"
#include "kernels/math/compensated_sum.h"
#include "kernels/math/view.h"
#include "kernels/particles/material_constants.h"
#include "kernels/particles/status_block.h"

namespace coalesce {

// v += dt g,  x* = x + dt v. Velocities decay by the material's damping and are clamped.
struct Predict {
    View<Vec4> x;  // w: set to 0 if not finite
    View<const uint32_t> id;
    View<uint32_t> phase;  // may become frozen
    View<const MaterialConstants> materials;
    View<Vec4> v;      // [m/s] updated
    View<Vec4> xStar;  // [m] written; w: inverse mass
    StatusBlock* status;
    Vec3 gravity;  // [m/s²]
    float dt, maxSpeed;
    bool planar;  // 2D: no motion along z

    HD void operator()(int i) const {
        Vec4 xi = x[i];
        Vec4 vi = v[i];
        const MaterialConstants& m = materials[materialOf(phase[i])];
        const bool fixed = xi.w == 0;

        // damping before gravity: a body that hangs at rest carries its full weight for any damping
        const float kept = m.damping > 0 ? 1 / (1 + dt * m.damping) : 1.0f;
        Vec3 velocity = fixed ? Vec3{0, 0, 0} : fma(dt * m.gravityScale, gravity, kept * xyz(vi));

        if (planar) velocity.z = 0;

        // quarantine: non-finite particles are frozen at their position and reported
        if (!isFinite(velocity) || !isFinite(xi.w)) {
            velocity = {0, 0, 0};
            x[i].w = xi.w = 0;  // neighbors read it within this substep
            if (!(phase[i] & kFrozen)) {
                phase[i] |= kFrozen;
                atomicAdd(&status->nonFinite, 1);
                atomicMin(&status->firstBadId, id[i]);
            }
        }
        const float speed2 = dot(velocity, velocity);
        if (speed2 > maxSpeed * maxSpeed) {
            velocity = maxSpeed / sqrt(speed2) * velocity;
            atomicAdd(&status->clamped, 1);
        }
        const bool frozen = (phase[i] & kFrozen) != 0;
        if (frozen) velocity = {0, 0, 0};
        v[i] = vec4(velocity, vi.w);
        xStar[i] = vec4(fma(dt, velocity, xyz(xi)), frozen ? 0 : xi.w);
    }
};

// Rounding errors of the predicted positions of liquids, which the corrections will add to; zeros for others, of
// which only soft bodies get theirs (FindSoftRoundingErrors): what rests on others would keep the remainders of
// corrections that other stages have taken back, and stacks tremble.
struct FindRoundingErrors {
    View<const Vec4> x, v, xStar;
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    View<Vec4> roundingError;  // [m] written
    float dt;

    HD void operator()(int i) const {
        const bool free = x[i].w > 0 && materials[materialOf(phase[i])].fluid;
        roundingError[i] =
            vec4(free ? predictionError(xyz(x[i]), xyz(v[i]), dt, xyz(xStar[i])) : Vec3{0, 0, 0}, 0.0f);
    }
};

}  // namespace coalesce
