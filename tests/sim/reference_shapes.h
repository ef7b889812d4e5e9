// Signed distances to shapes in double, from their definitions; shares no code with kernels/shapes/shape.h.
#pragma once

#include <functional>
#include <map>

#include "sim/make_world.h"

namespace coalesce::test {

// Rotates by a quaternion: q a q*, written out.
inline Vec3d turn(Quat q, Vec3d a) {
    const Vec3d u{q.x, q.y, q.z};
    const double w = q.w;
    return 2 * dot(u, a) * u + (w * w - dot(u, u)) * a + 2 * w * cross(u, a);
}
inline Vec3d inShape(const Pose& pose, Vec3d x) {
    return turn({-pose.rotation.x, -pose.rotation.y, -pose.rotation.z, pose.rotation.w},
                x - toDouble(pose.position));
}

// ---- convex, field, mesh ----

// Distance [m] in double of the solid that a field was made of, in its frame before scaling.
using Analytic = std::function<double(Vec3d)>;
inline std::map<const ShapeGeometry*, Analytic>& analytic() {
    static std::map<const ShapeGeometry*, Analytic> all;
    return all;
}

struct HalfSpace {
    Vec3d n;  // n·x ≤ w, unit, scaled
    double w;
};
inline std::vector<HalfSpace> halfSpacesOf(const Shape& s) {
    std::vector<HalfSpace> all;
    for (const Vec4& plane : s.geometry->planes) {
        const Vec3d n{double{plane.x} / s.scale.x, double{plane.y} / s.scale.y, double{plane.z} / s.scale.z};
        all.push_back({(1 / length(n)) * n, plane.w / length(n)});
    }
    return all;
}
// Signed distance to the common part of half spaces n·x ≤ w, scaled: inside, the least of the planes;
// outside, the length of the way to the closest point, by Hildreth's row action method.
inline double hullReference(const Shape& s, Vec3d p) {
    const std::vector<HalfSpace> planes = halfSpacesOf(s);
    double farthest = -1e30;
    for (const auto& [n, w] : planes) farthest = std::max(farthest, dot(n, p) - w);
    if (farthest <= 0) return farthest;
    std::vector<double> lambda(planes.size(), 0.0);
    Vec3d q = p;
    for (int round = 0; round < 3000; ++round) {
        double change = 0;
        for (size_t k = 0; k < planes.size(); ++k) {
            const auto& [n, w] = planes[k];
            const double now = std::max(0.0, lambda[k] + dot(n, q) - w), step = now - lambda[k];
            q = q - step * n;
            lambda[k] = now;
            change = std::max(change, std::abs(step));
        }
        if (change < 1e-12) break;
    }
    return length(p - q);
}

// The deepest that the straight way a … b gets into a hull: its least signed distance, or 1 when it stays
// outside. The way is clipped against every plane; the distance of what is left, which is convex along it, is
// least where two of its lines cross or at an end.
inline double deepestInHull(const Shape& s, Vec3d a, Vec3d b) {
    struct Line {
        double at0, slope;  // distance from one plane at a + t (b − a)
    };
    std::vector<Line> lines;
    double enter = 0, leave = 1;
    for (const auto& [n, w] : halfSpacesOf(s)) {
        const Line line{dot(n, a) - w, dot(n, b - a)};
        lines.push_back(line);
        if (line.slope < 0)
            enter = std::max(enter, line.at0 / -line.slope);
        else if (line.slope > 0)
            leave = std::min(leave, line.at0 / -line.slope);
        else if (line.at0 > 0)
            return 1;
    }
    if (enter > leave) return 1;
    const auto distance = [&](double t) {
        double farthest = -1e30;
        for (const Line& line : lines) farthest = std::max(farthest, line.at0 + t * line.slope);
        return farthest;
    };
    double deepest = std::min(distance(enter), distance(leave));
    for (const Line& p : lines)
        for (const Line& q : lines)
            if (p.slope < q.slope) {
                const double t = (p.at0 - q.at0) / (q.slope - p.slope);
                if (t > enter && t < leave) deepest = std::min(deepest, distance(t));
            }
    return deepest;
}

struct DoubleTriangle {
    Vec3d a, b, c;
};
inline std::vector<DoubleTriangle> trianglesOf(const Shape& s) {
    const TriangleMesh& mesh = s.geometry->surface;
    const auto at = [&](uint32_t v) {
        const Vec3 x = mesh.vertices[v];
        return Vec3d{double{x.x} * s.scale.x, double{x.y} * s.scale.y, double{x.z} * s.scale.z};
    };
    std::vector<DoubleTriangle> all;
    for (const Triangle& t : mesh.triangles) all.push_back({at(t[0]), at(t[1]), at(t[2])});
    return all;
}
inline double distanceToSegment(Vec3d a, Vec3d b, Vec3d p) {
    const double t = std::clamp(dot(p - a, b - a) / std::max(dot(b - a, b - a), 1e-300), 0.0, 1.0);
    return length(p - (a + t * (b - a)));
}
inline double distanceToTriangle(const DoubleTriangle& t, Vec3d p) {
    double best = std::min(
        {distanceToSegment(t.a, t.b, p), distanceToSegment(t.b, t.c, p), distanceToSegment(t.c, t.a, p)});
    const Vec3d n = cross(t.b - t.a, t.c - t.a);
    const double l = length(n);
    if (l == 0) return best;
    const double height = dot(n, p - t.a) / l;
    const Vec3d q = p - (height / l) * n;
    const bool over = dot(cross(t.b - t.a, q - t.a), n) >= 0 && dot(cross(t.c - t.b, q - t.b), n) >= 0 &&
                      dot(cross(t.a - t.c, q - t.c), n) >= 0;
    return over ? std::min(best, std::abs(height)) : best;
}
inline double meshReference(const Shape& s, Vec3d p) {
    double best = 1e30;
    for (const DoubleTriangle& t : trianglesOf(s)) best = std::min(best, distanceToTriangle(t, p));
    return best;
}
// whether a straight way goes through the mesh
inline bool crosses(const Shape& s, Vec3d a, Vec3d b) {
    const auto volume = [](Vec3d p, Vec3d q, Vec3d r, Vec3d o) { return dot(cross(q - p, r - p), o - p); };
    for (const DoubleTriangle& t : trianglesOf(s)) {
        const double before = volume(t.a, t.b, t.c, a), after = volume(t.a, t.b, t.c, b);
        if (before * after >= 0) continue;
        const double x = volume(a, b, t.a, t.b), y = volume(a, b, t.b, t.c), z = volume(a, b, t.c, t.a);
        if ((x >= 0 && y >= 0 && z >= 0) || (x <= 0 && y <= 0 && z <= 0)) return true;
    }
    return false;
}

// Distance [m] of p (in the shape's frame) from its surface: positive where particles may be.
inline double distanceInShape(const Shape& s, Vec3d p) {
    double d = 0;
    switch (s.kind) {
        case ShapeKind::plane:
            return p.y();
        case ShapeKind::sphere:
            d = length(p) - s.radius;
            break;
        case ShapeKind::capsule:
            d = length(p - Vec3d{0, std::clamp<double>(p.y(), -s.halfLength, s.halfLength), 0}) - s.radius;
            break;
        case ShapeKind::box: {
            const Vec3d q{std::abs(p.x()) - s.halfExtents.x, std::abs(p.y()) - s.halfExtents.y,
                          std::abs(p.z()) - s.halfExtents.z};
            const Vec3d out{std::max(q.x(), 0.0), std::max(q.y(), 0.0), std::max(q.z(), 0.0)};
            d = length(out) + std::min(std::max({q.x(), q.y(), q.z()}), 0.0);
            break;
        }
        case ShapeKind::convex:
            d = hullReference(s, p);
            break;
        case ShapeKind::sdf:  // under equal scales
            d = s.scale.x * analytic().at(s.geometry.get())((1.0 / s.scale.x) * p);
            break;
        case ShapeKind::mesh:
            return meshReference(s, p);
    }
    return s.container ? -d : d;
}
inline double distanceFrom(const Shape& s, double time, Vec3d x) {
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

// ---- forms of convex, field and mesh shapes ----

// A polytope whose planes touch the unit ball at random places.
inline std::shared_ptr<const ShapeGeometry> polytope(int planes, uint64_t seed) {
    ConvexHull hull;
    // near the corners of a cube first, so that it is closed
    for (int k = 0; k < planes; ++k) {
        const Vec3 corner{k & 1 ? 1.0f : -1.0f, k & 2 ? 1.0f : -1.0f, k & 4 ? 1.0f : -1.0f};
        const Vec3 n =
            normalizeOr((k < 8 ? 1.0f : 0.0f) * corner + randomVec3(seed, k, -0.5f, 0.5f), {0, 1, 0});
        hull.planes.push_back(vec4(n, 1.0f));
    }
    hull.mesh.vertices = {{-4, -4, -4}, {4, 4, 4}};  // a box that holds it
    return convexGeometry(std::move(hull));
}
inline std::shared_ptr<const ShapeGeometry> boxHull(Vec3 half) {
    ConvexHull hull;
    hull.planes = {{1, 0, 0, half.x},  {-1, 0, 0, half.x}, {0, 1, 0, half.y},
                   {0, -1, 0, half.y}, {0, 0, 1, half.z},  {0, 0, -1, half.z}};
    hull.mesh.vertices = {-half, half};
    return convexGeometry(std::move(hull));
}
// A solid given by its distance, on a grid over −half … half.
inline std::shared_ptr<const ShapeGeometry> fieldOf(Vec3 half, float cell, const Analytic& distance) {
    DistanceVolume volume;
    volume.origin = -half;
    volume.cell = cell;
    volume.nx = static_cast<int>(std::ceil(2 * half.x / cell)) + 1;
    volume.ny = static_cast<int>(std::ceil(2 * half.y / cell)) + 1;
    volume.nz = static_cast<int>(std::ceil(2 * half.z / cell)) + 1;
    for (int k = 0; k < volume.nz; ++k)
        for (int j = 0; j < volume.ny; ++j)
            for (int i = 0; i < volume.nx; ++i)
                volume.distance.push_back(static_cast<float>(distance(
                    {-half.x + double{cell} * i, -half.y + double{cell} * j, -half.z + double{cell} * k})));
    const auto geometry = fieldGeometry(std::move(volume), {});
    analytic()[geometry.get()] = distance;
    return geometry;
}
inline double torusReference(double R, double r, Vec3d p) {
    const double across = std::sqrt(p.x() * p.x() + p.z() * p.z()) - R;
    return std::sqrt(across * across + p.y() * p.y()) - r;
}
// A surface of (n + 1) × (n + 1) vertices at(u, v), u and v in 0 … 1.
template <class At>
TriangleMesh clothMesh(int n, At&& at) {
    TriangleMesh mesh;
    for (int j = 0; j <= n; ++j)
        for (int i = 0; i <= n; ++i)
            mesh.vertices.push_back(at(static_cast<float>(i) / n, static_cast<float>(j) / n));
    const auto vertex = [n](int i, int j) { return static_cast<uint32_t>(j * (n + 1) + i); };
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
            mesh.triangles.push_back({vertex(i, j), vertex(i, j + 1), vertex(i + 1, j)});
            mesh.triangles.push_back({vertex(i + 1, j), vertex(i, j + 1), vertex(i + 1, j + 1)});
        }
    return mesh;
}
inline TriangleMesh ballMesh(int n, float radius) {
    return clothMesh(n, [radius](float u, float v) {
        const float a = 6.2831853f * (u == 1 ? 0 : u), b = 3.14159265f * v,
                    s = v == 0 || v == 1 ? 0 : std::sin(b);
        return radius * Vec3{s * std::cos(a), std::cos(b), s * std::sin(a)};
    });
}
inline TriangleMesh boxMesh(Vec3 half) {
    TriangleMesh mesh;
    for (int k = 0; k < 8; ++k)
        mesh.vertices.push_back(
            {k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z});
    const uint32_t quads[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                  {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    for (const auto& q : quads)
        mesh.triangles.push_back({q[0], q[1], q[2]}), mesh.triangles.push_back({q[0], q[2], q[3]});
    return mesh;
}
inline Shape formShape(const char* name, ShapeKind kind, std::shared_ptr<const ShapeGeometry> geometry,
                       Quat rotation = {}, Vec3 scale = {1, 1, 1}) {
    Shape s;
    s.name = name, s.kind = kind;
    s.geometry = std::move(geometry), s.rotation = rotation, s.scale = scale;
    return s;
}

}  // namespace coalesce::test
