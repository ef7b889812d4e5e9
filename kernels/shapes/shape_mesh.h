// Triangle meshes in the shape's frame. Triangles are two-sided and have no inside: a particle stays on the
// side where it starts.
#pragma once

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

// Up to kMaxPlanesPerShape planes for a ball of radius r moving a → b. First the triangles hit on the path,
// in order; the end of the path then slides along their planes. Then triangles within `reach` beyond contact
// at the end, nearest first. Triangles behind an earlier plane, or with the same normal, are skipped; so a
// particle on a flat mesh has one plane, without bumps at triangle edges. Calls emit(normal, offset).
template <class Emit>
HD void meshPlanes(const ShapeState& shape, const ShapeTables& tables, Vec3 a, Vec3 b, float r, float reach,
                   Emit&& emit) {
    const float nearby = r + reach;
    Vec4 chosen[kMaxPlanesPerShape];  // indexed by constants only, to stay in registers
    Vec3 end = b;
    for (int count = 0; count < kMaxPlanesPerShape; ++count) {
        const Vec3 d = end - a;
        const Vec3 inverse{reciprocal(d.x), reciprocal(d.y), reciprocal(d.z)};
        const float way = length(d);
        float first = 1e30f;  // sort key: path parameter of a hit, or 2 + distance of a near triangle
        Vec4 plane{0, 1, 0, 0};
        const auto hit = [&](const Bounds& node) {
            Bounds box = scaledBounds(shape, node);
            const float nearest = min(nearby, first - 2);
            if (first > 1 && squaredDistance(box, end) < nearest * nearest) return true;
            const Vec3 grown{1.001f * r, 1.001f * r, 1.001f * r};
            box = {box.low - grown, box.high + grown};
            return meets(box, a, inverse, min(first, 1.0f));
        };
        walk(tables.nodes, shape.first, shape.first + shape.count, hit, [&](int k) {
            const MeshTriangle t = scaledTriangle(shape, tables, k);
            const float free = length(a - closestOnTriangle(t, a)), slim = kSweptShare * min(r, free);
            const float share = free > 0 && free - slim < way ? sweepTriangle(t, slim, a, end) : -1;
            const bool inTheWay = share >= 0;
            const Vec3 place = inTheWay ? a + share * (end - a) : end;
            const Vec3 on = closestOnTriangle(t, place);
            const float distance = length(place - on), key = inTheWay ? share : 2 + distance;
            if (key >= first || distance == 0 || (!inTheWay && distance >= nearby)) return;
            const Vec3 normal = (1 / distance) * (place - on);
            bool known = false;
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
            for (int j = 0; j < kMaxPlanesPerShape; ++j) {
                if (j >= count) continue;
                const Vec3 n = xyz(chosen[j]);
                const float back = chosen[j].w - 0.999f * r;
                known |= (!inTheWay && dot(n, normal) > 0.98f) ||
                         (dot(n, t.a) <= back && dot(n, t.b) <= back && dot(n, t.c) <= back);
            }
            if (known) return;
            first = key;
            plane = vec4(normal, dot(normal, on) + r);
        });
        if (first > 1e29f) return;
        const Vec3 n = xyz(plane);
        if (first <= 1) end += max(plane.w - dot(n, end), 0.0f) * n;
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
        for (int j = 0; j < kMaxPlanesPerShape; ++j)
            if (j == count) chosen[j] = plane;
        emit(n, plane.w);
    }
}

}  // namespace coalesce
