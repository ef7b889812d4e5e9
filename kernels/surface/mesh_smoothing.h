// Smoothing of a closed mesh that keeps its volume, and its normals. [TAU95]
//
//     x_i ← x_i + s (mean of the vertices around i − x_i),   s = λ = 0.5, then s = μ = −0.53
//
// The second step with μ takes back the shrinking of the first: waves shorter than a few cells vanish, longer
// ones stay. Each edge of a closed mesh occurs once in each direction, so the sum over the triangles'
// directed edges visits each neighbor of a vertex once. Fixed-point sums: their order does not matter.
#pragma once

#include "kernels/math/fixed_point_sum.h"
#include "kernels/surface/surface_walls.h"

namespace coalesce {

constexpr float kTaubinShrink = 0.5f, kTaubinGrow = -0.53f;

// Lists of the vertices around each: those of vertex i are neighbor[first[i]] … neighbor[first[i + 1] - 1].
struct CountNeighborVertices {
    View<const uint32_t> index;  // three per triangle
    View<uint32_t> degree;       // initialized to 0; added to
    HD void operator()(int i) const { atomicAdd(&degree[index[i]], 1); }
};

// The directed edges a → b, i = 3 triangle + corner; sorted by a they are the lists.
struct ListDirectedEdges {
    View<const uint32_t> index;
    View<uint32_t> from, to;  // written
    HD void operator()(int i) const {
        from[i] = index[i];
        to[i] = index[i % 3 == 2 ? i - 2 : i + 1];
    }
};

// What smoothing does to a vertex at a wall: the flat part stays, the line where the surface meets the wall moves along
// it like the surface.
constexpr uint32_t kFreeVertex = 0, kContactVertex = 1, kWallVertex = 2;
struct FindWallVertices {
    View<const uint32_t> first, neighbor;
    View<const uint32_t> onWalls;  // a bit for each wall on which a vertex lies
    View<uint32_t> part;           // written: one of the above
    HD void operator()(int i) const {
        uint32_t found = onWalls[i] == 0 ? kFreeVertex : kWallVertex;
        for (uint32_t k = first[i]; k < first[i + 1] && found == kWallVertex; ++k)
            if (onWalls[neighbor[k]] == 0) found = kContactVertex;
        part[i] = found;
    }
};

struct MoveToMean {
    View<const uint32_t> first, neighbor;
    View<const uint32_t> part;  // of FindWallVertices; empty without walls
    View<const Vec4> position;  // [m]
    View<Vec4> moved;           // written [m]
    float perUnit;              // fixed-point units per meter; a power of two
    float share;                // s [-]
    HD void operator()(int i) const {
        const uint32_t own = partOf(static_cast<uint32_t>(i));
        moved[i] = position[i];
        if (own == kWallVertex) return;
        const Vec3 x = xyz(position[i]);
        int64_t sum[3] = {0, 0, 0};
        int degree = 0;
        for (uint32_t k = first[i]; k < first[i + 1]; ++k) {
            if (own == kContactVertex && partOf(neighbor[k]) == kWallVertex) continue;
            ++degree;
            const Vec3 d = perUnit * (xyz(position[neighbor[k]]) - x);
            sum[0] += toFixed(d.x);
            sum[1] += toFixed(d.y);
            sum[2] += toFixed(d.z);
        }
        const Vec3 total{static_cast<float>(sum[0]) / perUnit, static_cast<float>(sum[1]) / perUnit,
                         static_cast<float>(sum[2]) / perUnit};
        if (degree > 0) moved[i] = vec4(x + (share / toFloat(degree)) * total, position[i].w);
    }

private:
    HD uint32_t partOf(uint32_t vertex) const { return part.size == 0 ? kFreeVertex : part[vertex]; }
};

// Adds the area vector of each triangle [cell²] to its corners. Those on walls count little, so that where the surface
// meets a wall the normal is that of the surface.
struct SumTriangleNormals {
    View<const uint32_t> index;
    View<const Vec4> position;  // [m]
    FixedPointSums sums;        // per vertex; added to
    SurfaceWalls walls;
    float inverseCell;  // [1/m]

    static constexpr float kWallWeight = 0x1p-10f;

    HD void operator()(int i) const {
        const uint32_t a = index[3 * i], b = index[3 * i + 1], c = index[3 * i + 2];
        const Vec3 ab = inverseCell * (xyz(position[b]) - xyz(position[a]));
        const Vec3 ac = inverseCell * (xyz(position[c]) - xyz(position[a]));
        Vec3 area = cross(ab, ac);
        for (int k = 0; k < walls.count; ++k) {
            const auto isOn = [&](uint32_t v) { return walls.isOn(k, xyz(position[v]), inverseCell); };
            if (!isOn(a) || !isOn(b) || !isOn(c)) continue;
            area = kWallWeight * area;
            break;
        }
        sums.add(a, area);
        sums.add(b, area);
        sums.add(c, area);
    }
};

// A triangle whose corners all lie on walls is flat, though its corners at the surface have the normals of that.
struct NormalizeNormals {
    FixedPointSums sums;        // read and cleared
    View<const Vec4> position;  // [m]
    View<Vec4> normal;          // written: unit; w: 1 on a wall
    SurfaceWalls walls;
    float inverseCell;  // [1/m]
    HD void operator()(int i) const {
        bool onWall = false;
        for (int k = 0; k < walls.count; ++k) onWall |= walls.isOn(k, xyz(position[i]), inverseCell);
        normal[i] = vec4(normalizeOr(sums.take(static_cast<size_t>(i)), {0, 1, 0}), onWall ? 1.0f : 0.0f);
    }
};

}  // namespace coalesce
