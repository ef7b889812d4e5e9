// Volume constraints: closed cloth keeps the share p of its rest volume.
//
//     C = V − p V₀,   V = Σ_tri (x_a − o)·((x_b − o) × (x_c − o))/6,   ∇_aC = Σ_tri (x_b − o) × (x_c − o)/6
//     Δλ = −C / Σ_i w_i |∇_iC|²,   Δx_i = w_i Δλ ∇_iC                                        [UPP14] 8
//
// The sums do not depend on o; it is a particle of the body, which avoids cancellation far from the origin.
// Gradients are scattered to fixed-point sums; volumes and weights are reduced in two stages, within chunks
// and then over the chunks of a body, always in the same order.
#pragma once

#include "kernels/cloth/distance_constraint.h"

namespace coalesce {

// A closed body of cloth.
struct alignas(16) VolumeConstraint {
    uint32_t firstRow, rows, firstTriangle, triangles;
    uint32_t material;
    float restVolume;  // V₀ [m³]; 0: torn, inactive
    uint32_t spare[2];
};

// A range of triangles and a range of rows of one volume constraint.
struct VolumeChunk {
    uint32_t volumeConstraint;
    uint32_t firstTriangle, endTriangle, firstRow, endRow;
};

struct VolumeTables {
    View<const VolumeConstraint> volumeConstraints;
    View<const VolumeChunk> chunks;
    View<const ClothTriangle> triangles;
    View<const uint32_t> slotOf;  // by row
    View<const Vec4> xStar;       // [m]; w: inverse mass

    // Corners of a triangle relative to the body's origin o; false: the triangle was removed.
    HD bool corners(const VolumeConstraint& body, uint32_t index, Vec3& a, Vec3& b, Vec3& c) const {
        const ClothTriangle t = triangles[index];
        const uint32_t i = slotOf[t.a], j = slotOf[t.b], k = slotOf[t.c], first = slotOf[body.firstRow];
        if ((t.material & kCut) || i == kNoSlot || j == kNoSlot || k == kNoSlot || first == kNoSlot)
            return false;
        const Vec3 o = xyz(xStar[first]);
        a = xyz(xStar[i]) - o, b = xyz(xStar[j]) - o, c = xyz(xStar[k]) - o;
        return true;
    }
};

struct ScatterVolumeGradient {
    VolumeTables tables;
    FixedPointSums gradient;  // [m²] added to, by row
    HD void operator()(int i) const {
        const VolumeChunk chunk = tables.chunks[i];
        const VolumeConstraint body = tables.volumeConstraints[chunk.volumeConstraint];
        if (!(body.restVolume > 0)) return;
        for (uint32_t k = chunk.firstTriangle; k < chunk.endTriangle; ++k) {
            Vec3 a, b, c;
            if (!tables.corners(body, k, a, b, c)) continue;
            const ClothTriangle t = tables.triangles[k];
            gradient.add(t.a, 1.0f / 6 * cross(b, c));
            gradient.add(t.b, 1.0f / 6 * cross(c, a));
            gradient.add(t.c, 1.0f / 6 * cross(a, b));
        }
    }
};

struct VolumeSums {
    float volume;  // of its triangles [m³]
    float weight;  // Σ w |∇C|² of its rows [m⁴/kg]
};

struct SumVolume {
    VolumeTables tables;
    FixedPointSums gradient;
    View<VolumeSums> sums;  // written, by chunk
    HD void operator()(int i) const {
        const VolumeChunk chunk = tables.chunks[i];
        const VolumeConstraint body = tables.volumeConstraints[chunk.volumeConstraint];
        VolumeSums sum{0, 0};
        for (uint32_t k = chunk.firstTriangle; k < chunk.endTriangle; ++k) {
            Vec3 a, b, c;
            if (tables.corners(body, k, a, b, c)) sum.volume += 1.0f / 6 * dot(a, cross(b, c));
        }
        for (uint32_t row = chunk.firstRow; row < chunk.endRow; ++row) {
            const uint32_t slot = tables.slotOf[row];
            if (slot == kNoSlot) continue;
            const Vec3 g = gradient.get(row);
            sum.weight += tables.xStar[slot].w * dot(g, g);
        }
        sums[i] = sum;
    }
};

struct SolveVolumeConstraint {
    VolumeTables tables;
    View<const uint32_t> firstChunk;  // by volume constraint; one more element
    View<const float> factor;         // p by material; 0: inactive
    View<const VolumeSums> sums;
    View<float> change;  // Δλ [kg/m] by volume constraint, written
    HD void operator()(int i) const {
        const VolumeConstraint body = tables.volumeConstraints[i];
        const float p = factor[body.material];
        VolumeSums all{0, 0};
        for (uint32_t k = firstChunk[i]; k < firstChunk[i + 1]; ++k)
            all.volume += sums[k].volume, all.weight += sums[k].weight;
        const bool held = p > 0 && body.restVolume > 0 && all.weight > 0;
        const float found = held ? (p * body.restVolume - all.volume) / all.weight : 0.0f;
        change[i] = isFinite(found) ? found : 0.0f;
    }
};

struct ApplyVolumeDeltas {
    View<const VolumeChunk> chunks;
    View<const uint32_t> slotOf;
    View<const float> change;  // by volume constraint
    FixedPointSums gradient;   // read and cleared
    View<Vec4> xStar;          // updated
    HD void operator()(int i) const {
        const VolumeChunk chunk = chunks[i];
        for (uint32_t row = chunk.firstRow; row < chunk.endRow; ++row) {
            const uint32_t slot = slotOf[row];
            const Vec3 g = gradient.take(row);
            if (slot == kNoSlot || xStar[slot].w == 0) continue;
            const Vec4 p = xStar[slot];
            xStar[slot] = vec4(fma(p.w * change[chunk.volumeConstraint], g, xyz(p)), p.w);
        }
    }
};

}  // namespace coalesce
