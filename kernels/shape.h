// Collision shapes: closest planes, and continuous checks along a particle's path.
//
// Everything is done in the shape's own frame, where the shape rests: a particle's path from its start (seen
// from the shape's previous pose) to its end (seen from the present pose) is a straight segment there, so a
// fast particle and a fast shape are one case.
#pragma once

#include <cstdint>

#include "kernels/vec.h"

namespace coalesce {

enum class ShapeKind : int32_t { plane, box, sphere, capsule };

struct ShapePose {
    Vec3 position;  // [m]
    Quat rotation;  // world from shape
};
HD Vec3 toShape(const ShapePose& pose, Vec3 x) {
    return rotateBack(pose.rotation, x - pose.position);
}
HD Vec3 toWorld(const ShapePose& pose, Vec3 x) {
    return rotate(pose.rotation, x) + pose.position;
}

// A shape during one substep.
struct ShapeState {
    ShapeKind kind;
    int32_t container;            // 1: keeps particles inside
    float radius;                 // [m] sphere, capsule
    float halfLength;             // [m] capsule, along its y axis
    Vec3 halfExtents;             // [m] box
    float friction;               // multiplies the material's
    ShapePose previous, present;  // at the start and the end of the substep
};

// Where a point of the shape that is at world position p now was at the start of the substep.
HD Vec3 previousPosition(const ShapeState& shape, Vec3 p) {
    return toWorld(shape.previous, toShape(shape.present, p));
}

// A half space a particle's center must stay in: dot(normal, x) ≥ offset.
struct ContactPlane {
    Vec3 normal;   // unit, away from the solid
    float offset;  // [m]
};

constexpr int kMaxPlanesPerShape = 6;  // a container box shows up to all of its faces

// ---- in the shape's frame ----

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
    const Vec3 out{greater(q.x, 0.0f) * sign.x, greater(q.y, 0.0f) * sign.y, greater(q.z, 0.0f) * sign.z};
    const float distance = length(out);
    normal = normalizeOr(out, {0, 1, 0});
    return distance;
}
HD float capsuleDistance(float radius, float halfLength, Vec3 p, Vec3& normal) {
    const Vec3 fromAxis{p.x, p.y - clamp(p.y, -halfLength, halfLength), p.z};
    normal = normalizeOr(fromAxis, {1, 0, 0});
    return length(fromAxis) - radius;
}

// Signed distance [m] of a world position to a box, sphere or capsule in this pose, as a solid.
HD float solidDistance(const ShapeState& shape, const ShapePose& pose, Vec3 x) {
    Vec3 unused;
    const Vec3 p = toShape(pose, x);
    return shape.kind == ShapeKind::box
               ? boxDistance(shape.halfExtents, p, unused)
               : capsuleDistance(shape.radius, shape.kind == ShapeKind::sphere ? 0 : shape.halfLength, p,
                                 unused);
}

// First hit of the segment a → b, a outside, with the box grown by r (its edges stay sharp, which is safe: it
// lies outside the rounded shape). Returns the share of the way, or a negative value for none; and the face's
// normal.
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
        const float in = lesser(t0, t1), out = greater(t0, t1);
        if (in > enter) enter = in, axis = k, sign = way[k] > 0 ? -1.0f : 1.0f;
        leave = lesser(leave, out);
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
    // the tube: a circle in x and z
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

// ---- planes for a particle of radius r that wants to go from `start` to `end` (world) ----

// Calls add(plane) for every face nearer than `reach` beyond contact, and for the face that the path crosses.
// Planes are in world coordinates at the shape's present pose.
template <class Add>
HD void findPlanes(const ShapeState& shape, Vec3 start, Vec3 end, float r, float reach, Add&& add) {
    const Vec3 b = toShape(shape.present, end);
    const auto emit = [&](Vec3 normal, float offset) {
        const Vec3 n = rotate(shape.present.rotation, normal);
        add(ContactPlane{n, offset + dot(n, shape.present.position)});
    };
    const bool inside = shape.container != 0;
    const float nearby = r + reach;

    if (shape.kind == ShapeKind::plane) {
        if (b.y < nearby) emit({0, 1, 0}, r);
        return;
    }
    if (inside && shape.kind == ShapeKind::box) {
        const Vec3 h = shape.halfExtents;
        if (h.x - b.x < nearby) emit({-1, 0, 0}, r - h.x);
        if (h.x + b.x < nearby) emit({1, 0, 0}, r - h.x);
        if (h.y - b.y < nearby) emit({0, -1, 0}, r - h.y);
        if (h.y + b.y < nearby) emit({0, 1, 0}, r - h.y);
        if (h.z - b.z < nearby) emit({0, 0, -1}, r - h.z);
        if (h.z + b.z < nearby) emit({0, 0, 1}, r - h.z);
        return;
    }
    Vec3 normal;
    float distance, t = -1;
    const Vec3 a = toShape(shape.previous, start);
    // a start in contact may lie too deep by a rounding or more; the sweep takes a particle that fits there
    const auto fitting = [r](float startDistance) { return 0.99f * lesser(r, startDistance); };
    if (shape.kind == ShapeKind::box) {
        distance = boxDistance(shape.halfExtents, b, normal);
        Vec3 unused, face;
        const float slim = fitting(boxDistance(shape.halfExtents, a, unused));
        if (slim > 0) t = sweepBox(shape.halfExtents, slim, a, b, face);
        // the path enters through this face: hold it there, wherever its end has come to lie
        if (t >= 0) return emit(face, dot(face, a + t * (b - a)) + (r - slim));
    } else {
        const bool sphere = shape.kind == ShapeKind::sphere;
        const float length = sphere ? 0 : shape.halfLength;
        distance = capsuleDistance(shape.radius, length, b, normal);
        if (inside) {
            if (-distance < nearby) emit(-normal, r + dot(-normal, b) + distance);
            return;
        }
        Vec3 unused;
        const float slim = fitting(capsuleDistance(shape.radius, length, a, unused));
        if (slim > 0)
            t = sphere ? sweepSphere({0, 0, 0}, shape.radius + slim, a, b)
                       : sweepCapsule(shape.radius + slim, length, a, b);
        if (t >= 0) {
            const Vec3 hit = a + t * (b - a);
            Vec3 entry;
            capsuleDistance(shape.radius, length, hit, entry);
            return emit(entry, dot(entry, hit) + (r - slim));
        }
    }
    if (distance < nearby) emit(normal, r + dot(normal, b) - distance);
}

}  // namespace coalesce
