#include "checks/shape_distance.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <mutex>

#include "core/error.h"

namespace coalesce {

namespace {

double distanceToBox(const Vec3d& p, const Vec3d& half) {
    const Vec3d outside = p.cwiseAbs() - half;
    const double nearest = outside.maxCoeff();
    return nearest > 0 ? length(outside.cwiseMax(0.0)) : nearest;
}

}  // namespace

namespace {

// Outside a hull the distance to its triangles; inside the largest signed distance to its planes.
double distanceToHull(const Shape& shape, const MeshDistance& surface, const Vec3d& p) {
    double farthest = -1e300;
    for (const Vec4& plane : shape.geometry->planes) {
        const Vec3d n = toDouble(xyz(plane)).cwiseQuotient(toDouble(shape.scale));
        farthest = std::max(farthest, (dot(n, p) - plane.w) / length(n));
    }
    return farthest > 0 ? surface.closest(p).distance : farthest;
}

// The volume's own distance, along the gradient of the scaled one: exact at the surface.
double distanceToField(const Shape& shape, const Vec3d& p) {
    const DistanceVolume& volume = shape.geometry->volume;
    const Vec3 q = toFloat(p.cwiseQuotient(toDouble(shape.scale))), g = volumeGradient(volume, q);
    return volumeDistance(volume, q) / length(toDouble(g).cwiseQuotient(toDouble(shape.scale)));
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
    m_position = toDouble(pose.position);
    m_back = toDouble(pose.rotation).conjugate();
    if (shape.kind != ShapeKind::convex && shape.kind != ShapeKind::mesh) return;
    m_surface = surfaceOf(shape);
}

double ShapeDistance::operator()(const Vec3d& p) const {
    const Vec3d q = rotate(m_back, p - m_position);
    double distance = 0;
    switch (m_shape.kind) {
        case ShapeKind::plane:
            distance = q[1];
            break;
        case ShapeKind::box:
            distance = distanceToBox(q, toDouble(m_shape.halfExtents));
            break;
        case ShapeKind::sphere:
            distance = length(q) - m_shape.radius;
            break;
        case ShapeKind::capsule: {
            const double half = m_shape.halfLength, along = std::clamp(q[1], -half, half);
            distance = length({q[0], q[1] - along, q[2]}) - m_shape.radius;
            break;
        }
        case ShapeKind::convex:
            distance = distanceToHull(m_shape, *m_surface, q);
            break;
        case ShapeKind::sdf:
            distance = distanceToField(m_shape, q);
            break;
        case ShapeKind::mesh:
            return m_surface->closest(q).distance;
    }
    return m_shape.container ? -distance : distance;
}

}  // namespace coalesce
