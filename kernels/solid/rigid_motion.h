// Rigid bodies beyond shape matching: conservation of angular momentum, response to contacts of few
// particles, and rigid pre-stabilization. All from moments of their particles, summed as in cluster.h.
#pragma once

#include "kernels/solid/cluster.h"

namespace coalesce {

// Velocities of rigid bodies. The prediction of a rotating body follows tangents, and shape matching shortens
// them to chords, which point outwards at their ends: every substep loses the share ω²dt² of the angular
// momentum (a quarter within half a second at 10 rad/s and 120 substeps per second). Therefore
//   - velocities are replaced by a rigid motion of the same momenta, which has no outward part:
//         q = R (r − r̄),  S = Σ m q qᵀ,  I = tr(S) − S,  v = Σ m v / M + ω × q,  ω = I⁻¹ Σ m q × v
//   - the loss is computed in advance from the moments, and added back at the end:
//         A' = S + dt [ω]× S,  R' = rotation of the polar decomposition of A',  δω = ω − I⁻¹ Σ m q × R'q / dt
// Our addition; the papers do not treat it. Of soft bodies: soft_spin.h.
struct MomentumSums {
    float mass = 0;        // Σ m [kg]
    Vec3 first{0, 0, 0};   // Σ m q [kg m]: not 0 if particles were removed or flowed since r̄ was computed
    Vec3 linear{0, 0, 0};  // Σ m v [kg m/s]
    Vec3 momentum{0, 0, 0};  // Σ m q × v [kg m²/s]
    Vec3 diagonal{0, 0, 0};  // of S [kg m²]
    Vec3 mixed{0, 0, 0};     // of S: yz, zx, xy

    // a particle of mass m at q with velocity u
    HD void add(float m, Vec3 q, Vec3 u) {
        mass += m;
        first += m * q;
        linear += m * u;
        momentum += m * cross(q, u);
        diagonal += m * Vec3{q.x * q.x, q.y * q.y, q.z * q.z};
        mixed += m * Vec3{q.y * q.z, q.z * q.x, q.x * q.y};
    }
    HD void add(const MomentumSums& more) {
        mass += more.mass;
        first += more.first;
        linear += more.linear;
        momentum += more.momentum;
        diagonal += more.diagonal;
        mixed += more.mixed;
    }
};

// Over chunks.
HD MomentumSums sumOf(View<const MomentumSums> sums, uint32_t begin, uint32_t end) {
    MomentumSums all;
    for (uint32_t k = begin; k < end; ++k) all.add(sums[k]);
    return all;
}

struct SumMomenta {
    ClusterTables tables;
    View<const Vec4> x;  // w: inverse mass; empty: held particles count, too
    View<const Vec4> v;  // [m/s]
    View<const ClusterPose> pose;
    View<const Vec4> clusterRestCenter;
    View<MomentumSums> sums;  // written, by chunk

    HD void operator()(int i) const {
        const ClusterChunk chunk = tables.chunks[i];
        const Quat rotation = pose[chunk.cluster].rotation;
        const Vec3 mean = xyz(clusterRestCenter[chunk.cluster]);
        MomentumSums sum;
        for (uint32_t k = chunk.begin; k < chunk.end; ++k) {
            const uint32_t slot = tables.slotOf[tables.memberRow[k]];
            if (slot == kNoSlot || (x.size > 0 && x[slot].w == 0)) continue;
            const float m = tables.memberRestPosition[k].w;
            const Vec3 q = rotate(rotation, xyz(tables.memberRestPosition[k]) - mean);
            sum.add(m, q, xyz(v[slot]));
        }
        sums[i] = sum;
    }
};

// The moments of a cluster, or of several, about their center, summed over chunks; divided by mass, to stay
// within the range of floats for grains of dust and boulders.
struct RigidMoments {
    float mass = 0;                          // M [kg]
    Mat3 spread;                             // S/M [m²]
    Vec3 diagonal{0, 0, 0}, mixed{0, 0, 0};  // of spread
    Mat3 inertia;                            // I/M [m²]
    float regularization = 0;                // added to its diagonal [m²]
    Vec3 linear{0, 0, 0}, omega{0, 0, 0};

    HD RigidMoments(const ClusterConstants& cluster, View<const MomentumSums> sums)
        : RigidMoments(sumOf(sums, cluster.firstChunk, cluster.firstChunk + cluster.chunks)) {}
    HD explicit RigidMoments(const MomentumSums& all) {
        if (!(all.mass > 0)) return;
        mass = all.mass;
        const float inverse = 1 / all.mass;
        const Vec3 c = inverse * all.first;
        linear = inverse * all.linear;
        const Vec3 d = diagonal = inverse * all.diagonal - Vec3{c.x * c.x, c.y * c.y, c.z * c.z};
        const Vec3 m = mixed = inverse * all.mixed - Vec3{c.y * c.z, c.z * c.x, c.x * c.y};
        // regularized: a rod has no inertia about its axis
        regularization = (d.x + d.y + d.z) * 1e-6f;
        const float trace = (d.x + d.y + d.z) * (1 + 1e-6f);
        spread = {{d.x, m.z, m.y}, {m.z, d.y, m.x}, {m.y, m.x, d.z}};
        inertia = {{trace - d.x, -m.z, -m.y}, {-m.z, trace - d.y, -m.x}, {-m.y, -m.x, trace - d.z}};
        omega = angularVelocityOf(inverse * all.momentum - cross(c, linear));
    }
    // I⁻¹ L by LDLᵀ, L per mass. Cramer's rule fails here: the determinant of a rod's I is pure rounding
    // error.
    HD Vec3 angularVelocityOf(Vec3 momentum) const {
        const Mat3& a = inertia;
        const float d0 = a.x.x;
        if (!(d0 > 0)) return {0, 0, 0};
        const float l10 = a.x.y / d0, l20 = a.x.z / d0;
        const float d1 = a.y.y - l10 * a.x.y, rest = a.y.z - l20 * a.x.y;
        if (!(d1 > 0)) return {0, 0, 0};
        const float l21 = rest / d1;
        const float d2 = a.z.z - l20 * a.x.z - l21 * rest;
        if (!(d2 > 0)) return {0, 0, 0};
        const float y1 = momentum.y - l10 * momentum.x, y2 = momentum.z - l20 * momentum.x - l21 * y1;
        const float z = y2 / d2, y = y1 / d1 - l21 * z;
        return {momentum.x / d0 - l10 * y - l20 * z, y, z};
    }
};

// Mass scale s: factor by which a rigid body follows its contacts more than the mean of its particles would.
// Contacts move the few touched particles by Δ_i as if each were free; the mean over all particles would move
// the body by only n_touched / n of that, and stacks would sag. The rigid motion u with the momenta of the
// Δ_i,
//     u_i = t + ω × q_i,   t = Σ m Δ / M,   ω = I⁻¹ Σ m q × Δ
// is scaled by the factor that fits the touched particles best, at most as if they were the whole body:
//     s = argmin Σ_touched m |s u_i − Δ_i|² = Σ m |u|² / Σ_touched m |u|²,   1 ≤ s ≤ M / m_touched
// Contacts treat such a particle as heavier by s, so that momentum is conserved: the body's mass is split
// among its contacts ([TBV12] mass splitting, there for bodies with velocities).
struct ContactMoments {
    float mass = 0;          // of touched particles [kg]
    Vec3 lever{0, 0, 0};     // Σ_touched m q [kg m]
    Vec3 diagonal{0, 0, 0};  // of Σ_touched m q qᵀ [kg m²]
    Vec3 mixed{0, 0, 0};     // of the same: yz, zx, xy

    // a particle of mass m at q
    HD void add(float m, Vec3 q) {
        mass += m;
        lever += m * q;
        diagonal += m * Vec3{q.x * q.x, q.y * q.y, q.z * q.z};
        mixed += m * Vec3{q.y * q.z, q.z * q.x, q.x * q.y};
    }
    HD void add(const ContactMoments& more) {
        mass += more.mass;
        lever += more.lever;
        diagonal += more.diagonal;
        mixed += more.mixed;
    }
};

struct SumContactMoments {
    ClusterTables tables;
    View<const ClusterParams> params;
    View<const Vec4> xStar, before;  // [m] after contacts of an iteration, and before
    View<const ClusterPose> pose;
    View<const Vec4> clusterRestCenter;
    View<MomentumSums> sums;              // written, by chunk: moments with Δ for v
    View<ContactMoments> contactMoments;  // written, by chunk

    HD void operator()(int i) const {
        const ClusterChunk chunk = tables.chunks[i];
        if (!params[tables.clusters[chunk.cluster].material].rigid) return;
        const Quat rotation = pose[chunk.cluster].rotation;
        const Vec3 mean = xyz(clusterRestCenter[chunk.cluster]);
        MomentumSums sum;
        ContactMoments touched;
        for (uint32_t k = chunk.begin; k < chunk.end; ++k) {
            const uint32_t slot = tables.slotOf[tables.memberRow[k]];
            if (slot == kNoSlot) continue;
            const float m = tables.memberRestPosition[k].w;
            const Vec3 q = rotate(rotation, xyz(tables.memberRestPosition[k]) - mean);
            const Vec3 delta = xyz(xStar[slot]) - xyz(before[slot]);
            sum.add(m, q, delta);
            if (delta != Vec3{0, 0, 0}) touched.add(m, q);
        }
        sums[i] = sum;
        contactMoments[i] = touched;
    }
};

// Moments of a cluster's touched particles, summed over its chunks.
HD ContactMoments contactMomentsOf(const ClusterConstants& cluster,
                                   View<const ContactMoments> contactMoments) {
    ContactMoments touched;
    for (uint32_t k = cluster.firstChunk; k < cluster.firstChunk + cluster.chunks; ++k)
        touched.add(contactMoments[k]);
    return touched;
}

// Σ m |ω × q|² from the moments of Σ m q qᵀ
HD float twiceRotationalEnergy(Vec3 d, Vec3 m, Vec3 w) {
    const float trace = d.x + d.y + d.z;
    const Vec3 sw{d.x * w.x + m.z * w.y + m.y * w.z, m.z * w.x + d.y * w.y + m.x * w.z,
                  m.y * w.x + m.x * w.y + d.z * w.z};
    return trace * dot(w, w) - dot(w, sw);
}

// The mass scale of a cluster with touched particles.
HD float massScaleOf(const RigidMoments& spin, const ContactMoments& touched) {
    // both sums per mass of the body
    const float inverse = 1 / spin.mass;
    const Vec3 t = spin.linear, w = spin.omega;
    const float all = dot(t, t) + twiceRotationalEnergy(spin.diagonal, spin.mixed, w);
    const float some = inverse * (touched.mass * dot(t, t) + 2 * dot(t, cross(w, touched.lever)) +
                                  twiceRotationalEnergy(touched.diagonal, touched.mixed, w));
    const float most = spin.mass / touched.mass;
    return some * most > all ? max(all / some, 1.0f) : most;
}

struct FindMassScale {
    ClusterTables tables;
    View<const ClusterParams> params;
    View<const ClusterPose> pose;
    View<const MomentumSums> sums;
    View<const ContactMoments> contactMoments;
    View<float> massScale;  // by cluster; updated: assumed by the contacts of the next iteration
    View<float>
        contactResponse;  // by cluster; written: mass scale of this iteration, at most what contacts assumed

    HD void operator()(int i) const {
        const ClusterConstants& cluster = tables.clusters[i];
        contactResponse[i] = 1;
        if (!params[cluster.material].rigid || !(pose[i].mass > 0)) return;
        const ContactMoments touched = contactMomentsOf(cluster, contactMoments);
        const RigidMoments spin(cluster, sums);
        if (!(touched.mass > 0) || !(spin.mass > 0)) return;
        const float best = massScaleOf(spin, touched);
        contactResponse[i] = min(best, massScale[i]);
        massScale[i] = best;
    }
};

// Pre-stabilization moves only touched particles. A rigid body follows as a whole, by the rigid motion above
// times its mass scale: shape matching would convert its deformation into velocity.
struct FindRigidDisplacement {
    ClusterTables tables;
    View<const ClusterParams> params;
    View<const MomentumSums> sums;
    View<const ContactMoments> contactMoments;
    View<Vec4> linear, turn;  // [m], [rad] by cluster, written
    HD void operator()(int i) const {
        const ClusterConstants& cluster = tables.clusters[i];
        linear[i] = turn[i] = {0, 0, 0, 0};
        if (!params[cluster.material].rigid) return;
        const ContactMoments touched = contactMomentsOf(cluster, contactMoments);
        const RigidMoments spin(cluster, sums);
        if (!(touched.mass > 0) || !(spin.mass > 0)) return;
        const float massScale = massScaleOf(spin, touched);
        linear[i] = vec4(massScale * spin.linear, 0.0f);
        turn[i] = vec4(massScale * spin.omega, 0.0f);
    }
};

struct ApplyRigidDisplacement {
    ClusterTables tables;
    View<const ClusterParams> params;
    View<const ClusterPose> pose;
    View<const Vec4> clusterRestCenter, linear, turn;
    View<const Vec4> before;  // [m] before pre-stabilization
    View<Vec4> x, xStar;      // updated by the same displacement
    HD void operator()(int row) const {
        const auto [slot, cluster, q] = bodyParticleOf(tables, pose, clusterRestCenter, x, row);
        if (slot == kNoSlot || !params[tables.clusters[cluster].material].rigid) return;
        const Vec3 more =
            xyz(linear[cluster]) + cross(xyz(turn[cluster]), q) - (xyz(x[slot]) - xyz(before[slot]));
        x[slot] = vec4(xyz(x[slot]) + more, x[slot].w);
        xStar[slot] = vec4(xyz(xStar[slot]) + more, xStar[slot].w);
    }
};

// Copies mass scales from clusters to particles.
struct GatherMassScale {
    View<const uint32_t> id, phase;
    View<const GroupConstants> groups;
    ClusterTables tables;
    View<const float> massScale, contactResponse;    // by cluster
    View<float> slotMassScale, slotContactResponse;  // by slot, written
    bool bodiesFollow;  // bodies will follow these contacts; false for the last contacts of a substep
    HD void operator()(int i) const {
        const uint32_t cluster = bodyClusterOf(tables, groups[groupOf(phase[i])], id[i]);
        slotContactResponse[i] = cluster == kNoRow ? 1.0f : contactResponse[cluster];
        slotMassScale[i] = bodiesFollow && cluster != kNoRow ? massScale[cluster] : 1.0f;
    }
};

struct FindAngularVelocityLoss {
    ClusterTables tables;
    View<const ClusterParams> params;
    View<const MomentumSums> sums;  // at the start of the substep, velocities as predicted
    View<Vec4> loss;                // δω [rad/s], by cluster, written
    float dt;

    HD void operator()(int i) const {
        const ClusterConstants& cluster = tables.clusters[i];
        loss[i] = {0, 0, 0, 0};
        if (!params[cluster.material].rigid) return;
        const RigidMoments spin(cluster, sums);
        const Vec3 omega = spin.omega;
        // below this the loss is less than the rounding error of the rotation
        if (!(dot(omega, omega) * dt * dt > 4e-6f)) return;
        const Mat3& s = spin.spread;
        const Mat3 predicted{fma(dt, cross(omega, s.x), s.x), fma(dt, cross(omega, s.y), s.y),
                             fma(dt, cross(omega, s.z), s.z)};
        const Quat turn = extractRotation(predicted, Quat{});
        const Vec3 x = rotate(turn, s.x), y = rotate(turn, s.y), z = rotate(turn, s.z);  // Σ m R'q q_k
        const Vec3 kept = 1 / dt * Vec3{y.z - z.y, z.x - x.z, x.y - y.x};
        loss[i] = vec4(omega - spin.angularVelocityOf(kept), 0.0f);
    }
};

// Velocity and angular velocity of a rigid cluster.
struct FindRigidVelocities {
    ClusterTables tables;
    View<const ClusterParams> params;
    View<const ClusterPose> pose;
    View<const MomentumSums> sums;  // at the end of the substep
    View<const Vec4> loss;
    View<Vec4> linear, omega;  // [m/s], [rad/s], written
    bool refined;  // also takes back what the regularization of the inertia costs: for many projections a
                   // substep
    HD void operator()(int i) const {
        const ClusterConstants& cluster = tables.clusters[i];
        if (!params[cluster.material].rigid || !(pose[i].mass > 0)) return;
        const RigidMoments spin(cluster, sums);
        linear[i] = vec4(spin.linear, 0.0f);
        Vec3 turn = spin.omega;
        if (refined) turn += spin.angularVelocityOf(spin.regularization * turn);
        omega[i] = vec4(turn + xyz(loss[i]), 0.0f);
    }
};

struct ApplyRigidVelocities {
    ClusterTables tables;
    View<const ClusterParams> params;
    View<const ClusterPose> pose;
    View<const Vec4> clusterRestCenter, linear, omega;
    View<const Vec4> x;
    View<Vec4> v;  // updated
    HD void operator()(int row) const {
        const auto [slot, cluster, q] = bodyParticleOf(tables, pose, clusterRestCenter, x, row);
        if (slot == kNoSlot || !params[tables.clusters[cluster].material].rigid) return;
        v[slot] = vec4(xyz(linear[cluster]) + cross(xyz(omega[cluster]), q), v[slot].w);
    }
};

}  // namespace coalesce
