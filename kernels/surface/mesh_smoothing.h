// Smoothing of a closed mesh that keeps its volume, and its normals. [TAU95]
//
//     x_i ← x_i + s (mean of the vertices around i − x_i),   s = λ = 0.5, then s = μ = −0.53
//
// The second step with μ takes back the shrinking of the first: waves shorter than a few cells vanish, longer
// ones stay. Each edge of a closed mesh occurs once in each direction, so the sum over the triangles'
// directed edges visits each neighbor of a vertex once. Fixed-point sums.
#pragma once

#include "kernels/math/fixed_point_sum.h"

namespace coalesce {

constexpr float kTaubinShrink = 0.5f, kTaubinGrow = -0.53f;

struct CountNeighborVertices {
    View<const uint32_t> index;  // three per triangle
    View<uint32_t> degree;       // initialized to 0; added to
    HD void operator()(int i) const { atomicAdd(&degree[index[i]], 1); }
};

// Per directed edge a → b, i = 3 triangle + corner: adds x_b − x_a to the sum of a.
struct SumNeighborVertices {
    View<const uint32_t> index;
    View<const Vec4> position;  // [m]
    FixedPointSums sums;        // per vertex [m]; added to
    HD void operator()(int i) const {
        const uint32_t a = index[i], b = index[i % 3 == 2 ? i - 2 : i + 1];
        sums.add(a, xyz(position[b]) - xyz(position[a]));
    }
};

struct MoveToMean {
    FixedPointSums sums;  // read and cleared
    View<const uint32_t> degree;
    View<Vec4> position;  // [m]
    float share;          // s [-]
    HD void operator()(int i) const {
        const Vec3 sum = sums.take(static_cast<size_t>(i));
        position[i] =
            vec4(xyz(position[i]) + (share / toFloat(static_cast<int>(degree[i]))) * sum, position[i].w);
    }
};

// Adds the area vector of each triangle [cell²] to its corners.
struct SumTriangleNormals {
    View<const uint32_t> index;
    View<const Vec4> position;  // [m]
    FixedPointSums sums;        // per vertex; added to
    float inverseCell;          // [1/m]
    HD void operator()(int i) const {
        const uint32_t a = index[3 * i], b = index[3 * i + 1], c = index[3 * i + 2];
        const Vec3 ab = inverseCell * (xyz(position[b]) - xyz(position[a]));
        const Vec3 ac = inverseCell * (xyz(position[c]) - xyz(position[a]));
        const Vec3 area = cross(ab, ac);
        sums.add(a, area);
        sums.add(b, area);
        sums.add(c, area);
    }
};

struct NormalizeNormals {
    FixedPointSums sums;  // read and cleared
    View<Vec4> normal;    // written: unit
    HD void operator()(int i) const {
        normal[i] = vec4(normalizeOr(sums.take(static_cast<size_t>(i)), {0, 1, 0}), 0.0f);
    }
};

}  // namespace coalesce
