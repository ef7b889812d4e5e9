// Triangle meshes in the shape's frame. Triangles are two-sided and have no inside: a particle stays on the
// side where it starts.
#pragma once

#include "kernels/search/bvh_descent.h"
#include "kernels/shapes/shape_primitive.h"
#include "kernels/shapes/shape_state.h"

namespace coalesce {

HD MeshTriangle scaledTriangle(const ShapeState& shape, const ShapeTables& tables, int k) {
    const MeshTriangle t = tables.triangles[k];
    return {scaled(shape.scale, t.a), scaled(shape.scale, t.b), scaled(shape.scale, t.c)};
}

HD Bounds scaledBounds(const ShapeState& shape, const Bounds& box) {
    return {scaled(shape.scale, box.low), scaled(shape.scale, box.high)};
}
HD Bounds boundsOf(const MeshTriangle& t) {
    return {min(t.a, min(t.b, t.c)), max(t.a, max(t.b, t.c))};
}
// 1/d, finite for d = 0
HD float reciprocal(float d) {
    return fabsf(d) < 1e-30f ? 1e30f : 1 / d;
}

// The point of a triangle closest to p, by Voronoi regions.  [Ericson 2005] 5.1.5
HD Vec3 closestOnTriangle(const MeshTriangle& t, Vec3 p) {
    const Vec3 ab = t.b - t.a, ac = t.c - t.a, ap = p - t.a;
    const float d1 = dot(ab, ap), d2 = dot(ac, ap);
    if (d1 <= 0 && d2 <= 0) return t.a;
    const Vec3 bp = p - t.b;
    const float d3 = dot(ab, bp), d4 = dot(ac, bp);
    if (d3 >= 0 && d4 <= d3) return t.b;
    const float vc = d1 * d4 - d3 * d2;
    if (vc <= 0 && d1 >= 0 && d3 <= 0) return t.a + (d1 / (d1 - d3)) * ab;
    const Vec3 cp = p - t.c;
    const float d5 = dot(ab, cp), d6 = dot(ac, cp);
    if (d6 >= 0 && d5 <= d6) return t.c;
    const float vb = d5 * d2 - d1 * d6;
    if (vb <= 0 && d2 >= 0 && d6 <= 0) return t.a + (d2 / (d2 - d6)) * ac;
    const float va = d3 * d6 - d5 * d4;
    if (va <= 0 && d4 >= d3 && d5 >= d6) return t.b + ((d4 - d3) / ((d4 - d3) + (d5 - d6))) * (t.c - t.b);
    const float all = va + vb + vc;
    if (all == 0) return t.a;  // degenerate
    return t.a + (vb / all) * ab + (vc / all) * ac;
}

// First hit of a → b with the open cylinder of radius R around the segment p → q; negative for none.
HD float sweepEdge(Vec3 p, Vec3 q, float R, Vec3 a, Vec3 b) {
    const Vec3 axis = q - p, d = b - a, m = a - p;
    const float L = dot(axis, axis);
    if (L == 0) return -1;
    const float along = dot(d, axis) / L, from = dot(m, axis) / L;
    const Vec3 dAcross = d - along * axis, mAcross = m - from * axis;
    const float A = dot(dAcross, dAcross), B = dot(mAcross, dAcross), C = dot(mAcross, mAcross) - R * R;
    if (A == 0 || B >= 0) return -1;
    const float discriminant = B * B - A * C;
    if (discriminant < 0) return -1;
    const float t = (-B - sqrt(discriminant)) / A, at = from + t * along;
    return t >= 0 && t <= 1 && at >= 0 && at <= 1 ? t : -1;
}

// First hit of a ball of radius R moving a → b, not touching the triangle at a; negative for none.
HD float sweepTriangle(const MeshTriangle& t, float R, Vec3 a, Vec3 b) {
    const Vec3 across = cross(t.b - t.a, t.c - t.a);
    const float area2 = dot(across, across);
    if (area2 > 0) {
        // the face, on the side of a
        const Vec3 n = (1 / sqrt(area2)) * across;
        const float height = dot(n, a - t.a), rate = dot(n, b - a);
        const float room = fabsf(height) - R, closing = height < 0 ? rate : -rate;
        if (closing > 0 && room >= 0) {
            if (room > closing) return -1;  // does not reach the plane
            const float s = room / closing;
            const Vec3 p = a + s * (b - a);
            if (dot(cross(t.b - t.a, p - t.a), across) >= 0 && dot(cross(t.c - t.b, p - t.b), across) >= 0 &&
                dot(cross(t.a - t.c, p - t.c), across) >= 0)
                return s;
        } else if (room >= 0) {
            return -1;  // moves away from it
        }
    }
    float best = 2;
    const auto take = [&](float s) {
        if (s >= 0 && s < best) best = s;
    };
    take(sweepEdge(t.a, t.b, R, a, b));
    take(sweepEdge(t.b, t.c, R, a, b));
    take(sweepEdge(t.c, t.a, R, a, b));
    take(sweepSphere(t.a, R, a, b));
    take(sweepSphere(t.b, R, a, b));
    take(sweepSphere(t.c, R, a, b));
    return best <= 1 ? best : -1;
}

// Whether the segment a → b stays farther than R from the plane of the triangle, on one side.
HD bool isFarFrom(const MeshTriangle& t, float R, Vec3 a, Vec3 b) {
    const Vec3 across = cross(t.b - t.a, t.c - t.a);
    const float from = dot(across, a - t.a), to = dot(across, b - t.a), nearest = min(fabsf(from), fabsf(to));
    return from * to > 0 && nearest * nearest > R * R * dot(across, across);
}

// Distance [m] of p from the mesh, or `limit` when it is farther than that.
HD float meshDistance(const ShapeState& shape, const ShapeTables& tables, Vec3 p, float limit) {
    float best = limit;
    walk(
        tables.nodes, shape.first, shape.first + shape.count,
        [&](const Bounds& box) { return squaredDistance(scaledBounds(shape, box), p) < best * best; },
        [&](int k) { best = min(best, length(p - closestOnTriangle(scaledTriangle(shape, tables, k), p))); });
    return best;
}

// Whether a ball of radius R that moves a → b meets the mesh.
HD bool sweepMesh(const ShapeState& shape, const ShapeTables& tables, float R, Vec3 a, Vec3 b) {
    const Bounds way = boundsOfPath(a, b, R);
    bool meets = false;
    walk(
        tables.nodes, shape.first, shape.first + shape.count,
        [&](const Bounds& box) { return !meets && overlap(scaledBounds(shape, box), way); },
        [&](int k) { meets |= sweepTriangle(scaledTriangle(shape, tables, k), R, a, b) >= 0; });
    return meets;
}

// Planes that a search has found so far.
struct MeshPlanes {
    Vec4 planes[kMaxPlanesPerShape];  // indexed by constants only, to stay in registers
    float r;                          // [m] of the particle
    int count = 0;

    HD void add(Vec4 plane) {
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
        for (int j = 0; j < kMaxPlanesPerShape; ++j)
            if (j == count) planes[j] = plane;
        ++count;
    }
    // Whether all corners of the triangle are behind one plane.
    HD bool haveBehind(const MeshTriangle& t) const {
        return any([&](Vec3 n, float surface) {
            return dot(n, t.a) <= surface && dot(n, t.b) <= surface && dot(n, t.c) <= surface;
        });
    }
    // Whether that holds for all triangles in the box, with the rounding of the dot products.
    HD bool haveBehind(const Bounds& box) const {
        return any([&](Vec3 n, float surface) {
            const Vec3 farthest{n.x > 0 ? box.high.x : box.low.x, n.y > 0 ? box.high.y : box.low.y,
                                n.z > 0 ? box.high.z : box.low.z};
            const float rounding = 1e-6f * (fabsf(farthest.x) + fabsf(farthest.y) + fabsf(farthest.z));
            return dot(n, farthest) + rounding <= surface;
        });
    }
    HD bool haveNormal(Vec3 normal) const {
        return any([&](Vec3 n, float) { return dot(n, normal) > 0.98f; });
    }

private:
    // test(normal, offset of the surface); a thousandth of r above it counts as behind
    template <class Test>
    HD bool any(Test&& test) const {
#ifdef __CUDA_ARCH__
        bool found = false;
#pragma unroll
        for (int j = 0; j < kMaxPlanesPerShape; ++j)
            if (j < count) found |= test(xyz(planes[j]), planes[j].w - 0.999f * r);
        return found;
#else
        for (int j = 0; j < count; ++j)
            if (test(xyz(planes[j]), planes[j].w - 0.999f * r)) return true;
        return false;
#endif
    }
};

// The part of the mesh's tree with all that is in the box.
HD NodeRange meshPart(const ShapeState& shape, const ShapeTables& tables, const Bounds& box) {
    return smallestSubtree(tables.nodes, {shape.first, shape.first + shape.count},
                           [&](const Bounds& node) { return overlap(scaledBounds(shape, node), box); });
}

// Distance [m] of p from the part of the mesh, or a little more.
HD float distanceNearby(const ShapeState& shape, const ShapeTables& tables, NodeRange part, Vec3 p) {
    const BvhNode leaf = nearbyLeaf(tables.nodes, part, [&](const Bounds& node) {
        return squaredDistance(scaledBounds(shape, node), p);
    });
    float best = 1e30f;
    for (int k = leaf.first; k < leaf.first + leaf.count; ++k)
        best = min(best, length(p - closestOnTriangle(scaledTriangle(shape, tables, k), p)));
    return best;
}

// A triangle on the path of a ball.
struct MeshHit {
    bool found = false;
    float share = 1;  // [-] of the path up to the hit
    Vec4 plane{0, 1, 0, 0};
};

// The first triangle of `part` on the path a → end that is not behind a plane in `known`. The ball that is swept
// is smaller than the particle, and smaller still where the start is close to the triangle.
HD MeshHit firstHit(const ShapeState& shape, const ShapeTables& tables, NodeRange part, Vec3 a, Vec3 end,
                    const MeshPlanes& known) {
    const Vec3 d = end - a, inverse{reciprocal(d.x), reciprocal(d.y), reciprocal(d.z)};
    const float way = length(d), largest = kSweptShare * known.r;
    const Vec3 grown = 1.001f * Vec3{largest, largest, largest};
    MeshHit best;
    walk(
        tables.nodes, part.begin, part.end,
        [&](const Bounds& node) {
            const Bounds box = scaledBounds(shape, node);
            return meets({box.low - grown, box.high + grown}, a, inverse, best.share) &&
                   !known.haveBehind(box);
        },
        [&](int k) {
            const MeshTriangle t = scaledTriangle(shape, tables, k);
            if (isFarFrom(t, 1.001f * largest, a, end) || known.haveBehind(t)) return;
            const float free = length(a - closestOnTriangle(t, a)), slim = min(largest, kSweptShare * free);
            if (free == 0 || free - slim >= way) return;
            const float share = sweepTriangle(t, slim, a, end);
            if (share < 0 || (best.found && share >= best.share)) return;
            const Vec3 place = a + share * d, on = closestOnTriangle(t, place);
            const float distance = length(place - on);
            if (distance == 0) return;
            const Vec3 normal = (1 / distance) * (place - on);
            best = {true, share, vec4(normal, dot(normal, on) + known.r)};
        });
    return best;
}

// A triangle near a point.
struct NearTriangle {
    bool found = false;
    float distance = 1e30f;  // [m] rounded, see kBias
    Vec4 plane{0, 1, 0, 0};
};

// Distances are compared after this bias is added to them, which rounds them to a quarter of a micrometer: of
// triangles with a common edge, both at the same distance, the first one counts.
constexpr float kBias = 2;  // [m]

// The triangle of `part` nearest to p, at less than `limit` [m], that is neither behind a plane in `known` nor has
// its normal.
HD NearTriangle nearestTriangle(const ShapeState& shape, const ShapeTables& tables, NodeRange part, Vec3 p,
                                float limit, const MeshPlanes& known) {
    NearTriangle best;
    float biased = kBias + best.distance;
    walk(
        tables.nodes, part.begin, part.end,
        [&](const Bounds& node) {
            const Bounds box = scaledBounds(shape, node);
            const float nearest = min(limit, best.distance);
            return squaredDistance(box, p) < nearest * nearest && !known.haveBehind(box);
        },
        [&](int k) {
            const MeshTriangle t = scaledTriangle(shape, tables, k);
            // most triangles are too far away by more than rounding: cheap tests first
            const float nearest = min(limit, best.distance) + 1e-6f, nearest2 = nearest * nearest;
            if (squaredDistance(boundsOf(t), p) > nearest2 || known.haveBehind(t)) return;
            const Vec3 on = closestOnTriangle(t, p), way = p - on;
            const float distance2 = dot(way, way);
            if (distance2 == 0 || distance2 > nearest2) return;
            const float distance = sqrt(distance2);
            if (distance >= limit || kBias + distance >= biased) return;
            const Vec3 normal = (1 / distance) * way;
            if (known.haveNormal(normal)) return;
            biased = kBias + distance;
            best = {true, biased - kBias, vec4(normal, dot(normal, on) + known.r)};
        });
    return best;
}

// Up to kMaxPlanesPerShape planes for a ball of radius r moving a → b. First the triangles hit on the path,
// in order; the end of the path then slides along their planes. Then triangles near the end, nearest first: within
// `margin` [m] beyond contact, or if there is none, the nearest within `reach` [m]. Triangles behind an earlier
// plane, or with the same normal, are skipped; so a particle on a flat mesh has one plane, without bumps at triangle
// edges. Calls emit(normal, offset).
template <class Emit>
HD void meshPlanes(const ShapeState& shape, const ShapeTables& tables, Vec3 a, Vec3 b, float r, float margin,
                   float reach, Emit&& emit) {
    MeshPlanes chosen{.planes = {}, .r = r};
    Vec3 end = b;
    const float most = r + max(margin, reach);
    const auto partOnPath = [&] { return meshPart(shape, tables, boundsOfPath(a, end, most)); };
    NodeRange part = partOnPath();
    const auto choose = [&](Vec4 plane) {
        chosen.add(plane);
        emit(xyz(plane), plane.w);
    };
    while (part.begin < part.end && chosen.count < kMaxPlanesPerShape) {
        const MeshHit hit = firstHit(shape, tables, part, a, end, chosen);
        if (!hit.found) break;
        const Vec3 normal = xyz(hit.plane);
        end += max(hit.plane.w - dot(normal, end), 0.0f) * normal;
        choose(hit.plane);
        part = partOnPath();
    }
    if (part.begin == part.end) return;
    float farthest = chosen.count > 0 ? r + margin : most, limit = farthest;
    // far from contact a walk within the distance of any triangle nearby takes less time than one within reach
    if (chosen.count == 0 && reach > margin)
        limit = min(1.01f * distanceNearby(shape, tables, part, end) + 1e-6f, farthest);
    while (chosen.count < kMaxPlanesPerShape) {
        const NearTriangle near = nearestTriangle(shape, tables, part, end, limit, chosen);
        if (!near.found) {
            if (limit == farthest) return;
            limit = farthest;  // the triangle nearby is one that contains the point
            continue;
        }
        limit = farthest = r + margin;
        choose(near.plane);
        if (near.distance >= farthest) return;
    }
}

}  // namespace coalesce
