// Collision shapes: closest planes, and continuous checks along a particle's path.
//
// All computations are in the shape's frame: a particle's path from its start (transformed by the shape's
// previous pose) to its end (transformed by the present pose) is a straight segment there, so fast particles
// and fast shapes are handled alike. The frame of a deforming surface deforms with it, see shape_sdf.h.
#pragma once

#include "kernels/shapes/shape_convex.h"
#include "kernels/shapes/shape_mesh.h"
#include "kernels/shapes/shape_primitive.h"
#include "kernels/shapes/shape_sdf.h"
#include "kernels/shapes/shape_state.h"

namespace coalesce {

// Forms: whether the world has any convex, SDF or mesh shape; kernels without them are smaller.
template <bool Forms>
HD bool is(const ShapeState& shape, ShapeKind kind) {
    return (Forms || kind < ShapeKind::convex) && shape.kind == kind;
}

template <bool Forms>
HD bool isConvex(const ShapeState& shape) {
    return !is<Forms>(shape, ShapeKind::sdf) && !is<Forms>(shape, ShapeKind::mesh);
}

// Signed distance [m] of a point in the shape's frame to the shape as a solid, and the outward normal at the
// closest point; negative inside. Not for meshes, which have no inside. SDF containers are already inverted.
template <bool Forms>
HD float solidDistance(const ShapeState& shape, const ShapeTables& tables, Vec3 p, Vec3& normal) {
    if (is<Forms>(shape, ShapeKind::convex)) return hullDistance(shape, tables, p, normal);
    if (is<Forms>(shape, ShapeKind::sdf)) return sdfDistance(shape, tables, p, normal);
    if (is<Forms>(shape, ShapeKind::box)) return boxDistance(shape.halfExtents, p, normal);
    if (is<Forms>(shape, ShapeKind::plane)) return normal = {0, 1, 0}, p.y;
    const float halfLength = is<Forms>(shape, ShapeKind::sphere) ? 0 : shape.halfLength;
    return capsuleDistance(shape.radius, halfLength, p, normal);
}

// Radius of a ball at the start that does not touch the shape: close to r, or less if the start is too close.
// 0 or less: the start is inside.
template <bool Forms>
HD float fittingBall(const ShapeState& shape, const ShapeTables& tables, Vec3 start, float r) {
    Vec3 unused{};
    // sweeps expand boxes and hulls with sharp edges
    const float room = is<Forms>(shape, ShapeKind::box) ? sharpBoxDistance(shape.halfExtents, start)
                       : is<Forms>(shape, ShapeKind::convex)
                           ? sharpHullDistance(shape, tables, start, unused)
                           : solidDistance<Forms>(shape, tables, start, unused);
    return (is<Forms>(shape, ShapeKind::sdf) ? kSweptShare : 0.99f) * min(r, room);
}

// First hit of a ball of radius r moving a → b, a outside: parameter on the path, negative for none; the
// normal there; and the distance of the ball's center from the surface then, which is r except for the step
// size of SDFs.
template <bool Forms>
HD float sweepSolid(const ShapeState& shape, const ShapeTables& tables, float r, Vec3 a, Vec3 b, Vec3& normal,
                    float& distance) {
    distance = r;
    if (is<Forms>(shape, ShapeKind::box)) return sweepBox(shape.halfExtents, r, a, b, normal);
    if (is<Forms>(shape, ShapeKind::convex)) return sweepHull(shape, tables, r, a, b, normal);
    const bool field = is<Forms>(shape, ShapeKind::sdf);
    const float t = field ? sweepSdf(shape, tables, r, a, b)
                    : is<Forms>(shape, ShapeKind::sphere)
                        ? sweepSphere({0, 0, 0}, shape.radius + r, a, b)
                        : sweepCapsule(shape.radius + r, shape.halfLength, a, b);
    if (t < 0) return t;
    const float there = solidDistance<Forms>(shape, tables, a + t * (b - a), normal);
    if (field) distance = there;
    return t;
}

// A world position at the start, or the end, of the substep in the shape's frame.
template <bool Forms>
HD Vec3 startInShape(const ShapeState& shape, const ShapeTables& tables, Vec3 x) {
    const Vec3 p = toShape(shape.previous, x);
    return is<Forms>(shape, ShapeKind::sdf) ? carriedToEnd(shape, tables, p, shape.aheadAtStart) : p;
}
template <bool Forms>
HD Vec3 endInShape(const ShapeState& shape, const ShapeTables& tables, Vec3 x) {
    const Vec3 p = toShape(shape.present, x);
    return is<Forms>(shape, ShapeKind::sdf) ? carriedToEnd(shape, tables, p, shape.aheadAtEnd) : p;
}
// World position, at the end of the substep, of the point p of the shape's frame; and the displacement of
// the surface there by deformation during the substep, in the shape's frame.
template <bool Forms>
HD Vec3 endInWorld(const ShapeState& shape, const ShapeTables& tables, Vec3 p, Vec3& deformed) {
    deformed = {0, 0, 0};
    if (is<Forms>(shape, ShapeKind::sdf) && deforms(shape, tables)) {
        const Vec3 motion = motionAt(shape, tables, p);
        deformed = (shape.aheadAtStart - shape.aheadAtEnd) * motion;
        p -= shape.aheadAtEnd * motion;
    }
    return toWorld(shape.present, p);
}

// Planes and convex containers treat each face as a separate contact.
template <bool Forms>
HD bool hasFacesOnly(const ShapeState& shape) {
    return is<Forms>(shape, ShapeKind::plane) || (shape.container && !is<Forms>(shape, ShapeKind::sdf));
}
// Distance [m] of a point in the shape's frame from the surface, up to `most`; negative inside.
template <bool Forms>
HD float clearance(const ShapeState& shape, const ShapeTables& tables, Vec3 p, float most) {
    Vec3 unused{};
    return is<Forms>(shape, ShapeKind::mesh) ? meshDistance(shape, tables, p, most)
                                             : min(solidDistance<Forms>(shape, tables, p, unused), most);
}

constexpr float kTight = 0.01f;  // [radii] a particle this near to a surface has hardly any room

// Whether a particle of radius r that moves between two world positions, with the shape at its pose at the
// start of the substep, passes the surface with its center, or nearly; or has hardly any room, and less at the
// end: many short ways would lead it through.
template <bool Forms>
HD bool blocksAtStart(const ShapeState& shape, const ShapeTables& tables, Vec3 from, Vec3 to, float r) {
    constexpr float kNearly = 0.2f;  // of the ball that is swept
    const Vec3 a = startInShape<Forms>(shape, tables, from), b = startInShape<Forms>(shape, tables, to);
    Vec3 normal{};
    if (hasFacesOnly<Forms>(shape)) {
        const float side = shape.container ? -1.0f : 1.0f;
        return side * solidDistance<Forms>(shape, tables, a, normal) > 0 &&
               side * solidDistance<Forms>(shape, tables, b, normal) <= 0;
    }
    const float room = clearance<Forms>(shape, tables, a, r);
    if (room > 0 && room < kTight * r && clearance<Forms>(shape, tables, b, room) < room) return true;
    if (is<Forms>(shape, ShapeKind::mesh))
        return sweepMesh(shape, tables, kNearly * kSweptShare * room, a, b);
    const float slim = kNearly * fittingBall<Forms>(shape, tables, a, r);
    float distance;
    return slim > 0 && sweepSolid<Forms>(shape, tables, slim, a, b, normal, distance) >= 0;
}

// Clearance [m] of world position x from the shape's pose at the start of the substep, up to `most`.
template <bool Forms>
HD float roomAt(const ShapeState& shape, const ShapeTables& tables, Vec3 x, float most) {
    return clearance<Forms>(shape, tables, startInShape<Forms>(shape, tables, x), most);
}

// ---- planes for a particle of radius r that moves from `start` to `end` (world) ----

constexpr float kBlocks = 1e-4f;  // [radii] a plane that moves the end of the path by less does not block it

// Calls add(plane) for every face within `reach` [m] beyond contact, and for the face that the path crosses. Of a
// mesh only the nearest counts beyond `margin` [m].
// Planes are in world coordinates at the shape's present pose.
template <bool Forms = true, class Add>
HD void findPlanes(const ShapeState& shape, const ShapeTables& tables, Vec3 start, Vec3 end, float r,
                   float margin, float reach, Add&& add) {
    const Vec3 b = endInShape<Forms>(shape, tables, end);
    Vec3 ahead{0, 0, 0}, deformed{0, 0, 0};  // [m] of a deforming surface near the end of the path
    if (is<Forms>(shape, ShapeKind::sdf) && deforms(shape, tables)) {
        const Vec3 motion = motionAt(shape, tables, b);
        ahead = shape.aheadAtEnd * motion, deformed = (shape.aheadAtStart - shape.aheadAtEnd) * motion;
    }
    const auto emit = [&](Vec3 normal, float offset) {
        const Vec3 n = rotate(shape.present.rotation, normal);
        add(ContactPlane{n, offset - dot(normal, ahead) + dot(n, shape.present.position), deformed});
    };
    const float nearby = r + reach;

    if (is<Forms>(shape, ShapeKind::plane)) {
        if (b.y < nearby) emit({0, 1, 0}, r);
        return;
    }
    const Vec3 a = startInShape<Forms>(shape, tables, start);
    if (is<Forms>(shape, ShapeKind::mesh)) {
        meshPlanes(shape, tables, a, b, r, margin, reach, emit);
        return;
    }
    Vec3 normal{};
    // convex container: enforces every face, wherever the particle is
    if (shape.container && !is<Forms>(shape, ShapeKind::sdf)) {
        if (is<Forms>(shape, ShapeKind::box) || is<Forms>(shape, ShapeKind::convex)) {
            const bool box = is<Forms>(shape, ShapeKind::box);
            const int faces = box ? 6 : shape.count;
            for (int k = 0; k < faces; ++k) {
                const Vec4 face = box ? boxFace(shape.halfExtents, k) : hullPlane(shape, tables, k);
                if (face.w - dot(xyz(face), b) < nearby) emit(-xyz(face), r - face.w);
            }
        } else {
            const float distance = solidDistance<Forms>(shape, tables, b, normal);
            if (-distance < nearby) emit(-normal, r + dot(-normal, b) + distance);
        }
        return;
    }
    float distance;
    const float slim = fittingBall<Forms>(shape, tables, a, r);
    const float t = slim > 0 ? sweepSolid<Forms>(shape, tables, slim, a, b, normal, distance) : -1;
    Vec3 there = b;
    if (t >= 0) {
        // the path enters the shape here: stop it at this point
        const Vec3 entry = a + t * (b - a);
        float offset = dot(normal, entry) + (r - distance);
        if (is<Forms>(shape, ShapeKind::sdf) && offset < dot(normal, b) + kBlocks * r) {
            // in a crease the gradient may point along the path or across it, so its plane does not block it:
            // stop the path here
            normal = normalizeOr(a - b, normal);
            offset = dot(normal, entry);
        }
        emit(normal, offset);
        if (!is<Forms>(shape, ShapeKind::sdf)) return;
        // a non-convex shape may block the path a second time
        there += max(offset - dot(normal, b), 0.0f) * normal;
        if (sweepSdf(shape, tables, slim, a, there) >= 0) return;
    }
    distance = solidDistance<Forms>(shape, tables, there, normal);
    if (distance < nearby) emit(normal, r + dot(normal, there) - distance);
}

// Calls add(plane) for the faces of a convex container that keep a particle from getting closer to them, or
// farther beyond them, than it was at the start of its path; at most r away.
template <bool Forms = true, class Add>
HD void findFacesFromStart(const ShapeState& shape, const ShapeTables& tables, Vec3 start, Vec3 end, float r,
                           Add&& add) {
    const Vec3 a = startInShape<Forms>(shape, tables, start), b = endInShape<Forms>(shape, tables, end);
    const auto keep = [&](Vec3 outward, float offset, float room) {
        const Vec3 n = rotate(shape.present.rotation, -outward);
        add(ContactPlane{n, min(r, room) - offset + dot(n, shape.present.position), {0, 0, 0}});
    };
    const bool box = is<Forms>(shape, ShapeKind::box);
    if (box || is<Forms>(shape, ShapeKind::convex)) {
        const int faces = box ? 6 : shape.count;
        for (int k = 0; k < faces; ++k) {
            const Vec4 face = box ? boxFace(shape.halfExtents, k) : hullPlane(shape, tables, k);
            keep(xyz(face), face.w, face.w - dot(xyz(face), a));
        }
        return;
    }
    Vec3 unused{}, normal{};
    const float room = -solidDistance<Forms>(shape, tables, a, unused);
    const float beyond = solidDistance<Forms>(shape, tables, b, normal);
    keep(normal, dot(normal, b) - beyond, room);
}

}  // namespace coalesce
