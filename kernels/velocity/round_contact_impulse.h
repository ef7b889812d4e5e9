// Contacts of the round surfaces of rigid bodies with shapes as velocity constraints: those of
// shape_contact_impulse.h at the true point of contact, with the mass and inertia of the whole body. Each body
// solves all of its own, one after the other; see round_contacts.h.
#pragma once

#include "kernels/contact/round_contacts.h"
#include "kernels/velocity/pass.h"

namespace coalesce {

struct SolveRoundImpulses {
    RoundContacts round;  // at the start of the substep; at its end if target.pass is not `biased`
    RoundImpacts impacts;
    View<const Vec4> clusterDiagonal, clusterMixed;  // of the same time: see FindInverseInertia
    ContactTarget target;
    View<Vec3> accumulatedImpulse;  // by contact: P dt [kg m], updated
    View<Vec4> linear, omega;       // [m/s], [rad/s] by cluster, updated
    int passes;

    HD void operator()(int b) const {
        const RoundBody body = round.poses.bodies[b];
        const RoundMotion before = round.motion[b];  // as predicted
        if (!(before.inverseMass > 0)) return;
        const Vec4 d = clusterDiagonal[body.cluster];
        const RoundMotion m{.inverseMass = d.w, .diagonal = xyz(d), .mixed = xyz(clusterMixed[body.cluster])};
        const MaterialConstants& material = round.materials[materialOf(body.phase)];
        const Vec3 center = round.poses.pose[body.cluster].center;
        Vec3 v = xyz(linear[body.cluster]), w = xyz(omega[body.cluster]);
        for (int pass = 0; pass < passes; ++pass)
            round.forEach(body, [&](uint32_t s, uint32_t k, Vec3 r, float gap) {
                const Vec3 n = xyz(round.contacts.planes[k]), at = center + r;
                const Vec3 way = at - round.contacts.previousPosition(k, at), wall = target.rate * way;
                const Vec3 old = target.rate * accumulatedImpulse[k];
                // planes are where shapes are at the end
                float wanted = target(target.pass == VelocityPass::biased ? -gap - dot(n, way) : -gap);
                if (target.pass == VelocityPass::restitution) {
                    wanted = impacts.reboundOf(round, body, before, s, n, r, gap, wall);
                    if (!(wanted > 0 && dot(n, old) > 0)) return;
                }
                const Vec3 now = v + cross(w, r) - wall;
                const Vec3 impulse = round.impulse(m, material, round.contacts.shapeOf(k).friction, n, r, old,
                                                   wanted - dot(n, now), round.across(now, n));
                accumulatedImpulse[k] += impacts.dt * (impulse - old);
                m.push(impulse - old, r, v, w);
            });
        linear[body.cluster] = vec4(v, linear[body.cluster].w);
        omega[body.cluster] = vec4(w, omega[body.cluster].w);
    }
};

}  // namespace coalesce
