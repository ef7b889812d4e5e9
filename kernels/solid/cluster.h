// Shape matching: pulls the particles of a cluster towards the best-fit rigid transform of its rest shape.
//
//     c = Σ m x* / Σ m,   A = Σ m (x* − c) rᵀ,   R = rotation of the polar decomposition of A   [MHTG05]
//     Δx_i = k (R r_i + c − x*_i), averaged over the clusters of a particle        [UPP14] eq. 15, 16
//
// A particle in n clusters contributes m/n of its mass to each. Then the averaged displacements conserve
// momentum and angular momentum for any overlap, and with compliance they derive from one potential,
//     E = Σ |x_i − goal_i|² / (2 α n_i)  over all members.
//
// Sums over a cluster are reduced in two stages, within chunks of members and then over the chunks, always in
// the same order; bodies of ten and of a hundred thousand particles use the same kernels.
#pragma once

#include "kernels/math/compensated_sum.h"
#include "kernels/math/rotation.h"
#include "kernels/math/view.h"
#include "kernels/particles/material_constants.h"

namespace coalesce {

// Position and rotation of a cluster.
struct alignas(16) ClusterPose {
    Vec3 center{0, 0, 0};  // [m] current center of mass
    float mass = 0;        // [kg] of its particles that are alive; 0: none
    Quat rotation;         // world from body
};

struct ClusterConstants {
    uint32_t firstChunk, chunks;
    uint32_t material;     // selects stiffness and plasticity
    uint32_t firstOfBody;  // first cluster of its body; clusters and chunks of a body are consecutive
};

struct ClusterChunk {
    uint32_t cluster, begin, end;  // members
};

// Stiffness and plasticity of clusters, per material, for this substep.
struct ClusterParams {
    float stiffness;   // share of the displacement to the goal per iteration [-]
    float compliance;  // α̃ = α/dt² [1/kg]; > 0: instead of stiffness  [XPBD16]
    float yield;       // [m] deformation beyond which the rest shape flows; 0: elastic
    float creep;       // share of the deformation that flows per substep [-]
    float ownMoment;   // [m²] second moment of a single particle, per mass: d²/12
    int32_t rigid;     // 1: conserves angular momentum, see FindAngularVelocityLoss
};

// Tables of all solid bodies. Rows: particles of bodies. Members: particles of clusters, cluster by cluster.
struct ClusterTables {
    View<const uint32_t> slotOf;     // by row; kNoSlot: not alive
    View<const uint32_t> memberRow;  // by member
    View<const Vec4>
        memberRestPosition;  // by member: rest position in the body's frame [m]; w: mass share [kg]
    View<const uint32_t> memberCluster;  // by member
    View<const uint32_t> rowStart;       // rows + 1 elements: ranges of rowMembers
    View<const uint32_t> rowMembers;
    View<const ClusterChunk> chunks;
    View<const ClusterConstants> clusters;
};

// Whether a row belongs to any cluster; false for cloth and ropes.
HD bool isShapeMatched(const ClusterTables& tables, uint32_t row) {
    return tables.rowStart[row] != tables.rowStart[row + 1];
}
// The first member of a row.
HD uint32_t firstMemberOf(const ClusterTables& tables, uint32_t row) {
    return tables.rowMembers[tables.rowStart[row]];
}

// The first cluster of a particle; kNoRow for grains, cloth and ropes.
HD uint32_t bodyClusterOf(const ClusterTables& tables, const GroupConstants& group, uint32_t id) {
    const uint32_t row = rowOf(group, id);
    return row == kNoRow || !isShapeMatched(tables, row) ? kNoRow
                                                         : tables.memberCluster[firstMemberOf(tables, row)];
}

// A particle of a body by its row: its slot, or kNoSlot if it is dead, held, or not of a cluster; its first
// cluster; and the vector to it from the center of mass, in the present pose [m].
struct BodyParticle {
    uint32_t slot, cluster;
    Vec3 arm;
};
HD BodyParticle bodyParticleOf(const ClusterTables& tables, View<const ClusterPose> pose,
                               View<const Vec4> clusterRestCenter, View<const Vec4> x, int row) {
    const uint32_t slot = tables.slotOf[row];
    if (slot == kNoSlot || x[slot].w == 0 || !isShapeMatched(tables, row)) return {kNoSlot, 0, {0, 0, 0}};
    const uint32_t member = firstMemberOf(tables, row), cluster = tables.memberCluster[member];
    return {slot, cluster,
            rotate(pose[cluster].rotation,
                   xyz(tables.memberRestPosition[member]) - xyz(clusterRestCenter[cluster]))};
}

struct IndexParticles {
    View<const uint32_t> id, phase;
    View<const GroupConstants> groups;
    View<uint32_t> slotOf;  // written for rows whose particle is alive
    HD void operator()(int i) const {
        const uint32_t row = rowOf(groups[groupOf(phase[i])], id[i]);
        if (row != kNoRow) slotOf[row] = static_cast<uint32_t>(i);
    }
};

// Moments of a chunk about the previous center o of the cluster.
struct ClusterMoments {
    float mass = 0;
    Vec3 position{0, 0, 0};  // Σ m (x − o)
    Vec3 rest{0, 0, 0};      // Σ m r
    Mat3 spread;             // Σ m (x − o) rᵀ
};

struct SumClusterMoments {
    ClusterTables tables;
    View<const Vec4> xStar;
    View<const Vec4> roundingError;     // [m] of x* of soft bodies (w = 1); empty: none
    View<const Vec4> before;            // [m] before contacts; empty: contact displacements are not amplified
    View<const float> contactResponse;  // by cluster, see FindMassScale
    View<const ClusterPose> pose;
    View<ClusterMoments> moments;  // written, by chunk
    HD void operator()(int i) const {
        const ClusterChunk chunk = tables.chunks[i];
        const Vec3 o = pose[chunk.cluster].center;
        const float more = before.size > 0 ? contactResponse[chunk.cluster] - 1 : 0.0f;
        ClusterMoments sum;
        for (uint32_t k = chunk.begin; k < chunk.end; ++k) {
            const uint32_t slot = tables.slotOf[tables.memberRow[k]];
            if (slot == kNoSlot) continue;
            const Vec4 r = tables.memberRestPosition[k];
            Vec3 p = xyz(xStar[slot]) - o;
            if (roundingError.size > 0 && roundingError[slot].w > 0) p += xyz(roundingError[slot]);
            if (more > 0) p += more * (xyz(xStar[slot]) - xyz(before[slot]));
            sum.mass += r.w;
            sum.position += r.w * p;
            sum.rest += r.w * xyz(r);
            sum.spread += outer(r.w * p, xyz(r));
        }
        moments[i] = sum;
    }
};

// Fits center and rotation of a cluster, and updates the center of its rest positions, which changes when
// particles are removed or the rest shape flows. Of soft bodies it is the rest position of the rounded
// center: at 1 km from the origin the rounding, 0.03 mm in each substep, would push the body like a force.
struct FitCluster {
    ClusterTables tables;
    View<const ClusterMoments> moments;
    View<const ClusterParams> params;  // by material; empty: no body is soft
    View<ClusterPose> pose;            // updated
    View<Vec4>
        clusterRestCenter;  // written, by cluster: center of the rest positions in the body's frame [m]
    HD void operator()(int i) const {
        const ClusterConstants& cluster = tables.clusters[i];
        ClusterMoments sum;
        for (uint32_t k = cluster.firstChunk; k < cluster.firstChunk + cluster.chunks; ++k) {
            sum.mass += moments[k].mass;
            sum.position += moments[k].position;
            sum.rest += moments[k].rest;
            sum.spread += moments[k].spread;
        }
        ClusterPose p = pose[i];
        p.mass = sum.mass;
        if (sum.mass > 0) {
            const float inverse = 1 / sum.mass;
            const Vec3 shift = inverse * sum.position;
            Vec3 mean = inverse * sum.rest;
            // per mass, to stay within the range of floats for grains of dust and boulders
            Mat3 a{inverse * sum.spread.x, inverse * sum.spread.y, inverse * sum.spread.z};
            a += outer(-shift, mean);
            // a non-finite particle, about to be put into quarantine, must not affect its body
            if (isFinite(shift) && isFinite(a.x) && isFinite(a.y) && isFinite(a.z)) {
                const Vec3 before = p.center;
                p.center += shift;
                p.rotation = extractRotation(a, p.rotation);
                if (params.size > 0 && !params[cluster.material].rigid)
                    mean += rotate(conjugate(p.rotation), (p.center - before) - shift);
            }
            clusterRestCenter[i] = vec4(mean, 0.0f);
        }
        pose[i] = p;
    }
};

// Mean deviation of the particles of a cluster from its goals, as these are evaluated: what the rounding of
// sums, of the mean of the rest positions and of the arms leaves. It is the same in each substep, so that it
// would push a soft body like a force.
struct SumClusterDefects {
    ClusterTables tables;
    View<const Vec4> xStar, roundingError, clusterRestCenter;
    View<const ClusterPose> pose;
    View<Vec4> defects;  // [kg m], w: [kg]; by chunk, written
    HD void operator()(int i) const {
        const ClusterChunk chunk = tables.chunks[i];
        const ClusterPose p = pose[chunk.cluster];
        const Vec3 mean = xyz(clusterRestCenter[chunk.cluster]);
        Vec3 sum{0, 0, 0};
        float mass = 0;
        for (uint32_t k = chunk.begin; k < chunk.end; ++k) {
            const uint32_t slot = tables.slotOf[tables.memberRow[k]];
            if (slot == kNoSlot) continue;
            const Vec4 r = tables.memberRestPosition[k];
            Vec3 away = (xyz(xStar[slot]) - p.center) - rotate(p.rotation, xyz(r) - mean);
            if (roundingError.size > 0 && roundingError[slot].w > 0) away += xyz(roundingError[slot]);
            sum += r.w * away;
            mass += r.w;
        }
        defects[i] = vec4(sum, mass);
    }
};

struct AddClusterDefects {
    ClusterTables tables;
    View<const Vec4> defects;
    View<Vec4> clusterDefect;  // [m] by cluster, written
    HD void operator()(int i) const {
        const ClusterConstants& cluster = tables.clusters[i];
        Vec3 sum{0, 0, 0};
        float mass = 0;
        for (uint32_t k = cluster.firstChunk; k < cluster.firstChunk + cluster.chunks; ++k)
            sum += xyz(defects[k]), mass += defects[k].w;
        clusterDefect[i] = vec4(mass > 0 ? 1 / mass * sum : Vec3{0, 0, 0}, 0.0f);
    }
};

// Moves the particle of a row towards its goals. λ: of soft bodies, for compliance and soft_spin.h.
struct ApplyClusterGoals {
    ClusterTables tables;
    View<const ClusterPose> pose;
    View<const Vec4> clusterRestCenter;
    View<const ClusterParams> params;  // by material
    float relaxation;                  // of compliant clusters
    View<Vec4> lambda;                 // [kg m] by member; updated for soft bodies
    View<Vec4> xStar;                  // updated
    View<Vec4> roundingError;          // [m] of x* of soft bodies, updated; empty: not kept
    View<const Vec4> clusterDefect;    // [m] see SumClusterDefects; only where roundingError is kept
    HD void operator()(int row) const {
        const uint32_t slot = tables.slotOf[row];
        const uint32_t begin = tables.rowStart[row], end = tables.rowStart[row + 1];
        if (slot == kNoSlot || begin == end) return;
        const Vec4 start = xStar[slot];
        if (start.w == 0) return;
        const bool keepsError = roundingError.size > 0 && roundingError[slot].w > 0;
        const Vec3 error = keepsError ? xyz(roundingError[slot]) : Vec3{0, 0, 0};
        Vec3 sum{0, 0, 0};
        for (uint32_t e = begin; e < end; ++e) {
            const uint32_t k = tables.rowMembers[e], cluster = tables.memberCluster[k];
            const ClusterPose p = pose[cluster];
            const ClusterParams h = params[tables.clusters[cluster].material];
            const Vec3 arm =
                rotate(p.rotation, xyz(tables.memberRestPosition[k]) - xyz(clusterRestCenter[cluster]));
            const Vec3 away = keepsError ? (xyz(start) - p.center) - arm + error - xyz(clusterDefect[cluster])
                                         : xyz(start) - (arm + p.center);
            if (h.compliance > 0) {
                const Vec3 old = xyz(lambda[k]);
                const Vec3 change = -relaxation / (start.w + h.compliance) * (away + h.compliance * old);
                lambda[k] = vec4(old + change, 0.0f);
                sum += start.w * change;
            } else {
                const Vec3 change = -h.stiffness * away;
                if (!h.rigid) lambda[k] = vec4(xyz(lambda[k]) + 1 / start.w * change, 0.0f);
                sum += change;
            }
        }
        const Vec3 change = 1 / toFloat(static_cast<int>(end - begin)) * sum;
        if (!keepsError) {
            xStar[slot] = vec4(xyz(start) + change, start.w);
            return;
        }
        const CompensatedSum<float> moved = addCompensated<float>({xyz(start), error}, change);
        xStar[slot] = vec4(moved.value, start.w);
        roundingError[slot] = vec4(moved.error, 1.0f);
    }
};

// Rounding errors of the predicted positions of soft bodies: without them the velocity, which is taken from
// positions, would change in each substep by the rounding of dt v.
struct FindSoftRoundingErrors {
    ClusterTables tables;
    View<const ClusterParams> params;  // by material
    View<const Vec4> x, v, xStar;
    View<Vec4> roundingError;  // [m] written for soft bodies; w: 1
    float dt;
    HD void operator()(int row) const {
        const uint32_t slot = tables.slotOf[row];
        if (slot == kNoSlot || !isShapeMatched(tables, uint32_t(row)) || x[slot].w == 0) return;
        const uint32_t cluster = tables.memberCluster[firstMemberOf(tables, uint32_t(row))];
        if (params[tables.clusters[cluster].material].rigid) return;
        roundingError[slot] = vec4(predictionError(xyz(x[slot]), xyz(v[slot]), dt, xyz(xStar[slot])), 1.0f);
    }
};

// Rotates the signed distance gradient of each particle with its body: ∇φ in world coordinates, φ; of grains and
// liquid kNoBodySdf.
struct OrientBodySdfs {
    View<const uint32_t> id, phase;
    View<const GroupConstants> groups;
    ClusterTables tables;
    View<const ClusterPose> pose;
    View<const Vec4> rowSdf;  // by row: ∇φ in the body's frame, φ [m]
    View<Vec4> bodySdf;       // by slot, written
    HD void operator()(int i) const {
        const uint32_t row = rowOf(groups[groupOf(phase[i])], id[i]);
        Vec4 out{0, 1, 0, row == kNoRow ? kNoBodySdf : 2 * kNoSdf};
        if (row != kNoRow && isShapeMatched(tables, row)) {
            const Vec4 f = rowSdf[row];
            const uint32_t cluster = tables.memberCluster[firstMemberOf(tables, row)];
            out = vec4(rotate(pose[cluster].rotation, xyz(f)), f.w);
        }
        bodySdf[i] = out;
    }
};

}  // namespace coalesce
