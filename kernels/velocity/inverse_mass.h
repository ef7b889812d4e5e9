// Inverse mass of a particle at a contact. A free particle has w. A particle of a rigid body at r from its
// center moves with the body:
//     K = 1/M − [r]× I⁻¹ [r]×,   v += K P,   k = nᵀ K n along n
// Both are multiplied by the number of contacts that share the mass: each contact is solved as if it had its
// share alone, all are solved at once, and their impulses add up to what the whole needs (mass splitting,
// [TBV12]).
#pragma once

#include "kernels/cloth/distance_constraint.h"
#include "kernels/solid/rigid_motion.h"

namespace coalesce {

// The inverse mass matrix of a particle; symmetric.
template <class R>
struct MassMatrix {
    Vec3T<R> diagonal;  // [1/kg]
    Vec3T<R> mixed;     // yz, zx, xy
    HD R along(Vec3T<R> n) const {
        return diagonal.x * n.x * n.x + diagonal.y * n.y * n.y + diagonal.z * n.z * n.z +
               R(2) * (mixed.x * n.y * n.z + mixed.y * n.z * n.x + mixed.z * n.x * n.y);
    }
};
template <class R>
struct ScalarMass {
    R inverse;  // [1/kg]
    HD R along(Vec3T<R>) const { return inverse; }
};

// By slot. Bodies: there are rigid ones.
template <bool Bodies>
struct InverseMass;
template <>
struct InverseMass<false> {
    View<const Vec4> traits;  // w: n w
    template <class I>
    HD ScalarMass<RealOf<I>> of(I i) const {
        const Vec4T<RealOf<I>> t = traits[i];
        return {t.w};
    }
};
template <>
struct InverseMass<true> {
    View<const Vec4> diagonal, mixed;
    template <class I>
    HD MassMatrix<RealOf<I>> of(I i) const {
        const Vec4T<RealOf<I>> d = diagonal[i], m = mixed[i];
        return {xyz(d), xyz(m)};
    }
};

// I⁻¹ of each rigid cluster at its present rotation.
struct FindInverseInertia {
    ClusterTables tables;
    View<const ClusterParams> params;
    View<const MomentumSums> sums;
    View<Vec4> diagonal, mixed;  // [1/(kg m²)] by cluster, written; w of diagonal: 1/M [1/kg], 0: not rigid
    HD void operator()(int i) const {
        const ClusterConstants& cluster = tables.clusters[i];
        diagonal[i] = mixed[i] = {0, 0, 0, 0};
        if (!params[cluster.material].rigid) return;
        const RigidMoments spin(cluster, sums);
        if (!(spin.mass > 0)) return;
        const float inverse = 1 / spin.mass;
        const Vec3 x = spin.angularVelocityOf({inverse, 0, 0}), y = spin.angularVelocityOf({0, inverse, 0}),
                   z = spin.angularVelocityOf({0, 0, inverse});
        diagonal[i] = {x.x, y.y, z.z, inverse};
        mixed[i] = {z.y, z.x, y.x, 0};
    }
};

// Shares the inverse mass of each particle, or of its rigid body, among the contacts.
struct ShareMass {
    View<const uint32_t> id, phase;
    View<const GroupConstants> groups;
    ClusterTables tables;
    View<const Vec4> clusterDiagonal, clusterMixed;  // see FindInverseInertia
    View<const ClusterPose> pose;
    View<const Vec4> clusterRestCenter;
    View<const uint32_t> bodyContacts;  // by cluster
    View<const float> contacts;         // by slot; empty: 1
    View<const Vec4> x;                 // w: inverse mass
    View<Vec4> diagonal, mixed;         // by slot, written

    HD void operator()(int i) const {
        const float w = x[i].w;
        const uint32_t cluster = bodyClusterOf(tables, groups[groupOf(phase[i])], id[i]);
        if (cluster == kNoRow || !(clusterDiagonal[cluster].w > 0) || w == 0) {
            const float k = contacts.size > 0 ? max(contacts[i], 1.0f) * w : w;
            diagonal[i] = {k, k, k, 0}, mixed[i] = {0, 0, 0, 0};
            return;
        }
        const uint32_t row = rowOf(groups[groupOf(phase[i])], id[i]);
        const Vec3 r =
            rotate(pose[cluster].rotation, xyz(tables.memberRestPosition[firstMemberOf(tables, row)]) -
                                               xyz(clusterRestCenter[cluster]));
        const Vec4 d = clusterDiagonal[cluster], m = clusterMixed[cluster];
        const auto column = [&](Vec3 e) {
            const Vec3 a = cross(r, e);
            const Vec3 turn{d.x * a.x + m.z * a.y + m.y * a.z, m.z * a.x + d.y * a.y + m.x * a.z,
                            m.y * a.x + m.x * a.y + d.z * a.z};
            return d.w * e + cross(turn, r);
        };
        const Vec3 kx = column({1, 0, 0}), ky = column({0, 1, 0}), kz = column({0, 0, 1});
        const float share = toFloat(static_cast<int>(bodyContacts[cluster] > 0 ? bodyContacts[cluster] : 1));
        diagonal[i] = vec4(share * Vec3{kx.x, ky.y, kz.z}, 0.0f);
        mixed[i] = vec4(share * Vec3{kz.y, kz.x, ky.x}, 0.0f);
    }
};

// Counts the springs that pull at each rigid body: they share its mass.
struct CountSpringsOfBodies {
    View<const DistanceConstraint> springs;
    ClusterTables tables;
    View<uint32_t> count;  // by cluster, added to
    HD void operator()(int i) const {
        const DistanceConstraint s = springs[i];
        if (s.params & kCut) return;
        addTo(s.a), addTo(s.b);
    }

private:
    HD void addTo(uint32_t row) const {
        if (isShapeMatched(tables, row))
            atomicAdd(&count[tables.memberCluster[firstMemberOf(tables, row)]], 1);
    }
};

// Factor by which a particle of a rigid body is heavier for a spring: as heavy as its body resists at this
// point, w/k with k the largest row sum of K, at least the largest eigenvalue. Free particles: 1.
struct FindSpringMassScale {
    View<const Vec4> diagonal, mixed;  // by slot: see ShareMass
    View<const Vec4> x;                // w: inverse mass
    View<float> scale;                 // written
    HD void operator()(int i) const {
        const Vec4 d = diagonal[i], m = mixed[i];
        const float yz = fabsf(m.x), zx = fabsf(m.y), xy = fabsf(m.z);
        const float k = max(max(d.x + xy + zx, d.y + xy + yz), d.z + zx + yz);
        scale[i] = k > 0 && x[i].w > 0 ? x[i].w / k : 1.0f;
    }
};

}  // namespace coalesce
