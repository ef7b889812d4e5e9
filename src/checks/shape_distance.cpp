#include "checks/shape_distance.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <mutex>

#include "core/error.h"

namespace coalesce {

namespace {

double lengthOf(const Double3& a) {
    return std::sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

double distanceToBox(const Double3& p, const Double3& half) {
    Double3 beyond{};
    double nearest = -1e300;
    for (int k = 0; k < 3; ++k) {
        const double outside = std::abs(p[k]) - half[k];
        beyond[k] = std::max(outside, 0.0);
        nearest = std::max(nearest, outside);
    }
    return nearest > 0 ? lengthOf(beyond) : nearest;
}

}  // namespace

namespace {

Vec3 narrowed(const Double3& p, Vec3 scale) {
    return {static_cast<float>(p[0] / scale.x), static_cast<float>(p[1] / scale.y),
            static_cast<float>(p[2] / scale.z)};
}

// Outside a hull the distance to its triangles; inside the least of those to its planes.
double distanceToHull(const Shape& shape, const MeshDistance& surface, const Double3& p) {
    double farthest = -1e300;
    for (const Vec4& plane : shape.geometry->planes) {
        const Double3 n{double{plane.x} / shape.scale.x, double{plane.y} / shape.scale.y,
                        double{plane.z} / shape.scale.z};
        farthest = std::max(farthest, (n[0] * p[0] + n[1] * p[1] + n[2] * p[2] - plane.w) / lengthOf(n));
    }
    return farthest > 0 ? surface.closest({p[0], p[1], p[2]}).distance : farthest;
}

// The volume's own distance, along the gradient of the scaled one: exact at the surface.
double distanceToField(const Shape& shape, const Double3& p) {
    const DistanceVolume& volume = shape.geometry->volume;
    const Vec3 q = narrowed(p, shape.scale), g = volumeGradient(volume, q);
    return volumeDistance(volume, q) /
           lengthOf({g.x / double{shape.scale.x}, g.y / double{shape.scale.y}, g.z / double{shape.scale.z}});
}

// Distance to the triangles of a shape, scaled. Asked for in every frame.
std::shared_ptr<const MeshDistance> surfaceOf(const Shape& shape) {
    struct Entry {
        std::shared_ptr<const ShapeGeometry> geometry;
        Vec3 scale;
        std::shared_ptr<const MeshDistance> surface;
    };
    static std::mutex mutex;
    static std::deque<Entry> cache;
    CHECK(shape.geometry != nullptr);
    const std::lock_guard lock(mutex);
    for (const Entry& e : cache)
        if (e.geometry == shape.geometry && e.scale == shape.scale) return e.surface;
    TriangleMesh mesh = shape.geometry->surface;
    for (Vec3& v : mesh.vertices) v = scaled(shape.scale, v);
    cache.push_front({shape.geometry, shape.scale, std::make_shared<MeshDistance>(mesh)});
    if (cache.size() > 64) cache.pop_back();
    return cache.front().surface;
}

}  // namespace

ShapeDistance::ShapeDistance(const Shape& shape, double time) : m_shape(shape) {
    const Pose pose = poseAt(shape, time);
    m_position = {pose.position.x, pose.position.y, pose.position.z};
    m_back = {pose.rotation.w, -pose.rotation.x, -pose.rotation.y, -pose.rotation.z};
    if (shape.kind != ShapeKind::convex && shape.kind != ShapeKind::mesh) return;
    m_surface = surfaceOf(shape);
}

double ShapeDistance::operator()(const Double3& p) const {
    const Double3 q = rotate(m_back, {p[0] - m_position[0], p[1] - m_position[1], p[2] - m_position[2]});
    double distance = 0;
    switch (m_shape.kind) {
        case ShapeKind::plane:
            distance = q[1];
            break;
        case ShapeKind::box:
            distance =
                distanceToBox(q, {m_shape.halfExtents.x, m_shape.halfExtents.y, m_shape.halfExtents.z});
            break;
        case ShapeKind::sphere:
            distance = lengthOf(q) - m_shape.radius;
            break;
        case ShapeKind::capsule: {
            const double half = m_shape.halfLength, along = std::clamp(q[1], -half, half);
            distance = lengthOf({q[0], q[1] - along, q[2]}) - m_shape.radius;
            break;
        }
        case ShapeKind::convex:
            distance = distanceToHull(m_shape, *m_surface, q);
            break;
        case ShapeKind::field:
            distance = distanceToField(m_shape, q);
            break;
        case ShapeKind::mesh:
            return m_surface->closest({q[0], q[1], q[2]}).distance;
    }
    return m_shape.container ? -distance : distance;
}

}  // namespace coalesce
