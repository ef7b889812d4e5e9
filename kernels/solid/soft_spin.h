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

struct SumSoftMomenta {
    ClusterTables tables;
    View<const ClusterParams> params;
    View<const Vec4> x, end;  // [m] at the start of the substep, and after all iterations; w: inverse mass
    View<const Vec4> v;       // [m/s] position: as predicted; velocity: after all iterations
    View<const ClusterPose> pose;
    View<const Vec4> lambda;    // [kg m] by member
    View<MomentumSums> sums;    // by chunk, written: about the center o of the first cluster of the body
    View<Vec4> angularImpulse;  // T [kg m²/s], by chunk, written; w: number of fixed particles
    float dt;

    HD void operator()(int i) const {
        const ClusterChunk chunk = tables.chunks[i];
        const ClusterConstants& cluster = tables.clusters[chunk.cluster];
        if (params[cluster.material].rigid) return;
        const Vec3 o = pose[cluster.firstOfBody].center;
        MomentumSums sum;
        Vec3 impulse{0, 0, 0};
        float fixed = 0;
        for (uint32_t k = chunk.begin; k < chunk.end; ++k) {
            const uint32_t slot = tables.slotOf[tables.memberRow[k]];
            if (slot == kNoSlot) continue;
            const float m = tables.memberRestPosition[k].w;
            const Vec4 start = x[slot];
            sum.add(m, xyz(end[slot]) - o, xyz(v[slot]));
            impulse += m * cross(start.w / dt * xyz(lambda[k]), xyz(start) - o);
            if (start.w == 0) fixed += 1;
        }
        sums[i] = sum;
        angularImpulse[i] = vec4(impulse, fixed);
    }
};

// The sums of a cluster, in the place of its first chunk.
struct SumSoftClusters {
    ClusterTables tables;
    View<const ClusterParams> params;
    View<MomentumSums> sums;    // updated
    View<Vec4> angularImpulse;  // updated

    HD void operator()(int i) const {
        const ClusterConstants& cluster = tables.clusters[i];
        if (params[cluster.material].rigid) return;
        const uint32_t begin = cluster.firstChunk, end = begin + cluster.chunks;
        if (begin == end) return;
        Vec4 all{0, 0, 0, 0};
        for (uint32_t k = begin; k < end; ++k)
            all = vec4(xyz(all) + xyz(angularImpulse[k]), all.w + angularImpulse[k].w);
        sums[begin] = sumOf(sums, begin, end);
        angularImpulse[begin] = all;
    }
};

// Per cluster; the first of a body finds δω for all of them.
struct FindSoftLoss {
    ClusterTables tables;
    View<const ClusterParams> params;
    View<const ClusterPose> pose;
    View<const MomentumSums> sums;  // by first chunk of a cluster
    View<const Vec4> angularImpulse;
    View<Vec4> loss, center;  // δω [rad/s], c [m]; by first cluster of a soft body, written
    float dt;

    HD void operator()(int i) const {
        const auto first = static_cast<uint32_t>(i);
        if (params[tables.clusters[first].material].rigid || tables.clusters[first].firstOfBody != first)
            return;
        MomentumSums all;
        Vec3 impulse{0, 0, 0};
        float fixed = 0;
        for (size_t k = first; k < tables.clusters.size && tables.clusters[k].firstOfBody == first; ++k) {
            if (tables.clusters[k].chunks == 0) continue;
            const uint32_t chunk = tables.clusters[k].firstChunk;
            all.add(sums[chunk]);
            impulse += xyz(angularImpulse[chunk]);
            fixed += angularImpulse[chunk].w;
        }
        loss[first] = center[first] = {0, 0, 0, 0};
        if (fixed > 0 || !(all.mass > 0)) return;
        const RigidMoments spin(all);
        const float inverse = 1 / all.mass, speed = length(spin.omega), turn = dt * speed;
        const Vec3 change = spin.angularVelocityOf(inverse * impulse);
        const float most = 2 * turn * turn * speed, size = length(change);
        loss[first] = vec4(size > most ? most / size * change : change, 0.0f);
        center[first] = vec4(pose[first].center + inverse * all.first, 0.0f);
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
