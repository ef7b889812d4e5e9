// What the end of a substep has in common in all methods: quarantine, limited speed, sleeping. [UPP14]
// Algorithm 1, lines 25-27.
#pragma once

#include "kernels/math/atomics.h"
#include "kernels/math/vec.h"
#include "kernels/math/view.h"
#include "kernels/particles/material_constants.h"
#include "kernels/particles/status_block.h"

namespace coalesce {

struct SubstepEnd {
    View<const uint32_t> id;
    View<uint32_t> phase;  // updated
    View<Vec4> x, v;       // [m], [m/s] updated; w of x: inverse mass
    StatusBlock* status;
    float dt, maxSpeed, sleepSpeed;

    // Back to the last finite position, frozen from now on.
    HD void quarantine(int i) const {
        if (!(phase[i] & kFrozen)) {
            atomicAdd(&status->nonFinite, 1);
            atomicMin(&status->firstBadId, id[i]);
        }
        phase[i] |= kFrozen;
        x[i] = vec4(xyz(x[i]), 0.0f);
        v[i] = {0, 0, 0, v[i].w};
    }

    HD void move(int i, const MaterialConstants& m, Vec3 target, Vec3 velocity) const {
        const Vec4 start = x[i];
        const float speed2 = dot(velocity, velocity);
        if (speed2 > maxSpeed * maxSpeed) {
            velocity = maxSpeed / sqrt(speed2) * velocity;
            atomicAdd(&status->clamped, 1);
        }
        // sleeping: a slow particle keeps its position, and its velocity too, so that a lasting force wakes
        // it [UPP14] 4.5
        const Vec3 way = target - xyz(start);
        const bool asleep = !m.fluid && dot(way, way) < sleepSpeed * dt * (sleepSpeed * dt);
        phase[i] = asleep ? phase[i] | kAsleep : phase[i] & ~kAsleep;
        x[i] = asleep ? start : vec4(target, start.w);
        v[i] = vec4(velocity, v[i].w);
    }
};

}  // namespace coalesce
