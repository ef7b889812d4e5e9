// Boxes, spheres and capsules in their own frame: signed distances and sweeps.
#pragma once

#include "kernels/math/vec.h"

namespace coalesce {

// Signed distance [m] of p to the surface of a convex solid, and the outward normal at the closest point.
HD float boxDistance(Vec3 half, Vec3 p, Vec3& normal) {
    const Vec3 q{fabsf(p.x) - half.x, fabsf(p.y) - half.y, fabsf(p.z) - half.z};
    const Vec3 sign{p.x < 0 ? -1.0f : 1.0f, p.y < 0 ? -1.0f : 1.0f, p.z < 0 ? -1.0f : 1.0f};
    if (q.x <= 0 && q.y <= 0 && q.z <= 0) {
        // inside: the nearest face; ties go to y, then x
        if (q.y >= q.x && q.y >= q.z) return normal = {0, sign.y, 0}, q.y;
        if (q.x >= q.z) return normal = {sign.x, 0, 0}, q.x;
        return normal = {0, 0, sign.z}, q.z;
    }
    const Vec3 out{max(q.x, 0.0f) * sign.x, max(q.y, 0.0f) * sign.y, max(q.z, 0.0f) * sign.z};
    const float distance = length(out);
    normal = normalizeOr(out, {0, 1, 0});
    return distance;
}
HD float capsuleDistance(float radius, float halfLength, Vec3 p, Vec3& normal) {
    const Vec3 fromAxis{p.x, p.y - clamp(p.y, -halfLength, halfLength), p.z};
    normal = normalizeOr(fromAxis, {1, 0, 0});
    return length(fromAxis) - radius;
}

// Face k of a box: outward normal, offset [m].
HD Vec4 boxFace(Vec3 half, int k) {
    const float sign = k & 1 ? -1.0f : 1.0f;
    return k < 2 ? Vec4{sign, 0, 0, half.x} : k < 4 ? Vec4{0, sign, 0, half.y} : Vec4{0, 0, sign, half.z};
}

// Largest signed distance to a face plane: below r inside the box expanded by r with sharp edges. Never more
// than the distance.
HD float sharpBoxDistance(Vec3 half, Vec3 p) {
    return max(fabsf(p.x) - half.x, max(fabsf(p.y) - half.y, fabsf(p.z) - half.z));
}

// First hit of the segment a → b, a outside, with the box expanded by r with sharp edges (conservative:
// contains the rounded box). Returns the parameter on the segment, negative for none, and the face's normal.
HD float sweepBox(Vec3 half, float r, Vec3 a, Vec3 b, Vec3& normal) {
    const Vec3 d = b - a;
    const float start[3] = {a.x, a.y, a.z}, way[3] = {d.x, d.y, d.z},
                size[3] = {half.x + r, half.y + r, half.z + r};
    float enter = -1, leave = 1, sign = 0;
    int axis = -1;
    for (int k = 0; k < 3; ++k) {
        if (way[k] == 0) {
            if (fabsf(start[k]) >= size[k]) return -1;
            continue;
        }
        const float inverse = 1 / way[k];
        const float t0 = (-size[k] - start[k]) * inverse, t1 = (size[k] - start[k]) * inverse;
        const float in = min(t0, t1), out = max(t0, t1);
        if (in > enter) enter = in, axis = k, sign = way[k] > 0 ? -1.0f : 1.0f;
        leave = min(leave, out);
    }
    if (axis < 0 || enter < 0 || enter >= leave) return -1;
    normal = {0, 0, 0};
    if (axis == 0) normal.x = sign;
    if (axis == 1) normal.y = sign;
    if (axis == 2) normal.z = sign;
    return enter;
}

// First hit with a sphere of radius R about c; a outside. Negative for none.
HD float sweepSphere(Vec3 c, float R, Vec3 a, Vec3 b) {
    const Vec3 d = b - a, m = a - c;
    const float A = dot(d, d), B = dot(m, d), C = dot(m, m) - R * R;
    if (A == 0 || B >= 0) return -1;
    const float discriminant = B * B - A * C;
    if (discriminant < 0) return -1;
    const float t = (-B - sqrt(discriminant)) / A;
    return t >= 0 && t <= 1 ? t : -1;
}

// First hit with a capsule of radius R and half length L along y; a outside. Negative for none.
HD float sweepCapsule(float R, float L, Vec3 a, Vec3 b) {
    const Vec3 d = b - a;
    // cylinder: a circle in x and z
    const float A = d.x * d.x + d.z * d.z, B = a.x * d.x + a.z * d.z, C = a.x * a.x + a.z * a.z - R * R;
    float best = 2;
    const float discriminant = B * B - A * C;
    if (A > 0 && discriminant >= 0) {
        const float t = (-B - sqrt(discriminant)) / A;
        if (t >= 0 && t <= 1 && fabsf(a.y + t * d.y) <= L) best = t;
    }
    for (int end = -1; end <= 1; end += 2) {
        const float t = sweepSphere({0, end * L, 0}, R, a, b);
        if (t >= 0 && t < best) best = t;
    }
    return best <= 1 ? best : -1;
}

}  // namespace coalesce
