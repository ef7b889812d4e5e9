// Plastic flow: where a particle is farther from its goal than the yield, its rest position follows,
//     r += creep (Rᵀ(x − c) + r̄ − r)                                                            [UPP14] 5.3
// and the volume change of a cluster's rest shape since spawning is corrected:
//     r = r̄ + s (r − r̄),   s = V^(−1/3),   in small steps
// The paper does not preserve volume; clay that is hit repeatedly then shrinks or swells. The volume V of the
// rest positions, relative to that at spawning, is bounded by two moment-based estimates:
//     A₀ = Σ m r₀ r₀ᵀ,  A = Σ m r rᵀ,  B = Σ m r r₀ᵀ
//     det B / det A₀ ≤ V      linear part of the flow only: a bent rod fills more
//     V ≤ √(det A / det A₀)   extent of the positions: a bent rod fills less
// Shrinks where the first is above 1 and expands where the second is below 1. The first is undefined for flat
// clusters. A includes the extent of each particle, d²/12 along each axis, so that the second is defined for
// plates and rods.
#pragma once

#include "kernels/solid/cluster.h"

namespace coalesce {

struct PlasticMoments {
    float mass = 0;                          // Σ m [kg]
    Vec3 rest{0, 0, 0}, original{0, 0, 0};   // Σ m r, Σ m r₀, from r̄ before the flow [kg m]
    Vec3 diagonal{0, 0, 0}, mixed{0, 0, 0};  // of Σ m r rᵀ; mixed: yz, zx, xy [kg m²]
    Vec3 originalDiagonal{0, 0, 0}, originalMixed{0, 0, 0};  // of Σ m r₀ r₀ᵀ
    Mat3 across;                                             // Σ m r r₀ᵀ
};

HD bool flows(const ClusterParams& params) {
    return params.yield > 0 && params.creep > 0;
}

struct ApplyPlasticFlow {
    ClusterTables tables;
    View<const Vec4> x;
    View<const ClusterPose> pose;
    View<const Vec4> clusterRestCenter;
    View<const ClusterParams> params;
    View<const Vec4> restPosition;  // by row, at spawning [m]; w: contact distance [m]
    View<Vec4> memberRestPosition;  // updated
    View<PlasticMoments> sums;      // written, by chunk
    HD void operator()(int i) const {
        const ClusterChunk chunk = tables.chunks[i];
        const ClusterParams h = params[tables.clusters[chunk.cluster].material];
        if (!flows(h)) return;
        const ClusterPose p = pose[chunk.cluster];
        const Vec3 mean = xyz(clusterRestCenter[chunk.cluster]);
        PlasticMoments sum;
        for (uint32_t k = chunk.begin; k < chunk.end; ++k) {
            const uint32_t row = tables.memberRow[k], slot = tables.slotOf[row];
            if (slot == kNoSlot) continue;
            const float m = memberRestPosition[k].w;
            Vec3 r = xyz(memberRestPosition[k]) - mean;
            const Vec3 bent = inverseRotate(p.rotation, xyz(x[slot]) - p.center) - r;
            if (length(bent) > h.yield) {
                r = fma(h.creep, bent, r);
                memberRestPosition[k] = vec4(mean + r, m);
            }
            const Vec3 r0 = xyz(restPosition[row]) - mean;
            sum.mass += m;
            sum.rest += m * r;
            sum.original += m * r0;
            sum.diagonal += m * Vec3{r.x * r.x, r.y * r.y, r.z * r.z};
            sum.mixed += m * Vec3{r.y * r.z, r.z * r.x, r.x * r.y};
            sum.originalDiagonal += m * Vec3{r0.x * r0.x, r0.y * r0.y, r0.z * r0.z};
            sum.originalMixed += m * Vec3{r0.y * r0.z, r0.z * r0.x, r0.x * r0.y};
            sum.across += outer(m * r, r0);
        }
        sums[i] = sum;
    }
};

struct FindVolumeChange {
    ClusterTables tables;
    View<const ClusterParams> params;
    View<const Vec4> clusterRestCenter;
    View<const PlasticMoments> sums;
    View<Vec4>
        volumeCorrection;  // written, by cluster: center of the rest positions in the body's frame [m]; w: s
    HD void operator()(int i) const {
        const ClusterConstants& cluster = tables.clusters[i];
        const ClusterParams h = params[cluster.material];
        if (!flows(h)) return;
        PlasticMoments all;
        for (uint32_t k = cluster.firstChunk; k < cluster.firstChunk + cluster.chunks; ++k) {
            all.mass += sums[k].mass;
            all.rest += sums[k].rest, all.original += sums[k].original;
            all.diagonal += sums[k].diagonal, all.mixed += sums[k].mixed;
            all.originalDiagonal += sums[k].originalDiagonal, all.originalMixed += sums[k].originalMixed;
            all.across += sums[k].across;
        }
        volumeCorrection[i] = {0, 0, 0, 1};
        if (!(all.mass > 0)) return;
        // about the centers, in units of the moment of one particle
        const float inverse = 1 / all.mass, unit = 1 / h.ownMoment;
        const Vec3 c = inverse * all.rest, c0 = inverse * all.original;
        const Mat3 now = symmetric(inverse * all.diagonal, inverse * all.mixed, c, unit);
        const Mat3 before = symmetric(inverse * all.originalDiagonal, inverse * all.originalMixed, c0, unit);
        Mat3 across{inverse * all.across.x, inverse * all.across.y, inverse * all.across.z};
        across += outer(-c, c0);
        const float volume0 = determinant(before, 0), filled0 = determinant(before, 1);
        const float linear = determinant(across, 0) * unit * unit * unit;
        const float filled = determinant(now, 1) / filled0;  // squared
        float s = 1;
        const float most = min(h.creep, 0.1f);
        // first-order correction of the error; undershoots in either direction
        if (volume0 > 0.1f * filled0 && max(linear, -linear) > volume0)
            s -= min((1 - volume0 / max(linear, -linear)) / 3, most);
        else if (filled < 1)
            s += min((1 - filled) / 6, most);
        volumeCorrection[i] = vec4(xyz(clusterRestCenter[i]) + c, s);
    }

private:
    HD static Mat3 symmetric(Vec3 diagonal, Vec3 mixed, Vec3 c, float unit) {
        const Vec3 d = unit * (diagonal - Vec3{c.x * c.x, c.y * c.y, c.z * c.z});
        const Vec3 m = unit * (mixed - Vec3{c.y * c.z, c.z * c.x, c.x * c.y});
        return {{d.x, m.z, m.y}, {m.z, d.y, m.x}, {m.y, m.x, d.z}};
    }
    // of a + own · 1
    HD static float determinant(const Mat3& a, float own) {
        return dot(a.x + Vec3{own, 0, 0}, cross(a.y + Vec3{0, own, 0}, a.z + Vec3{0, 0, own}));
    }
};

// Applies the volume correction. A particle that has flowed by half a contact distance loses its signed
// distance and collides as a sphere. [UPP14] 5.3
struct RestoreVolume {
    ClusterTables tables;
    View<const ClusterParams> params;
    View<const Vec4> volumeCorrection;  // by cluster, see FindVolumeChange
    View<const Vec4> restPosition;      // by row
    View<Vec4> memberRestPosition;      // updated
    View<Vec4> rowSdf;                  // updated
    HD void operator()(int row) const {
        if (tables.slotOf[row] == kNoSlot) return;
        for (uint32_t e = tables.rowStart[row]; e < tables.rowStart[row + 1]; ++e) {
            const uint32_t k = tables.rowMembers[e], cluster = tables.memberCluster[k];
            if (!flows(params[tables.clusters[cluster].material])) continue;
            const Vec4 swollen = volumeCorrection[cluster];
            Vec3 r = xyz(memberRestPosition[k]);
            if (swollen.w != 1) r = fma(swollen.w, r - xyz(swollen), xyz(swollen));
            memberRestPosition[k] = vec4(r, memberRestPosition[k].w);
            if (length(r - xyz(restPosition[row])) > 0.5f * restPosition[row].w) rowSdf[row].w = 2 * kNoSdf;
        }
    }
};

}  // namespace coalesce
