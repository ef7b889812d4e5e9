// Integration of positions and rigid poses in the velocity-level method, and the end of its substep.
#pragma once

#include "kernels/contact/contact_planes.h"
#include "kernels/motion/substep_end.h"
#include "kernels/solid/rigid_motion.h"

namespace coalesce {

// Velocities of particles that their anchors move.
struct VelocitiesOfAnchored {
    View<const Vec4> x, xStar;  // [m] at the start and at the end of the substep; w of x: inverse mass
    View<Vec4> v;               // updated
    float rate;                 // 1/dt [1/s]
    HD void operator()(int i) const {
        if (x[i].w == 0) v[i] = vec4(rate * (xyz(xStar[i]) - xyz(x[i])), v[i].w);
    }
};

// x* = x + dt v, once per substep, and before elastic constraints.
struct IntegrateVelocities {
    View<const Vec4> x, v;
    View<Vec4> xStar;  // updated
    View<Vec4> copy;   // written; empty: not needed
    float dt;
    bool elastic;  // keeps the w of x*: what is grabbed has another mass for elastic constraints
    HD void operator()(int i) const {
        if (x[i].w != 0) xStar[i] = vec4(fma(dt, xyz(v[i]), xyz(x[i])), elastic ? xStar[i].w : x[i].w);
        if (copy.size > 0) copy[i] = xStar[i];
    }
};

// v += Δx*/dt: what elastic constraints did to the positions x + dt v is an impulse.
struct VelocitiesFromDisplacements {
    View<const Vec4> x, xStar, before;  // [m]
    View<const float> massScale;        // by which particles of rigid bodies were heavier; empty: 1
    View<Vec4> v;                       // updated
    float rate;                         // 1/dt [1/s]
    HD void operator()(int i) const {
        if (x[i].w == 0) return;
        const float scale = massScale.size > 0 ? rate * massScale[i] : rate;
        v[i] = vec4(fma(scale, xyz(xStar[i]) - xyz(before[i]), xyz(v[i])), v[i].w);
    }
};

// Pose of a rigid body after dt: c += dt v, and the rotation ΔR by the angle |ω| dt about ω. Nothing acts on
// the body meanwhile, so its angular momentum L = I ω stays, and with the turned inertia
//     ω' = ΔR I⁻¹ ΔRᵀ L
struct MoveRigidPoses {
    ClusterTables tables;
    View<const ClusterParams> params;
    View<const MomentumSums> sums;  // at the start of the substep
    View<const Vec4> linear;        // [m/s] by cluster
    View<Vec4> omega;               // [rad/s] by cluster, updated
    View<ClusterPose> pose;         // updated
    float dt;
    HD void operator()(int i) const {
        const ClusterConstants& cluster = tables.clusters[i];
        ClusterPose p = pose[i];
        if (!params[cluster.material].rigid || !(p.mass > 0)) return;
        const Vec3 before = xyz(omega[i]);
        const Quat turn = rotationAfter(dt, before);
        p.center = fma(dt, xyz(linear[i]), p.center);
        p.rotation = normalized(turn * p.rotation);
        pose[i] = p;

        const RigidMoments spin(cluster, sums);
        const Mat3& inertia = spin.inertia;  // per mass
        const Vec3 momentum = before.x * inertia.x + before.y * inertia.y + before.z * inertia.z;
        omega[i] = vec4(rotate(turn, spin.angularVelocityOf(inverseRotate(turn, momentum))), 0.0f);
    }
};

// Particles of rigid bodies where their pose has them: straight paths would swell a body that turns.
struct MoveRigidParticles {
    ClusterTables tables;
    View<const ClusterParams> params;
    View<const ClusterPose> pose;
    View<const Vec4> clusterRestCenter;
    View<Vec4> xStar;  // updated
    HD void operator()(int row) const {
        const auto [slot, cluster, r] = bodyParticleOf(tables, pose, clusterRestCenter, xStar, row);
        if (slot == kNoSlot || !params[tables.clusters[cluster].material].rigid) return;
        xStar[slot] = vec4(pose[cluster].center + r, xStar[slot].w);
    }
};

// End of a substep: x = x*, velocities at shapes, sleeping, quarantine. Velocities are those of the
// constraints, not displacements: what was pushed out of an overlap gains none.
struct FinishVelocities {
    Contacts contacts;
    SubstepEnd end;  // with the arrays that are updated
    View<const MaterialConstants> materials;
    View<const Vec4> xStar;         // [m] outside all shapes
    View<const Vec4> integrated;    // [m] x + dt v, before the check of the paths against the shapes
    View<Vec3> accumulatedImpulse;  // by contact: [kg m], updated
    float dt;
    bool planar;

    HD void operator()(int i) const {
        const View<Vec4>&x = end.x, &v = end.v;
        const View<uint32_t>& phase = end.phase;
        const Vec4 start = x[i];
        const MaterialConstants& m = materials[materialOf(phase[i])];
        Vec3 target = xyz(xStar[i]), velocity = xyz(v[i]);
        if (planar) target.z = start.z, velocity.z = 0;

        if (!isFinite(target) || !isFinite(velocity) || (phase[i] & kFrozen)) return end.quarantine(i);
        if (start.w == 0) {
            // kinematic: x* was set by its anchor
            x[i] = vec4(target, 0.0f);
            return;
        }
        // a path that a shape has blocked: no velocity is left against what stopped it
        const Vec3 moved = target - xyz(integrated[i]);
        const float distance2 = dot(moved, moved);
        if (distance2 > 0) {
            const Vec3 n = 1 / sqrt(distance2) * moved;
            const float passed = min(dot(n, target - xyz(start)) / dt, 0.0f), now = dot(n, velocity);
            const Vec3 lost = max(passed - now, 0.0f) * n;
            velocity += lost;
            // the load is that of the contact that points best against the path
            uint32_t against = contacts.end(i);
            float best = 0;
            for (uint32_t k = contacts.begin(i); k < contacts.end(i); ++k)
                if (const float along = dot(xyz(contacts.planes[k]), n); along > best)
                    best = along, against = k;
            if (against < contacts.end(i)) accumulatedImpulse[against] += dt / start.w * lost;
        }
        for (uint32_t k = contacts.begin(i); k < contacts.end(i); ++k) {
            const Vec3 n = xyz(contacts.planes[k]);
            if (dot(n, target) - contacts.planes[k].w > 1e-3f * m.spacing) continue;
            const Vec3 wall = 1 / dt * (target - contacts.previousPosition(k, target));
            const Vec3 lost = max(dot(n, wall - velocity), 0.0f) * n;
            velocity += lost;
            accumulatedImpulse[k] += dt / start.w * lost;
        }
        end.move(i, m, target, velocity);
    }
};

}  // namespace coalesce
