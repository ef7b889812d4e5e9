// End of a substep: velocities, restitution at shapes, sleeping, quarantine. [UPP14] Algorithm 1, lines
// 24-28.
#pragma once

#include "kernels/contact/contact_planes.h"
#include "kernels/contact/rebound.h"
#include "kernels/math/compensated_sum.h"
#include "kernels/motion/substep_end.h"

namespace coalesce {

// End of a substep, after x* is outside all shapes: velocity from displacement, and restitution.
//     v = (x* − x)/dt;  at a touched plane, the approach speed becomes −e times the impact speed, or zero
// The impact was τ before the end of the substep, and gravity g (towards the plane) continued to act on the
// predicted speed s. With one speed per substep, a fall arrives g dt/2 too slow and a rise loses as much.
// With
//     e (s − g τ + g dt/2) + g dt/2
// a ball of e = 1 keeps its height.
struct UpdateVelocities {
    Contacts contacts;
    SubstepEnd end;  // with the arrays that are updated
    View<const MaterialConstants> materials;
    View<const Vec4> xStar;
    View<const Vec4> roundingError;  // of x*, of liquids and (w = 1) soft bodies; empty: not known
    View<Vec3> accumulatedImpulse;   // by contact, updated
    Vec3 gravity;                    // [m/s²]
    float dt, bounceSpeed;
    bool planar;

    HD void operator()(int i) const {
        const View<Vec4>&x = end.x, &v = end.v;
        const View<uint32_t>& phase = end.phase;
        const Vec4 start = x[i];
        const Vec3 before = xyz(v[i]);  // as predicted: with gravity, before constraints
        const MaterialConstants& m = materials[materialOf(phase[i])];
        Vec3 target = xyz(xStar[i]);
        if (planar) target.z = start.z;

        if (!isFinite(target) || (phase[i] & kFrozen)) return end.quarantine(i);
        const float rate = 1 / dt;
        if (start.w == 0) {
            // kinematic: x* was set by its anchor
            x[i] = vec4(target, 0.0f);
            v[i] = vec4(rate * (target - xyz(start)), v[i].w);
            return;
        }
        const Vec3 none{0, 0, 0}, predicted = fma(dt, before, xyz(start));
        const bool known = roundingError.size > 0 && (m.fluid || roundingError[i].w > 0);
        const Vec3 error = known ? xyz(roundingError[i]) : none;
        const Vec3 atFirst = known ? predictionError(xyz(start), before, dt, predicted) : none;
        Vec3 velocity = rate * ((target - xyz(start)) + error);
        // where no constraint moved it, keep the predicted velocity: rounding of dt v would accumulate in
        // free fall over many short substeps
        velocity = {select((target.x == predicted.x) & (error.x == atFirst.x), before.x, velocity.x),
                    select((target.y == predicted.y) & (error.y == atFirst.y), before.y, velocity.y),
                    select((target.z == predicted.z) & (error.z == atFirst.z), before.z, velocity.z)};

        for (uint32_t k = contacts.begin(i); k < contacts.end(i); ++k) {
            const Vec3 n = xyz(contacts.planes[k]);
            if (dot(n, target) - contacts.planes[k].w > 1e-3f * m.spacing) continue;
            const Vec3 wall = rate * (target - contacts.previousPosition(k, target));
            const float impact = dot(n, before - wall), now = dot(n, velocity - wall);
            float wanted = 0;
            if (m.restitution > 0 && impact < -bounceSpeed)
                wanted = reboundSpeed(m.restitution, -m.gravityScale * dot(n, gravity), impact,
                                      dot(n, predicted) - contacts.planes[k].w, dt);
            if (now >= wanted) continue;
            velocity += (wanted - now) * n;
            accumulatedImpulse[k] += (wanted - now) * dt / start.w * n;
        }
        end.move(i, m, target, velocity);
    }
};

}  // namespace coalesce
