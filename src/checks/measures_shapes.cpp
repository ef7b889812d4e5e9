// Who got through collision shapes.
#include <cmath>
#include <deque>
#include <mutex>

#include "checks/measures.h"

namespace coalesce::measures {

namespace {

// Where a point was, as the shape sees it, before scaling.
Vec3d seenFrom(const Shape& shape, double time, const Vec3d& x) {
    const Pose pose = poseAt(shape, time);
    return rotate(toDouble(pose.rotation).conjugate(), x - toDouble(pose.position))
        .cwiseQuotient(toDouble(shape.scale));
}

double volume(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& d) {
    const Vec3d u = b - a, v = c - a, w = d - a;
    return dot(u, cross(v, w));
}

bool passesTriangle(const Vec3d& p, const Vec3d& q, const Vec3d& a, const Vec3d& b, const Vec3d& c) {
    if (volume(a, b, c, p) * volume(a, b, c, q) >= 0) return false;
    const double x = volume(p, q, a, b), y = volume(p, q, b, c), z = volume(p, q, c, a);
    return (x >= 0 && y >= 0 && z >= 0) || (x <= 0 && y <= 0 && z <= 0);
}

// Whether the straight way goes through the surface of the shape.
bool passes(const TriangleBvh& surface, const Vec3d& from, const Vec3d& to) {
    const Vec3 a = toFloat(from), b = toFloat(to);
    const Bounds way = boundsOfPath(a, b, 1e-5f * (length(a) + length(b)));
    const TriangleMesh& mesh = surface.mesh;
    const std::vector<BvhNode>& nodes = surface.nodes;
    bool found = false;
    walk(
        View<const BvhNode>(nodes.data(), nodes.size()), 0, static_cast<int>(nodes.size()),
        [&](const Bounds& box) { return overlap(box, way); },
        [&](int k) {
            const Triangle& t = mesh.triangles[static_cast<size_t>(k)];
            found |= passesTriangle(from, to, toDouble(mesh.vertices[t[0]]), toDouble(mesh.vertices[t[1]]),
                                    toDouble(mesh.vertices[t[2]]));
        });
    return found;
}

// The triangles of a form in a tree; asked for in every frame.
std::shared_ptr<const TriangleBvh> surfaceOf(const std::shared_ptr<const ShapeGeometry>& geometry) {
    static std::mutex mutex;
    static std::deque<std::pair<std::shared_ptr<const ShapeGeometry>, std::shared_ptr<const TriangleBvh>>>
        cache;
    const std::lock_guard lock(mutex);
    for (const auto& [known, surface] : cache)
        if (known == geometry) return surface;
    cache.push_front({geometry, std::make_shared<TriangleBvh>(buildBvh(geometry->surface))});
    if (cache.size() > 32) cache.pop_back();
    return cache.front().second;
}

}  // namespace

Measured passed(const MeasureContext& s) {
    const std::string name = s.word("shape", "shapes");
    for (size_t k = 0; k < s.now.shapes.size() && k < s.state.since.shapes.size(); ++k) {
        const Shape &shape = s.now.shapes[k], &past = s.state.since.shapes[k];
        if (shape.kind < ShapeKind::convex || shape.trigger || (name != "shapes" && shape.name != name))
            continue;
        const auto surface = surfaceOf(shape.geometry);
        for (const uint32_t i : s.selected)
            if (const auto before = findId(s.state.since, s.now.id[i]);
                before && passes(*surface, seenFrom(past, s.state.since.time, s.state.since.x[*before]),
                                 seenFrom(shape, s.now.time, s.now.x[i])))
                s.state.gone.insert(s.now.id[i]);
    }
    s.state.since = s.now;
    return static_cast<double>(s.state.gone.size());
}

}  // namespace coalesce::measures
