// Constraints of bodies, cloth and ropes in projective dynamics [PD14]: their local projections, and their
// blocks of the matrix of the global step, which coupled_system.h assembles.
//
//     E(x) = Σ_i w_i/2 |D_i (S_i x − p_i)|²,   A = M + dt² Σ_i w_i S_iᵀ D_iᵀ D_i S_i,   A Δx = −dt² ∇g(x)
// Everything is multiplied by dt²; weights w dt² are in kg, ∇g dt² in kg m. How
// liquids push: see PushRows. The particle that belongs to a body has a *row*; vectors are stored by row.
//
//     constraint        D_i S_i x − p_i at x                   D_iᵀD_i
//     distance, tether  (l − L) n of the edge                  n nᵀ + τ (1 − n nᵀ)
//     shape matching    x_k − c − R r_k of the cluster         1 − mean − (1 − s) (infinitesimal rotation)
//     dihedral, volume  C/|∇C|                                 ∇C ∇Cᵀ/|∇C|²
//     τ = max(1 − L/l, s),   s = rotationStiffness
//
// The gradient w (D_i S_i x − p_i) is that of [PD14]. Its matrix, D_iᵀD_i = 1 on the edge or on the positions
// relative to the center, resists rotation as strongly as strain: a rotation that follows from forces takes
// as many rounds as the constraint is stiffer than the inertia, and stiff cloth and bodies hardly turn.
// rotationStiffness = 0 leaves rotation free: an edge then resists it by its tension only, as in Newton's
// method, and where it is compressed not at all. Every D_iᵀD_i is symmetric, positive semidefinite, and 0 on
// translations, so momentum is conserved.
//
// Weights: a compliance α gives w = 1/α. A stiffness k is the share of the error that the constraint alone
// removes: w dt² Σ w_k |∇_kC|² = k/(1 − k), for k = 1 kStiffest. Weights of a stiffness are limited to
// kStiffest times the inertia, those of a compliance to kStiffestCompliant times: beyond
// that single precision has no digits left for the solution.
//
// All kernels are gathers in fixed order, except the gradient of a volume (fixed-point sums).
#pragma once

#include "kernels/cloth/dihedral_bend.h"
#include "kernels/cloth/volume_constraint.h"
#include "kernels/math/rotation.h"
#include "kernels/solid/cluster.h"
#include "kernels/solid/gather_rows.h"

namespace coalesce {

// Largest w dt² Σ w_k |∇_kC|²: error that remains of a rigid constraint, relative to the motion against it.
constexpr float kStiffest = 1000;
constexpr float kStiffestCompliant = 10000;

// Stiffness or compliance of a kind of constraint in this substep.
struct Firmness {
    float stiffness;   // k/(1 − k) [-]; used when compliance is 0
    float compliance;  // α/dt² [1/kg]
};
// w dt² [kg] of a constraint; inertia: 1/Σ w_k |∇_kC|² [kg]
HD float weightOf(const Firmness& firm, float inertia) {
    return firm.compliance > 0 ? min(1 / firm.compliance, kStiffestCompliant * inertia)
                               : firm.stiffness * inertia;
}

// ---- distance constraints ----

struct EdgeBlock {
    Vec3 axis;     // n, from b to a
    float along;   // w dt² [kg]; 0: inactive
    float across;  // τ w dt² [kg]
    float pull;    // w dt² (l − L) [kg m]
};

struct ProjectEdges {
    View<const DistanceConstraint> springs;
    View<const Firmness> firmness;  // see springParamsIndex
    View<const Vec4> x;             // by row
    float rotationStiffness;
    View<EdgeBlock> blocks;  // written
    View<float> lambda;      // written: −pull, as in distance_constraint.h
    HD void operator()(int i) const {
        const DistanceConstraint s = springs[i];
        EdgeBlock block{{0, 0, 0}, 0, 0, 0};
        const Vec4 a = x[s.a], b = x[s.b];
        const bool tether = (s.params & kTether) != 0;
        // the end of a tether that is not held any more would exert a force without a reaction
        const bool present =
            !(s.params & kCut) && a.w >= 0 && b.w >= 0 && a.w + b.w > 0 && !(tether && b.w > 0);
        const Vec3 d = xyz(a) - xyz(b);
        const float l = length(d);
        if (present && l > 1e-12f && !(tether && l <= s.length)) {
            block.axis = 1 / l * d;
            block.along = weightOf(firmness[springParamsIndex(s)], 1 / (a.w + b.w));
            block.across = block.along * max(1 - s.length / l, rotationStiffness);
            block.pull = block.along * (l - s.length);
        }
        blocks[i] = block;
        lambda[i] = -block.pull;
    }
};

// ---- dihedral bending ----

struct BendBlock {
    Vec3 gradient[4];  // ∇C of a, b, p, q [1/m]
    float weight;      // w dt² |∇C|⁻² [kg m²]; 0: inactive
    float pull;        // weight · C [kg m²]
};

struct ProjectBends {
    View<const DihedralBend> bends;
    View<const Firmness> firmness;  // by material
    View<const Vec4> x;             // by row
    View<BendBlock> blocks;         // written
    HD void operator()(int i) const {
        const DihedralBend h = bends[i];
        BendBlock block{{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, 0, 0};
        const Vec4 a = x[h.a], b = x[h.b], p = x[h.p], q = x[h.q];
        DihedralAngle angle;
        if (a.w >= 0 && b.w >= 0 && p.w >= 0 && q.w >= 0 && angle.find(xyz(a), xyz(b), xyz(p), xyz(q))) {
            angle.gradients(xyz(a), xyz(b), xyz(p), xyz(q), block.gradient);
            const Vec3* g = block.gradient;
            const float mobility =
                a.w * dot(g[0], g[0]) + b.w * dot(g[1], g[1]) + p.w * dot(g[2], g[2]) + q.w * dot(g[3], g[3]);
            block.weight = mobility > 0 ? weightOf(firmness[h.material], 1 / mobility) : 0.0f;
            block.pull = block.weight * (angle.sine2 - h.rest);
            if (!isFinite(block.pull) || !isFinite(block.weight))
                block = {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, 0, 0};
        }
        blocks[i] = block;
    }
};

// ---- shape matching ----

struct ClusterBlock {
    float stiffness = 0;                     // w dt² of a member per its share of mass [-]
    Vec3 diagonal{0, 0, 0}, mixed{0, 0, 0};  // of the inverse of I; mixed: yz, zx, xy [1/(kg m²)]
};

struct ClusterRows {
    ClusterTables tables;
    View<const ClusterPose> pose;
    View<const Vec4> clusterRestCenter;

    // R r_k of a member: its place in the cluster, relative to the center [m]
    HD Vec3 armOf(uint32_t member, uint32_t cluster) const {
        return rotate(pose[cluster].rotation,
                      xyz(tables.memberRestPosition[member]) - xyz(clusterRestCenter[cluster]));
    }
};

struct ArmSums {
    Vec3 diagonal{0, 0, 0}, mixed{0, 0, 0};  // of Σ m ρ ρᵀ, ρ: arms [kg m²]
};

struct SumArms {
    ClusterRows rows;
    View<const Vec4> x;  // by row
    View<ArmSums> sums;  // by chunk, written
    HD void operator()(int i) const {
        const ClusterChunk chunk = rows.tables.chunks[i];
        ArmSums sum;
        for (uint32_t k = chunk.begin; k < chunk.end; ++k) {
            if (x[rows.tables.memberRow[k]].w < 0) continue;
            const float m = rows.tables.memberRestPosition[k].w;
            const Vec3 r = rows.armOf(k, chunk.cluster);
            sum.diagonal += m * Vec3{r.x * r.x, r.y * r.y, r.z * r.z};
            sum.mixed += m * Vec3{r.y * r.z, r.z * r.x, r.x * r.y};
        }
        sums[i] = sum;
    }
};

struct ProjectClusters {
    ClusterRows rows;
    View<const Firmness> firmness;  // by material
    View<const float> ownMoment;    // by material: second moment of a single particle, per mass [m²]
    View<const ArmSums> sums;
    View<const Vec4> x;         // by row
    View<ClusterBlock> blocks;  // written
    HD void operator()(int i) const {
        const ClusterConstants cluster = rows.tables.clusters[i];
        const float mass = rows.pose[i].mass;
        ClusterBlock block;
        if (mass > 0) {
            const Firmness firm = firmness[cluster.material];
            block.stiffness = firm.compliance > 0
                                  ? min(inverseMassOf(cluster) / firm.compliance, kStiffestCompliant)
                                  : firm.stiffness;
            ArmSums all;
            for (uint32_t k = cluster.firstChunk; k < cluster.firstChunk + cluster.chunks; ++k)
                all.diagonal += sums[k].diagonal, all.mixed += sums[k].mixed;
            invert(all, 2 * mass * ownMoment[cluster.material], block);
        }
        blocks[i] = block;
    }

private:
    // of the first particle that can move; the particles of a body have equal masses
    HD float inverseMassOf(const ClusterConstants& cluster) const {
        for (uint32_t c = cluster.firstChunk; c < cluster.firstChunk + cluster.chunks; ++c)
            for (uint32_t k = rows.tables.chunks[c].begin; k < rows.tables.chunks[c].end; ++k)
                if (const float w = x[rows.tables.memberRow[k]].w; w > 0) return w;
        return 0;
    }
    // of I = Σ m (|ρ|² 1 − ρ ρᵀ) + own 1; own keeps it regular for rods and points
    HD static void invert(const ArmSums& s, float own, ClusterBlock& block) {
        const Vec3 d{s.diagonal.y + s.diagonal.z + own, s.diagonal.z + s.diagonal.x + own,
                     s.diagonal.x + s.diagonal.y + own};
        const float size = d.x + d.y + d.z;
        if (!(size > 0) || !isFinite(size)) return;
        // relative to its trace, so that products stay within the range of floats
        const float inverse = 1 / size;
        const float xx = inverse * d.x, yy = inverse * d.y, zz = inverse * d.z;
        const float yz = -inverse * s.mixed.x, zx = -inverse * s.mixed.y, xy = -inverse * s.mixed.z;
        const Vec3 c{yy * zz - yz * yz, zx * yz - xy * zz,
                     xy * yz - yy * zx};  // first column of the adjugate
        const float determinant = xx * c.x + xy * c.y + zx * c.z;
        if (!(determinant > 1e-12f)) return;
        const float scale = inverse / determinant;
        block.diagonal = scale * Vec3{c.x, xx * zz - zx * zx, xx * yy - xy * xy};
        block.mixed = scale * Vec3{xy * zx - xx * yz, c.z, c.y};
    }
};

// Rigid motion that is nearest to a vector of rows: its mean and its rotation.
struct ClusterMotion {
    Vec3 linear{0, 0, 0};   // Σ m y of a chunk [kg m]; of a cluster ȳ [m]
    Vec3 angular{0, 0, 0};  // Σ m ρ × y of a chunk [kg m²]; of a cluster ω [-]
};

struct SumClusterMotion {
    ClusterRows rows;
    View<const Vec4> y;        // by row
    View<ClusterMotion> sums;  // by chunk, written
    HD void operator()(int i) const {
        const ClusterChunk chunk = rows.tables.chunks[i];
        ClusterMotion sum;
        for (uint32_t k = chunk.begin; k < chunk.end; ++k) {
            const Vec3 move = rows.tables.memberRestPosition[k].w * xyz(y[rows.tables.memberRow[k]]);
            sum.linear += move;
            sum.angular += cross(rows.armOf(k, chunk.cluster), move);
        }
        sums[i] = sum;
    }
};

// The same of x_k − c − R r_k, which the fit has made 0 but for rounding. Left in, rounding would push a
// body: the constraints are up to kStiffest times stiffer than its inertia.
struct SumClusterResidual {
    ClusterRows rows;
    View<const Vec4> x;        // by row
    View<ClusterMotion> sums;  // by chunk, written
    HD void operator()(int i) const {
        const ClusterChunk chunk = rows.tables.chunks[i];
        ClusterMotion sum;
        for (uint32_t k = chunk.begin; k < chunk.end; ++k) {
            const Vec4 at = x[rows.tables.memberRow[k]];
            if (at.w < 0) continue;
            const Vec3 arm = rows.armOf(k, chunk.cluster);
            const Vec3 away =
                rows.tables.memberRestPosition[k].w * (xyz(at) - rows.pose[chunk.cluster].center - arm);
            sum.linear += away;
            sum.angular += cross(arm, away);
        }
        sums[i] = sum;
    }
};

struct FindClusterMotion {
    ClusterRows rows;
    View<const ClusterBlock> blocks;
    View<const ClusterMotion> sums;  // by chunk
    float freedom;                   // 1 − rotationStiffness
    View<ClusterMotion> motion;      // by cluster, written
    HD void operator()(int i) const {
        const ClusterConstants cluster = rows.tables.clusters[i];
        ClusterMotion all;
        for (uint32_t k = cluster.firstChunk; k < cluster.firstChunk + cluster.chunks; ++k)
            all.linear += sums[k].linear, all.angular += sums[k].angular;
        const float mass = rows.pose[i].mass;
        const ClusterBlock b = blocks[i];
        const Vec3 t = all.angular;
        motion[i].linear = mass > 0 ? 1 / mass * all.linear : Vec3{0, 0, 0};
        motion[i].angular = freedom * Vec3{b.diagonal.x * t.x + b.mixed.z * t.y + b.mixed.y * t.z,
                                           b.mixed.z * t.x + b.diagonal.y * t.y + b.mixed.x * t.z,
                                           b.mixed.y * t.x + b.mixed.x * t.y + b.diagonal.z * t.z};
    }
};

// ---- volume ----

struct VolumeBlock {
    float weight = 0;     // w dt² |∇C|⁻² [kg/m⁴]; 0: inactive
    float pull = 0;       // weight · C [kg/m]
    float gradients = 0;  // Σ |∇_kC| [m²]
};
struct VolumeBlockSums {
    float volume, mobility, gradients;  // of its triangles; Σ w |∇C|² and Σ |∇C| of its rows
};

struct LinearizeVolume {
    VolumeTables tables;
    FixedPointSums scattered;    // of ScatterVolumeGradient; read and cleared
    View<Vec4> gradient;         // by row: ∇C [m²]; written
    View<VolumeBlockSums> sums;  // by chunk, written
    HD void operator()(int i) const {
        const VolumeChunk chunk = tables.chunks[i];
        const VolumeConstraint body = tables.volumeConstraints[chunk.volumeConstraint];
        VolumeBlockSums sum{0, 0, 0};
        for (uint32_t k = chunk.firstTriangle; k < chunk.endTriangle; ++k) {
            Vec3 a, b, c;
            if (tables.corners(body, k, a, b, c)) sum.volume += 1.0f / 6 * dot(a, cross(b, c));
        }
        for (uint32_t row = chunk.firstRow; row < chunk.endRow; ++row) {
            const uint32_t slot = tables.slotOf[row];
            const Vec3 g = scattered.take(row);
            gradient[row] = vec4(slot == kNoSlot ? Vec3{0, 0, 0} : g, 0.0f);
            if (slot == kNoSlot) continue;
            sum.mobility += tables.xStar[slot].w * dot(g, g);
            sum.gradients += length(g);
        }
        sums[i] = sum;
    }
};

struct ProjectVolumes {
    View<const VolumeConstraint> volumeConstraints;
    View<const uint32_t> firstChunk;  // by volume constraint; one more element
    View<const float> factor;         // p by material; 0: inactive
    View<const VolumeBlockSums> sums;
    View<VolumeBlock> blocks;  // written
    HD void operator()(int i) const {
        const VolumeConstraint body = volumeConstraints[i];
        const float p = factor[body.material];
        VolumeBlockSums all{0, 0, 0};
        for (uint32_t k = firstChunk[i]; k < firstChunk[i + 1]; ++k) {
            all.volume += sums[k].volume;
            all.mobility += sums[k].mobility;
            all.gradients += sums[k].gradients;
        }
        VolumeBlock block;
        if (p > 0 && body.restVolume > 0 && all.mobility > 0) {
            block.weight = kStiffest / all.mobility;
            block.pull = block.weight * (all.volume - p * body.restVolume);
            block.gradients = all.gradients;
        }
        blocks[i] = isFinite(block.pull) && isFinite(block.weight) ? block : VolumeBlock{};
    }
};

}  // namespace coalesce
