// Signed distances to shapes in double, from their definitions; shares no code with kernels/shape.h.
#pragma once

#include "sim/make_world.h"

namespace coalesce::test {

// Rotates by a quaternion: q a q*, written out.
inline Double3 turn(Quat q, Double3 a) {
    const Double3 u{q.x, q.y, q.z};
    const double w = q.w;
    return 2 * dot(u, a) * u + (w * w - dot(u, u)) * a + 2 * w * cross(u, a);
}
inline Double3 inShape(const Pose& pose, Double3 x) {
    return turn({-pose.rotation.x, -pose.rotation.y, -pose.rotation.z, pose.rotation.w},
                x - wide(pose.position));
}

// Distance [m] of p (in the shape's frame) from its surface: positive where particles may be.
inline double distanceInShape(const Shape& s, Double3 p) {
    double d = 0;
    switch (s.kind) {
        case ShapeKind::plane:
            return p.y;
        case ShapeKind::sphere:
            d = length(p) - s.radius;
            break;
        case ShapeKind::capsule:
            d = length(p - Double3{0, std::clamp<double>(p.y, -s.halfLength, s.halfLength), 0}) - s.radius;
            break;
        case ShapeKind::box: {
            const Double3 q{std::abs(p.x) - s.halfExtents.x, std::abs(p.y) - s.halfExtents.y,
                            std::abs(p.z) - s.halfExtents.z};
            const Double3 out{std::max(q.x, 0.0), std::max(q.y, 0.0), std::max(q.z, 0.0)};
            d = length(out) + std::min(std::max({q.x, q.y, q.z}), 0.0);
        }
    }
    return s.container ? -d : d;
}
inline double distanceFrom(const Shape& s, double time, Double3 x) {
    return distanceInShape(s, inShape(poseAt(s, time), x));
}

inline Shape boxShape(Vec3 center, Vec3 halfExtents, Quat rotation = {}) {
    Shape s;
    s.name = "box", s.kind = ShapeKind::box;
    s.position = center, s.halfExtents = halfExtents, s.rotation = rotation;
    return s;
}
inline Shape sphereShape(Vec3 center, float radius) {
    Shape s;
    s.name = "sphere", s.kind = ShapeKind::sphere;
    s.position = center, s.radius = radius;
    return s;
}
inline Shape capsuleShape(Vec3 center, float radius, float halfLength, Quat rotation = {}) {
    Shape s;
    s.name = "capsule", s.kind = ShapeKind::capsule;
    s.position = center, s.radius = radius, s.halfLength = halfLength, s.rotation = rotation;
    return s;
}
inline Shape asContainer(Shape s) {
    s.container = true;
    return s;
}

}  // namespace coalesce::test
