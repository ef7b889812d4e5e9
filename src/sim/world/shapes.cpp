#include "sim/world/shapes.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "geometry/math/quatd.h"
#include "geometry/shapes/field_cache.h"

namespace coalesce {

namespace {

// the sums of dot products in the order x, y, z, w: their bits enter the simulation
double dotOf(const Quatd& a, const Quatd& b) {
    return a.x() * b.x() + a.y() * b.y() + a.z() * b.z() + a.w() * b.w();
}
Quat toUnit(const Quatd& q) {
    return toFloat(Quatd(q.coeffs() * (1 / std::sqrt(dotOf(q, q)))));
}

// Spherical linear interpolation along the shorter arc.
Quat slerp(Quat from, Quat to, double u) {
    const Quatd a = toDouble(from);
    Quatd b = toDouble(to);
    double cosine = dotOf(a, b);
    if (cosine < 0) b.coeffs() = -b.coeffs(), cosine = -cosine;
    double s = 1 - u, t = u;
    if (cosine < 1 - 1e-9) {
        const double angle = std::acos(cosine), sine = std::sin(angle);
        s = std::sin(s * angle) / sine, t = std::sin(t * angle) / sine;
    }
    return toUnit(Quatd(s * a.coeffs() + t * b.coeffs()));
}

float mixed(float a, float b, double u) {
    return float(a + (double(b) - a) * u);
}

}  // namespace

Pose poseAt(const Shape& shape, double t) {
    if (!shape.keys.empty()) {
        const auto after =
            std::find_if(shape.keys.begin(), shape.keys.end(), [t](const ShapeKey& k) { return k.t > t; });
        if (after == shape.keys.begin()) return {after->position, after->rotation};
        const ShapeKey& a = *(after - 1);
        if (after == shape.keys.end()) return {a.position, a.rotation};
        const double u = (t - a.t) / (after->t - a.t);
        return {{mixed(a.position.x, after->position.x, u), mixed(a.position.y, after->position.y, u),
                 mixed(a.position.z, after->position.z, u)},
                slerp(a.rotation, after->rotation, u)};
    }
    t -= shape.since;
    Pose pose{{float(shape.position.x + shape.velocity.x * t), float(shape.position.y + shape.velocity.y * t),
               float(shape.position.z + shape.velocity.z * t)},
              shape.rotation};
    const Vec3 w = shape.angularVelocity;
    const double rate = std::sqrt(double{w.x} * w.x + double{w.y} * w.y + double{w.z} * w.z);
    if (rate > 0) {
        const double half = 0.5 * rate * t, s = std::sin(half) / rate;
        pose.rotation =
            toUnit(multiply({std::cos(half), w.x * s, w.y * s, w.z * s}, toDouble(shape.rotation)));
    }
    return pose;
}

void startAnew(Shape& shape, double t) {
    if (!shape.keys.empty() || shape.since == t) return;
    const Pose pose = poseAt(shape, t);
    shape.position = pose.position, shape.rotation = pose.rotation, shape.since = t;
}

Bounds boundsOf(const Shape& shape) {
    Vec3 half{shape.radius, shape.radius, shape.radius};
    if (shape.kind == ShapeKind::box) half = shape.halfExtents;
    if (shape.kind == ShapeKind::capsule) half.y += shape.halfLength;
    if (!shape.geometry) return {-half, half};
    return {scaled(shape.scale, shape.geometry->bounds.low),
            scaled(shape.scale, shape.geometry->bounds.high)};
}

Bounds sweptBounds(const Bounds& bounds, const Pose& from, const Pose& to) {
    const Vec3 center = 0.5f * (bounds.low + bounds.high), half = 0.5f * (bounds.high - bounds.low);
    const Quat q = from.rotation;
    Vec3 a = from.position, b = to.position, reach;
    if (q.x == to.rotation.x && q.y == to.rotation.y && q.z == to.rotation.z && q.w == to.rotation.w) {
        a += rotate(q, center), b += rotate(q, center);
        const Vec3 x = rotate(q, {half.x, 0, 0}), y = rotate(q, {0, half.y, 0}),
                   z = rotate(q, {0, 0, half.z});
        reach = {std::abs(x.x) + std::abs(y.x) + std::abs(z.x), std::abs(x.y) + std::abs(y.y) + std::abs(z.y),
                 std::abs(x.z) + std::abs(y.z) + std::abs(z.z)};
    } else {
        const float ball = length(center) + length(half);  // about the position
        reach = {ball, ball, ball};
    }
    const float largest = std::max({std::abs(a.x), std::abs(a.y), std::abs(a.z), std::abs(b.x), std::abs(b.y),
                                    std::abs(b.z), reach.x, reach.y, reach.z});
    const float slack = 1e-5f * largest;  // for rounding
    reach += {slack, slack, slack};
    return {min(a, b) - reach, max(a, b) + reach};
}

namespace {

Bounds boundsOfMesh(const TriangleMesh& mesh) {
    CHECK(!mesh.vertices.empty());
    Bounds box{mesh.vertices[0], mesh.vertices[0]};
    for (const Vec3& v : mesh.vertices) box = {min(box.low, v), max(box.high, v)};
    return box;
}

}  // namespace

std::shared_ptr<const ShapeGeometry> convexGeometry(ConvexHull hull) {
    auto geometry = std::make_shared<ShapeGeometry>();
    geometry->planes = std::move(hull.planes);
    geometry->surface = std::move(hull.mesh);
    geometry->bounds = boundsOfMesh(geometry->surface);
    return geometry;
}

std::shared_ptr<const ShapeGeometry> fieldGeometry(DistanceVolume volume, TriangleMesh surface,
                                                   std::vector<Vec3> motion) {
    auto geometry = std::make_shared<ShapeGeometry>();
    CHECK(volume.nx > 1 && volume.ny > 1 && volume.nz > 1);
    CHECK_EQ(volume.distance.size(), size_t(volume.nx) * volume.ny * volume.nz);
    // the whole grid: its interpolated surface may extend beyond the mesh
    const Vec3 size = volume.cell * Vec3{volume.nx - 1.0f, volume.ny - 1.0f, volume.nz - 1.0f};
    geometry->bounds = {volume.origin, volume.origin + size};
    CHECK(motion.empty() || motion.size() == volume.distance.size());
    geometry->motion = std::move(motion);
    geometry->volume = std::move(volume);
    geometry->surface = std::move(surface);
    return geometry;
}

std::shared_ptr<const ShapeGeometry> DeformingField::between(double from, double to) const {
    TriangleMesh mesh = surface.rest();
    mesh.vertices = surface.verticesAt(to);
    SurfaceField baked = keptSurface(mesh, field, surface.verticesAt(from));
    mesh.normals = smoothNormals(mesh);
    return fieldGeometry(std::move(baked.volume), std::move(mesh), std::move(baked.motion));
}

std::shared_ptr<const ShapeGeometry> meshGeometry(TriangleMesh mesh) {
    auto geometry = std::make_shared<ShapeGeometry>();
    geometry->bounds = boundsOfMesh(mesh);
    geometry->surface = mesh;
    geometry->bvh = buildBvh(std::move(mesh));
    return geometry;
}

Quat quatFromEuler(double x, double y, double z) {
    const Quatd qx{std::cos(x / 2), std::sin(x / 2), 0, 0}, qy{std::cos(y / 2), 0, std::sin(y / 2), 0},
        qz{std::cos(z / 2), 0, 0, std::sin(z / 2)};
    return toUnit(multiply(qz, multiply(qy, qx)));
}

Quat quatFromNormal(Vec3 normal) {
    const double l =
        std::sqrt(double{normal.x} * normal.x + double{normal.y} * normal.y + double{normal.z} * normal.z);
    const double x = normal.x / l, y = normal.y / l, z = normal.z / l;
    if (y < -1 + 1e-12) return {1, 0, 0, 0};  // upside down: half a turn about x
    // half-way between +y and the normal: axis y × n, real part 1 + y·n
    return toUnit({1 + y, z, 0, -x});
}

}  // namespace coalesce
