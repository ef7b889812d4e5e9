// The spin that soft bodies would lose, method position. Goals move particles from x* = x + dt v, and their displacements
// Δ have no moment about x*; but the velocity (x* + Δ − x)/dt has the angular momentum
//     L = Σ m x × v + Σ m x × Δ/dt,
// so that what acts at x* instead of x costs a body that turns the share ω² dt² of its spin in each substep. Each cluster
// gets back
//     δω = −I⁻¹ Σ m (x − c) × Δ/dt,   v += δω × (x − c),   I about c.
// Displacements within a cluster add up to zero, so the momentum stays; clusters that hold a fixed particle get nothing,
// since that particle takes a part. Our addition; the papers do not treat it.
#pragma once

#include "kernels/solid/rigid_motion.h"

namespace coalesce {

// In place of the mass of a fixed particle: the sum is negative then, and its moments count as zero.
constexpr float kHeldMass = -1e30f;  // [kg]

struct SumSoftMomenta {
    ClusterTables tables;
    View<const ClusterParams> params;
    View<const Vec4> x, xStar;  // [m] at the start of the substep, and after all iterations; w: inverse mass
    View<const ClusterPose> pose;
    View<const Vec4> lambda;  // [kg m] by member
    View<MomentumSums> sums;  // written, by chunk; momentum: −Σ m (x − c) × Δ/dt
    float dt;

    HD void operator()(int i) const {
        const ClusterChunk chunk = tables.chunks[i];
        if (params[tables.clusters[chunk.cluster].material].rigid) return;
        const Vec3 c = pose[chunk.cluster].center;
        MomentumSums sum;
        for (uint32_t k = chunk.begin; k < chunk.end; ++k) {
            const uint32_t slot = tables.slotOf[tables.memberRow[k]];
            if (slot == kNoSlot) continue;
            const float m = tables.memberRestPosition[k].w;
            const Vec4 start = x[slot];
            const Vec3 q = xyz(xStar[slot]) - c;
            sum.mass += start.w == 0 ? kHeldMass : m;
            sum.first += m * q;
            sum.momentum += m * cross(start.w / dt * xyz(lambda[k]), xyz(start) - c);
            sum.diagonal += m * Vec3{q.x * q.x, q.y * q.y, q.z * q.z};
            sum.mixed += m * Vec3{q.y * q.z, q.z * q.x, q.x * q.y};
        }
        sums[i] = sum;
    }
};

struct FindSoftLoss {
    ClusterTables tables;
    View<const ClusterParams> params;
    View<const MomentumSums> sums;
    View<Vec4> loss;  // δω [rad/s], by cluster, written for soft bodies

    HD void operator()(int i) const {
        const ClusterConstants& cluster = tables.clusters[i];
        if (!params[cluster.material].rigid) loss[i] = vec4(RigidMoments(cluster, sums).omega, 0.0f);
    }
};

// Gives it back to the particles of a row, as the mean over its clusters.
struct ReturnSpin {
    ClusterTables tables;
    View<const ClusterParams> params;
    View<const ClusterPose> pose;  // of x
    View<const Vec4> loss;         // by cluster
    View<const Vec4> x;            // w: inverse mass
    View<Vec4> v;                  // updated
    HD void operator()(int row) const {
        const uint32_t slot = tables.slotOf[row];
        const uint32_t begin = tables.rowStart[row], end = tables.rowStart[row + 1];
        if (slot == kNoSlot || begin == end || x[slot].w == 0) return;
        Vec3 sum{0, 0, 0};
        for (uint32_t e = begin; e < end; ++e) {
            const uint32_t cluster = tables.memberCluster[tables.rowMembers[e]];
            if (params[tables.clusters[cluster].material].rigid) return;
            sum += cross(xyz(loss[cluster]), xyz(x[slot]) - pose[cluster].center);
        }
        v[slot] = vec4(xyz(v[slot]) + 1 / toFloat(static_cast<int>(end - begin)) * sum, v[slot].w);
    }
};

}  // namespace coalesce
