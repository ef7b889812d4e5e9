// The spin that soft bodies would lose, methods position and velocity. Goals move particles from where they are predicted,
// x* = x + dt v, and their displacements Δ have no moment about x*; but they change the angular momentum about x,
//     L = Σ m x × v + Σ m x × Δ/dt,
// which costs a body that turns the share ω² dt² of its spin in each substep. The body gets it back:
//     T = −Σ m (x − o) × Δ/dt,   δω = I⁻¹ T,   v += δω × (x − c).
// Displacements within a cluster add up to zero, so T does not depend on o, and the momentum stays. No more is returned
// than twice what the turning costs, ω³ dt²: where contacts crush a body, Δ would return what they have taken. Bodies
// with a fixed particle get nothing, since that particle takes a part. Our addition; the papers do not treat it.
#pragma once

#include "kernels/solid/rigid_motion.h"

namespace coalesce {

// Momenta of a chunk, cluster or body, and the angular impulse that its goals take from it.
struct SoftMomenta {
    MomentumSums sums;             // about the center o of the first cluster of the body
    Vec3 angularImpulse{0, 0, 0};  // T [kg m²/s]
    float fixed = 0;               // number of fixed particles

    HD void add(const SoftMomenta& more) {
        sums.add(more.sums);
        angularImpulse += more.angularImpulse;
        fixed += more.fixed;
    }
};

struct SumSoftMomenta {
    ClusterTables tables;
    View<const ClusterParams> params;
    View<const Vec4> x, end;  // [m] at the start of the substep, and after all iterations; w: inverse mass
    View<const Vec4> v;       // [m/s] position: as predicted; velocity: after all iterations
    View<const ClusterPose> pose;
    View<const Vec4> lambda;    // [kg m] by member
    View<SoftMomenta> momenta;  // by chunk, written
    float dt;

    HD void operator()(int i) const {
        const ClusterChunk chunk = tables.chunks[i];
        const ClusterConstants& cluster = tables.clusters[chunk.cluster];
        if (params[cluster.material].rigid) return;
        const Vec3 o = pose[cluster.firstOfBody].center;
        SoftMomenta sum;
        for (uint32_t k = chunk.begin; k < chunk.end; ++k) {
            const uint32_t slot = tables.slotOf[tables.memberRow[k]];
            if (slot == kNoSlot) continue;
            const float m = tables.memberRestPosition[k].w;
            const Vec4 start = x[slot];
            sum.sums.add(m, xyz(end[slot]) - o, xyz(v[slot]));
            sum.angularImpulse += m * cross(start.w / dt * xyz(lambda[k]), xyz(start) - o);
            if (start.w == 0) sum.fixed += 1;
        }
        momenta[i] = sum;
    }
};

struct SumSoftClusters {
    ClusterTables tables;
    View<const ClusterParams> params;
    View<const SoftMomenta> ofChunks;
    View<SoftMomenta> momenta;  // by cluster, written

    HD void operator()(int i) const {
        const ClusterConstants& cluster = tables.clusters[i];
        if (params[cluster.material].rigid) return;
        SoftMomenta all;
        for (uint32_t k = cluster.firstChunk; k < cluster.firstChunk + cluster.chunks; ++k)
            all.add(ofChunks[k]);
        momenta[i] = all;
    }
};

// Clusters that one thread adds in AddSoftClusters; the first of the body then adds these partial sums.
constexpr uint32_t kClustersTogether = 64;

// Whether cluster k exists and is of the body whose clusters begin with `first`.
HD bool isOfBody(const ClusterTables& tables, uint32_t k, uint32_t first) {
    return k < tables.clusters.size && tables.clusters[k].firstOfBody == first;
}

// Adds to every 64th cluster of a body those after it. Only where a body has more.
struct AddSoftClusters {
    ClusterTables tables;
    View<const ClusterParams> params;
    View<SoftMomenta> momenta;  // by cluster, updated

    HD void operator()(int i) const {
        const auto at = static_cast<uint32_t>(i);
        const uint32_t first = tables.clusters[at].firstOfBody;
        if (params[tables.clusters[at].material].rigid || (at - first) % kClustersTogether != 0) return;
        SoftMomenta all = momenta[at];
        for (uint32_t k = at + 1; k < at + kClustersTogether && isOfBody(tables, k, first); ++k)
            all.add(momenta[k]);
        momenta[at] = all;
    }
};

// Per cluster; the first of a body finds δω for all of them.
struct FindSoftLoss {
    ClusterTables tables;
    View<const ClusterParams> params;
    View<const ClusterPose> pose;
    View<const SoftMomenta> momenta;  // by cluster
    uint32_t together;                // kClustersTogether after AddSoftClusters, else 1
    View<Vec4> loss, center;          // δω [rad/s], c [m]; by first cluster of a soft body, written
    float dt;

    HD void operator()(int i) const {
        const auto first = static_cast<uint32_t>(i);
        if (params[tables.clusters[first].material].rigid || tables.clusters[first].firstOfBody != first)
            return;
        SoftMomenta body;
        for (uint32_t k = first; isOfBody(tables, k, first); k += together) body.add(momenta[k]);
        loss[first] = center[first] = {0, 0, 0, 0};
        const float mass = body.sums.mass;
        if (body.fixed > 0 || !(mass > 0)) return;
        const RigidMoments spin(body.sums);
        const float inverse = 1 / mass, speed = length(spin.omega), turn = dt * speed;
        const Vec3 change = spin.angularVelocityOf(inverse * body.angularImpulse);
        const Vec3 middle = pose[first].center + inverse * body.sums.first;
        // a non-finite particle, about to be put into quarantine, must not affect its body
        if (!isFinite(spin.omega) || !isFinite(change) || !isFinite(middle)) return;
        const float most = 2 * turn * turn * speed, size = length(change);
        loss[first] = vec4(size > most ? most / size * change : change, 0.0f);
        center[first] = vec4(middle, 0.0f);
    }
};

// Gives it back to the particle of a row.
struct ReturnSpin {
    ClusterTables tables;
    View<const ClusterParams> params;
    View<const Vec4> loss, center;  // by first cluster of a body
    View<const Vec4> x;             // [m]; w: inverse mass
    View<Vec4> v;                   // [m/s] updated
    HD void operator()(int row) const {
        const uint32_t slot = tables.slotOf[row];
        if (slot == kNoSlot || !isShapeMatched(tables, uint32_t(row)) || x[slot].w == 0) return;
        const ClusterConstants& cluster =
            tables.clusters[tables.memberCluster[firstMemberOf(tables, uint32_t(row))]];
        if (params[cluster.material].rigid) return;
        const Vec3 arm = xyz(x[slot]) - xyz(center[cluster.firstOfBody]);
        v[slot] = vec4(xyz(v[slot]) + cross(xyz(loss[cluster.firstOfBody]), arm), v[slot].w);
    }
};

}  // namespace coalesce
