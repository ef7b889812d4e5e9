// Restitution between particles, and friction as velocity damping. Gathers in list order.
#pragma once

#include "kernels/contact/particle_pairs.h"

namespace coalesce {

// Slack of touching pairs after the substep, as a share of the contact distance.
constexpr float kTouching = 0.02f;

// Restitution, and the coefficient of friction as velocity damping; see ApplyRestitution.
struct GatherRestitution {
    View<const uint32_t> phase;
    View<const MaterialConstants> materials;
    View<Vec4> bounce;  // written
    float particleFriction;
    bool damping;
    HD void operator()(int i) const {
        const MaterialConstants& m = materials[materialOf(phase[i])];
        const float share = damping && !m.fluid ? particleFriction : 0.0f;
        bounce[i] = {m.fluid ? 0.0f : m.restitution, sqrt(share * m.dynamicFriction), 0, 0};
    }
};

// Velocity update after the substep: restitution, and, for comparison only, friction as velocity damping.
//     along n:   Δv = (−e v_impact − v_now), if positive
//     across n:  Δv = −min(μ, 1) v⊥, which has no static friction: positions have moved already  [UPP14] 6
template <bool Sdf>
struct ApplyRestitution {
    PairContacts<Sdf> contacts;
    View<const Vec4> x, v;    // [m], [m/s] at the end of the substep
    View<const Vec4> before;  // [m/s] as predicted, before any constraint
    View<const Vec4> bounce;  // by slot; x: restitution, y: √μ of friction by damping
    View<Vec4> vNew;          // [m/s] written
    float bounceSpeed;        // [m/s]

    template <class I>
    HD void operator()(I i) const {
        using R = RealOf<I>;
        const Vec4T<R> xi = x[i], vi = v[i], bi = before[i], mine = contacts.traits[i], ours = bounce[i];
        // non-touching pairs add exactly zero, even where values are not finite
        const Vec3T<R> none{R(0.0f), R(0.0f), R(0.0f)};
        Vec3T<R> sum = none;
        const R own = contacts.scaledInverseMass[i];
        const auto count = contacts.lists.count[i];
        for (int k = 0; any(k < count); ++k) {
            const auto exists = k < count;
            const auto j = contacts.lists.at(k, i, exists);
            const Vec4T<R> xj = x[j], vj = v[j], bj = before[j], theirs = contacts.traits[j],
                           other = bounce[j];
            const R contact = mine.x + theirs.x;
            const PairContact<R> m = contacts.contactOf(i, j, xyz(xi) - xyz(xj), contact);
            const R total = mine.w + theirs.w;
            const auto touches = exists & (R(0.0f) < total) & (R(-kTouching) * contact < m.depth);
            const R ratio = select(touches, own / select(touches, total, R(1.0f)), R(0.0f));

            const R impact = dot(m.normal, xyz(bi) - xyz(bj));
            const Vec3T<R> relative = xyz(vi) - xyz(vj);
            const R now = dot(m.normal, relative);
            const R wanted = -min(ours.x, other.x) * impact;
            const auto bounces = (impact < R(-bounceSpeed)) & (now < wanted);
            const Vec3T<R> across = relative - now * m.normal;
            const R damped = min(ours.y * other.y, R(1.0f));
            const Vec3T<R> change =
                ratio * (select(bounces, wanted - now, R(0.0f)) * m.normal - damped * across);
            sum += select(touches, change, none);
        }
        put(vNew, i, vec4(xyz(vi) + sum, vi.w));
    }
};

}  // namespace coalesce
