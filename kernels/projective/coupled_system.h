// The system A Δx = b of the global step of projective dynamics, over the rows of bodies, cloth and ropes:
// products with its matrix, which is not stored. Its blocks are those of coupled_constraints.h.
//
// Sums over the constraints of a row are in fixed order.
#pragma once

#include "kernels/projective/coupled_constraints.h"

namespace coalesce {

// End of an edge at a row.
struct EdgeEnd {
    uint32_t edge;   // kFarEnd: the row is the edge's b
    uint32_t other;  // row
};
constexpr uint32_t kFarEnd = 1u << 31;

// Every constraint, linearized at x. Kinds that a world does not have are empty.
struct CoupledSystem {
    View<const Vec4> x;      // by row; w: inverse mass
    View<const float> mass;  // by row [kg]; 0: held

    View<const EdgeBlock> edges;
    View<const uint32_t> edgeStart;  // rows + 1 elements: ranges of edgeEnds
    View<const EdgeEnd> edgeEnds;

    View<const BendBlock> bends;
    View<const uint32_t> bendStart;    // rows + 1 elements: ranges of bendCorners
    View<const uint32_t> bendCorners;  // 4 bend + corner
    View<const float> bendProducts;    // weight ∇C·y, by bend

    ClusterRows clusters;
    View<const ClusterBlock> clusterBlocks;
    View<const ClusterMotion> clusterMotion;    // of y
    View<const ClusterMotion> clusterResidual;  // see SumClusterResidual

    View<const VolumeBlock> volumes;
    View<const uint32_t> volumeOf;     // by row; kNoRow: none
    View<const Vec4> volumeGradient;   // by row
    View<const float> volumeProducts;  // weight ∇C·y, by volume constraint

    // row of A y
    HD Vec3 apply(uint32_t row, View<const Vec4> y) const {
        const Vec3 own = xyz(y[row]);
        Vec3 sum = mass[row] * own;
        if (edgeStart.size > 0)
            for (uint32_t e = edgeStart[row]; e < edgeStart[row + 1]; ++e) {
                const EdgeBlock block = edges[edgeEnds[e].edge & ~kFarEnd];
                const Vec3 d = own - xyz(y[edgeEnds[e].other]);
                sum += block.across * d + ((block.along - block.across) * dot(block.axis, d)) * block.axis;
            }
        if (bendStart.size > 0)
            for (uint32_t e = bendStart[row]; e < bendStart[row + 1]; ++e)
                sum +=
                    bendProducts[bendCorners[e] / 4] * bends[bendCorners[e] / 4].gradient[bendCorners[e] % 4];
        if (clusterBlocks.size > 0)
            forEachMember(row, [&](uint32_t cluster, float weight, Vec3 arm) {
                const ClusterMotion motion = clusterMotion[cluster];
                sum += weight * (own - motion.linear - cross(motion.angular, arm));
            });
        if (volumes.size > 0 && volumeOf[row] != kNoRow)
            sum += volumeProducts[volumeOf[row]] * xyz(volumeGradient[row]);
        return sum;
    }
    // row of −dt² ∇E [kg m]
    HD Vec3 force(uint32_t row) const {
        Vec3 sum{0, 0, 0};
        if (edgeStart.size > 0)
            for (uint32_t e = edgeStart[row]; e < edgeStart[row + 1]; ++e) {
                const EdgeBlock block = edges[edgeEnds[e].edge & ~kFarEnd];
                sum += ((edgeEnds[e].edge & kFarEnd) ? block.pull : -block.pull) * block.axis;
            }
        if (bendStart.size > 0)
            for (uint32_t e = bendStart[row]; e < bendStart[row + 1]; ++e) {
                const BendBlock& block = bends[bendCorners[e] / 4];
                sum -= block.pull * block.gradient[bendCorners[e] % 4];
            }
        if (clusterBlocks.size > 0)
            forEachMember(row, [&](uint32_t cluster, float weight, Vec3 arm) {
                sum -= weight * residualOf(xyz(x[row]), cluster, arm);
            });
        if (volumes.size > 0 && volumeOf[row] != kNoRow)
            sum -= volumes[volumeOf[row]].pull * xyz(volumeGradient[row]);
        return sum;
    }
    // x − c − R r of a member at `at`, without the rounding of the fit [m]
    HD Vec3 residualOf(Vec3 at, uint32_t cluster, Vec3 arm) const {
        const ClusterMotion rounding = clusterResidual[cluster];
        return at - clusters.pose[cluster].center - arm - rounding.linear - cross(rounding.angular, arm);
    }
    // P with P ≥ A: row of a diagonal that bounds A from above [kg]
    HD float bound(uint32_t row) const {
        float sum = mass[row];
        if (edgeStart.size > 0)
            for (uint32_t e = edgeStart[row]; e < edgeStart[row + 1]; ++e) {
                const EdgeBlock block = edges[edgeEnds[e].edge & ~kFarEnd];
                const float most = max(block.along, block.across);
                sum += x[edgeEnds[e].other].w > 0 ? 2 * most : most;
            }
        if (bendStart.size > 0)
            for (uint32_t e = bendStart[row]; e < bendStart[row + 1]; ++e) {
                const BendBlock& block = bends[bendCorners[e] / 4];
                const Vec3* g = block.gradient;
                sum += block.weight * length(g[bendCorners[e] % 4]) *
                       (length(g[0]) + length(g[1]) + length(g[2]) + length(g[3]));
            }
        if (clusterBlocks.size > 0) forEachMember(row, [&](uint32_t, float weight, Vec3) { sum += weight; });
        if (volumes.size > 0 && volumeOf[row] != kNoRow)
            sum += volumes[volumeOf[row]].weight * length(xyz(volumeGradient[row])) *
                   volumes[volumeOf[row]].gradients;
        return sum;
    }

private:
    // visit(cluster, w dt², R r) for every cluster of a row
    template <class Visit>
    HD void forEachMember(uint32_t row, Visit&& visit) const {
        const ClusterTables& t = clusters.tables;
        for (uint32_t e = t.rowStart[row]; e < t.rowStart[row + 1]; ++e) {
            const uint32_t k = t.rowMembers[e], cluster = t.memberCluster[k];
            const float weight = clusterBlocks[cluster].stiffness * t.memberRestPosition[k].w;
            visit(cluster, weight, clusters.armOf(k, cluster));
        }
    }
};

// weight ∇C·y of a bend
struct FindBendProducts {
    View<const DihedralBend> bends;
    View<const BendBlock> blocks;
    View<const Vec4> y;    // by row
    View<float> products;  // written
    HD void operator()(int i) const {
        const DihedralBend h = bends[i];
        const BendBlock& b = blocks[i];
        products[i] = b.weight * (dot(b.gradient[0], xyz(y[h.a])) + dot(b.gradient[1], xyz(y[h.b])) +
                                  dot(b.gradient[2], xyz(y[h.p])) + dot(b.gradient[3], xyz(y[h.q])));
    }
};

// ∇C·y of a chunk of a volume constraint
struct SumVolumeProducts {
    View<const VolumeChunk> chunks;
    View<const Vec4> gradient, y;  // by row
    View<float> sums;              // by chunk, written
    HD void operator()(int i) const {
        float sum = 0;
        for (uint32_t row = chunks[i].firstRow; row < chunks[i].endRow; ++row)
            sum += dot(xyz(gradient[row]), xyz(y[row]));
        sums[i] = sum;
    }
};
struct FindVolumeProducts {
    View<const VolumeBlock> blocks;
    View<const uint32_t> firstChunk;
    View<const float> sums;
    View<float> products;  // written
    HD void operator()(int i) const {
        float sum = 0;
        for (uint32_t k = firstChunk[i]; k < firstChunk[i + 1]; ++k) sum += sums[k];
        products[i] = blocks[i].weight * sum;
    }
};

}  // namespace coalesce
