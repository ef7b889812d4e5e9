// Convex hulls as intersections of half spaces n·x ≤ w, in the shape's frame.
#pragma once

#include "kernels/shapes/shape_state.h"

namespace coalesce {

// Plane k of a scaled hull: normals transform by the inverse scale. Unit normal, offset [m].
HD Vec4 hullPlane(const ShapeState& shape, const ShapeTables& tables, int k) {
    const Vec4 plane = tables.planes[shape.first + k];
    const Vec3 n = unscaled(shape.scale, xyz(plane));
    const float inverse = 1 / length(n);
    return {inverse * n.x, inverse * n.y, inverse * n.z, inverse * plane.w};
}

// Largest signed distance of p to a plane of the hull, and its normal. Near edges and corners this is less
// than the distance to the hull.
HD float sharpHullDistance(const ShapeState& shape, const ShapeTables& tables, Vec3 p, Vec3& normal) {
    float farthest = -1e30f;
    normal = {0, 1, 0};
    for (int k = 0; k < shape.count; ++k) {
        const Vec4 plane = hullPlane(shape, tables, k);
        const float d = dot(xyz(plane), p) - plane.w;
        if (d > farthest) farthest = d, normal = xyz(plane);
    }
    return farthest;
}

// The vector o from the edge of two planes to a point at distances d1 and d2 outside them: o = l1 n1 + l2 n2
// with n_k·o = d_k. False where the closest point is not on the edge.
HD bool wayFromEdge(Vec3 n1, float d1, Vec3 n2, float d2, Vec3& way) {
    const float c = dot(n1, n2), sine2 = 1 - c * c, l1 = d1 - c * d2, l2 = d2 - c * d1;
    if (sine2 < 1e-6f || l1 < 0 || l2 < 0) return false;
    way = (l1 / sine2) * n1 + (l2 / sine2) * n2;
    return true;
}

// Signed distance [m] of p, and the outward normal at the closest point. Outside, tries the closest point on
// the farthest plane, then on its edge with the plane that this point violates most, then at the corner with
// a third plane. The hull is always behind the plane through such a point, so the distance is never too
// large; it may be too small near corners of many planes.
HD float hullDistance(const ShapeState& shape, const ShapeTables& tables, Vec3 p, Vec3& normal) {
    const float d1 = sharpHullDistance(shape, tables, p, normal);
    if (d1 <= 0) return d1;
    const Vec3 n1 = normal;
    // distance of p from the plane that q violates most; 0: none
    const auto mostViolated = [&](Vec3 q, Vec3& n) {
        float most = 1e-5f * d1, outside = 0;
        for (int k = 0; k < shape.count; ++k) {
            const Vec4 plane = hullPlane(shape, tables, k);
            const float d = dot(xyz(plane), q) - plane.w;
            if (d > most) most = d, n = xyz(plane), outside = dot(n, p) - plane.w;
        }
        return outside;
    };
    Vec3 n2{}, n3{}, way{};
    const float d2 = mostViolated(p - d1 * n1, n2);
    if (d2 == 0 || !wayFromEdge(n1, d1, n2, d2, way)) return d1;
    if (const float d3 = mostViolated(p - way, n3)) {
        // p = corner + Σ l_k n_k
        const Vec3 n23 = cross(n2, n3), n31 = cross(n3, n1), n12 = cross(n1, n2);
        const float volume = dot(n1, n23);
        if (fabsf(volume) > 1e-4f) {
            const Vec3 corner = (1 / volume) * (d1 * n23 + d2 * n31 + d3 * n12);
            if (dot(corner, n23) * volume < 0)
                wayFromEdge(n2, d2, n3, d3, way);
            else if (dot(corner, n31) * volume < 0)
                wayFromEdge(n1, d1, n3, d3, way);
            else
                way = corner;
        }
    }
    const float distance = length(way);
    normal = (1 / distance) * way;
    return distance;
}

// First hit of the segment a → b, a outside, with the hull expanded by r with sharp edges. Returns the
// parameter on the segment, negative for none, and the plane's normal.
HD float sweepHull(const ShapeState& shape, const ShapeTables& tables, float r, Vec3 a, Vec3 b,
                   Vec3& normal) {
    float enter = -1, leave = 1;
    for (int k = 0; k < shape.count; ++k) {
        const Vec4 plane = hullPlane(shape, tables, k);
        const float room = dot(xyz(plane), a) - plane.w - r, rate = dot(xyz(plane), b - a);
        if (rate == 0) {
            if (room >= 0) return -1;
            continue;
        }
        const float t = -room / rate;
        if (rate > 0)
            leave = min(leave, t);
        else if (t > enter)
            enter = t, normal = xyz(plane);
    }
    return enter >= 0 && enter < leave ? enter : -1;
}

}  // namespace coalesce
