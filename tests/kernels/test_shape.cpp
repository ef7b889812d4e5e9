// Collision shapes against searches in double that share no formula with them.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <optional>
#include <vector>

#include "geometry/query/bvh_builder.h"
#include "kernels/shapes/shape.h"
#include "support/random_values.h"

namespace coalesce {
namespace {

struct Double3 {
    double x, y, z;
};
Double3 toDouble(Vec3 a) {
    return {a.x, a.y, a.z};
}
Vec3 toFloat(Double3 a) {
    return {static_cast<float>(a.x), static_cast<float>(a.y), static_cast<float>(a.z)};
}
Double3 operator+(Double3 a, Double3 b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
Double3 operator-(Double3 a, Double3 b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
Double3 operator*(double s, Double3 a) {
    return {s * a.x, s * a.y, s * a.z};
}
double dotOf(Double3 a, Double3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
double lengthOf(Double3 a) {
    return std::sqrt(dotOf(a, a));
}

// The smallest value of a convex function on [low, high], and where it is, by ternary search.
template <class F>
double smallest(double low, double high, F&& f, double* where = nullptr) {
    for (int i = 0; i < 45; ++i) {
        const double a = low + (high - low) / 3, b = high - (high - low) / 3;
        if (f(a) < f(b))
            high = b;
        else
            low = a;
    }
    if (where) *where = 0.5 * (low + high);
    return f(0.5 * (low + high));
}

// Signed distance to a box: the nearest of all points of its six faces, searched on each.
double boxReference(Double3 half, Double3 p) {
    const double size[3] = {half.x, half.y, half.z}, at[3] = {p.x, p.y, p.z};
    double best = 1e300;
    for (int k = 0; k < 3; ++k)
        for (double side : {-1.0, 1.0}) {
            const int u = (k + 1) % 3, v = (k + 2) % 3;
            const double off = at[k] - side * size[k];
            best = std::min(
                best, smallest(-size[u], size[u], [&](double s) {
                    return smallest(-size[v], size[v], [&](double t) {
                        return std::sqrt(off * off + (at[u] - s) * (at[u] - s) + (at[v] - t) * (at[v] - t));
                    });
                }));
        }
    const bool inside = std::fabs(p.x) <= half.x && std::fabs(p.y) <= half.y && std::fabs(p.z) <= half.z;
    return inside ? -best : best;
}

// Signed distance to a capsule along y: the nearest point of its axis, searched, less the radius.
double capsuleReference(double radius, double halfLength, Double3 p) {
    return smallest(-halfLength, halfLength,
                    [&](double t) {
                        return lengthOf(p - Double3{0, t, 0});
                    }) -
           radius;
}

constexpr double kDistanceError = 3e-6;  // [m] of float arithmetic on lengths of a few meters

TEST(ShapeDistance, OfBoxesMatchesSearchOverFaces) {
    for (int i = 0; i < 400; ++i) {
        const Vec3 half = test::randomVec3(1, i, 0.05f, 1.5f), p = test::randomVec3(2, i, -2.5f, 2.5f);
        Vec3 normal;
        const double distance = boxDistance(half, p, normal);
        ASSERT_NEAR(distance, boxReference(toDouble(half), toDouble(p)), kDistanceError) << "case " << i;
        ASSERT_NEAR(length(normal), 1, 1e-6);
        // stepping back along the normal by the distance leads to the surface
        ASSERT_NEAR(boxReference(toDouble(half), toDouble(p) - distance * toDouble(normal)), 0,
                    kDistanceError)
            << "case " << i;
        // and a step outward increases the distance
        ASSERT_GT(boxReference(toDouble(half), toDouble(p) + 1e-3 * toDouble(normal)), distance + 0.5e-3)
            << "case " << i;
    }
}

TEST(ShapeDistance, OfCapsulesAndSpheresMatchesSearchOnAxis) {
    for (int i = 0; i < 2000; ++i) {
        const float radius = test::randomFloat(3, 2 * i, 0.05f, 1),
                    halfLength = i % 3 ? test::randomFloat(3, 2 * i + 1, 0, 1) : 0;
        const Vec3 p = test::randomVec3(4, i, -2.5f, 2.5f);
        Vec3 normal;
        const double distance = capsuleDistance(radius, halfLength, p, normal);
        ASSERT_NEAR(distance, capsuleReference(radius, halfLength, toDouble(p)), kDistanceError)
            << "case " << i;
        ASSERT_NEAR(length(normal), 1, 1e-6);
        ASSERT_NEAR(capsuleReference(radius, halfLength, toDouble(p) - distance * toDouble(normal)), 0,
                    kDistanceError)
            << "case " << i;
    }
}

TEST(ShapeDistance, HasAUnitNormalAtDegeneratePoints) {
    Vec3 normal;
    EXPECT_EQ(boxDistance({1, 1, 1}, {0, 0, 0}, normal), -1);
    EXPECT_EQ(length(normal), 1);
    EXPECT_EQ(boxDistance({1, 1, 1}, {1, 1, 1}, normal), 0);
    EXPECT_EQ(length(normal), 1);
    EXPECT_EQ(capsuleDistance(0.5f, 1, {0, 0.25f, 0}, normal), -0.5f);
    EXPECT_EQ(length(normal), 1);
}

// ---- sweeps ----

// First share of the way a -> b where f(x) ≤ 0, for a convex f that is positive at a: the deepest point of
// the way by ternary search, then bisection before it. Without a value: none. Paths that graze within 2 mm,
// where float and double may disagree, are reported separately.
struct Sweep {
    std::optional<double> hit;
    bool grazing = false;
};
Sweep sweepReference(Double3 a, Double3 b, const std::function<double(Double3)>& f) {
    const auto at = [&](double t) { return f(a + t * (b - a)); };
    double deepest = 0;
    const double depth = smallest(0, 1, at, &deepest);
    if (std::fabs(depth) < 2e-3) return {std::nullopt, true};
    if (depth > 0) return {};
    double low = 0, high = deepest;
    for (int k = 0; k < 50; ++k) (at(0.5 * (low + high)) > 0 ? low : high) = 0.5 * (low + high);
    return {high, false};
}

// Compares a sweep with its reference over random segments that begin outside.
void expectSweep(const char* name, uint64_t seed, const std::function<double(Double3)>& outside,
                 const std::function<float(Vec3, Vec3)>& sweep) {
    int hits = 0, misses = 0;
    for (int i = 0; i < 2000; ++i) {
        const Vec3 a = test::randomVec3(seed, 2 * i, -3, 3), b = test::randomVec3(seed, 2 * i + 1, -3, 3);
        if (outside(toDouble(a)) < 1e-3) continue;
        const Sweep expected = sweepReference(toDouble(a), toDouble(b), outside);
        if (expected.grazing) continue;
        const float t = sweep(a, b);
        if (expected.hit) {
            ++hits;
            ASSERT_NEAR(t, *expected.hit, 1e-4) << name << ", case " << i;
        } else {
            ++misses;
            ASSERT_LT(t, 0) << name << ", case " << i;
        }
    }
    EXPECT_GT(hits, 50) << name;
    EXPECT_GT(misses, 50) << name;
}

TEST(ShapeSweep, FindsTheFirstHitOfABox) {
    for (const Vec3 half : {Vec3{0.5f, 0.7f, 0.3f}, Vec3{1.2f, 0.1f, 1.0f}}) {
        const float r = 0.1f;
        // grown by r with sharp edges: positive where any axis is beyond
        const auto outside = [&](Double3 p) {
            return std::max(
                {std::fabs(p.x) - half.x - r, std::fabs(p.y) - half.y - r, std::fabs(p.z) - half.z - r});
        };
        expectSweep("box", 10, outside, [&](Vec3 a, Vec3 b) {
            Vec3 normal{};
            const float t = sweepBox(half, r, a, b, normal);
            if (t >= 0) {
                // the face's normal points against the path, and the hit lies on that face
                EXPECT_LT(dot(normal, b - a), 0);
                const Vec3 hit = a + t * (b - a);
                EXPECT_NEAR(dot(normal, hit), std::fabs(dot(normal, half)) + r, kDistanceError);
            }
            return t;
        });
    }
}

TEST(ShapeSweep, FindsTheFirstHitOfASphere) {
    const Vec3 center{0.3f, -0.2f, 0.5f};
    const float radius = 0.9f;
    expectSweep(
        "sphere", 11, [&](Double3 p) { return lengthOf(p - toDouble(center)) - radius; },
        [&](Vec3 a, Vec3 b) { return sweepSphere(center, radius, a, b); });
}

TEST(ShapeSweep, FindsTheFirstHitOfACapsule) {
    for (const float halfLength : {0.0f, 0.4f, 1.5f}) {
        const float radius = 0.6f;
        expectSweep(
            "capsule", 12, [&](Double3 p) { return capsuleReference(radius, halfLength, p); },
            [&](Vec3 a, Vec3 b) { return sweepCapsule(radius, halfLength, a, b); });
    }
}

TEST(ShapeSweep, HandlesAxisAlignedAndZeroLengthPaths) {
    Vec3 normal;
    EXPECT_NEAR(sweepBox({1, 1, 1}, 0.5f, {0, 4.5f, 0}, {0, -1.5f, 0}, normal), 0.5, 1e-6);
    EXPECT_EQ(normal, (Vec3{0, 1, 0}));
    EXPECT_LT(sweepBox({1, 1, 1}, 0.5f, {2, 4, 0}, {2, -4, 0}, normal), 0) << "passes beside";
    EXPECT_LT(sweepBox({1, 1, 1}, 0.5f, {0, 4, 0}, {0, 4, 0}, normal), 0) << "does not move";
    EXPECT_LT(sweepSphere({0, 0, 0}, 1, {0, 4, 0}, {0, 4, 0}), 0) << "does not move";
    EXPECT_NEAR(sweepCapsule(0.5f, 1, {0, 4, 0}, {0, 0, 0}), 0.625, 1e-6) << "along the axis, onto the cap";
    EXPECT_LT(sweepCapsule(0.5f, 1, {1, 4, 0}, {1, -4, 0}), 0) << "along the axis, beside";
    EXPECT_LT(sweepCapsule(0.5f, 1, {1, 4, 0}, {1, 4, 0}), 0) << "does not move";
}

// ---- planes ----

ShapeState makeShape(ShapeKind kind, bool container, uint64_t i) {
    ShapeState shape{};
    shape.kind = kind;
    shape.container = container;
    shape.radius = test::randomFloat(20, 4 * i, 0.3f, 0.8f);
    shape.halfLength = kind == ShapeKind::capsule ? test::randomFloat(20, 4 * i + 1, 0.1f, 0.8f) : 0;
    shape.halfExtents = test::randomVec3(21, i, 0.2f, 0.8f);
    shape.present = {test::randomVec3(22, 2 * i, -1, 1), test::randomRotation(23, 2 * i)};
    shape.previous = shape.present;
    return shape;
}
// the same, having moved and turned a little during the substep
void setMoving(ShapeState& shape, uint64_t i) {
    shape.previous.position = shape.present.position + test::randomVec3(24, i, -0.3f, 0.3f);
    const Vec3 turn = test::randomVec3(25, i, -0.1f, 0.1f);
    const float w = std::sqrt(1 - dot(turn, turn));
    shape.previous.rotation = Quat{turn.x, turn.y, turn.z, w} * shape.present.rotation;
}

// signed distance to the surface, positive outside, of a point in the shape's frame
double distanceReference(const ShapeState& shape, Double3 p) {
    if (shape.kind == ShapeKind::plane) return p.y;
    if (shape.kind == ShapeKind::box) return boxReference(toDouble(shape.halfExtents), p);
    return capsuleReference(shape.radius, shape.halfLength, p);
}

// Points of the surface, in the shape's frame: where rays from the middle leave it.
std::vector<Vec3> surfacePoints(const ShapeState& shape) {
    std::vector<Vec3> points;
    for (int k = 0; k < 60; ++k) {
        const Vec3 direction = normalizeOr(test::randomVec3(26, k, -1, 1), {0, 1, 0});
        if (shape.kind == ShapeKind::plane) {
            points.push_back({3 * direction.x, 0, 3 * direction.z});
            continue;
        }
        if (shape.kind == ShapeKind::box) {
            const float t = std::min({shape.halfExtents.x / std::fabs(direction.x),
                                      shape.halfExtents.y / std::fabs(direction.y),
                                      shape.halfExtents.z / std::fabs(direction.z)});
            points.push_back(t * direction);
            continue;
        }
        const float shift = direction.y > 0 ? shape.halfLength : -shape.halfLength;
        points.push_back(shape.radius * direction + Vec3{0, shift, 0});
    }
    return points;
}

// The outward normal at such a point.
Vec3 surfaceNormal(const ShapeState& shape, Vec3 p) {
    if (shape.kind == ShapeKind::box) {
        const Vec3 share{p.x / shape.halfExtents.x, p.y / shape.halfExtents.y, p.z / shape.halfExtents.z};
        const float largest = std::max({std::fabs(share.x), std::fabs(share.y), std::fabs(share.z)});
        if (std::fabs(share.x) == largest) return {std::copysign(1.0f, p.x), 0, 0};
        if (std::fabs(share.y) == largest) return {0, std::copysign(1.0f, p.y), 0};
        return {0, 0, std::copysign(1.0f, p.z)};
    }
    return normalizeOr(p - Vec3{0, std::clamp(p.y, -shape.halfLength, shape.halfLength), 0}, {1, 0, 0});
}

std::vector<ContactPlane> planesOf(const ShapeState& shape, Vec3 start, Vec3 end, float r, float reach) {
    std::vector<ContactPlane> planes;
    findPlanes(shape, {}, start, end, r, reach, reach, [&](ContactPlane p) { planes.push_back(p); });
    return planes;
}

constexpr float kRadius = 0.05f, kReach = 0.08f;  // [m]
constexpr ShapeKind kSolids[] = {ShapeKind::plane, ShapeKind::box, ShapeKind::sphere, ShapeKind::capsule};

// All of a convex solid lies at least r behind each of its planes. A particle that satisfies one plane thus
// does not touch the shape.
TEST(ShapePlanes, KeepTheSolidBehindThem) {
    int found = 0;
    for (uint64_t i = 0; i < 2000; ++i) {
        ShapeState shape = makeShape(kSolids[i % 4], false, i);
        if (i % 3 == 0) setMoving(shape, i);
        const Vec3 start = test::randomVec3(27, 2 * i, -2, 2), end = test::randomVec3(27, 2 * i + 1, -2, 2);
        for (const ContactPlane& plane : planesOf(shape, start, end, kRadius, kReach)) {
            ++found;
            ASSERT_NEAR(length(plane.normal), 1, 1e-5);
            for (Vec3 p : surfacePoints(shape))
                ASSERT_LE(dot(plane.normal, toWorld(shape.present, p)), plane.offset - kRadius + 1e-4)
                    << "case " << i << ", kind " << static_cast<int>(shape.kind);
        }
    }
    EXPECT_GT(found, 200);
}

// Near but not crossing: one plane at the exact distance. Far away: none.
TEST(ShapePlanes, AppearWithinReachOnly) {
    int near = 0, far = 0;
    for (uint64_t i = 0; i < 2000; ++i) {
        const ShapeState shape = makeShape(kSolids[i % 4], false, i);
        const Vec3 p = test::randomVec3(28, i, -1.5f, 1.5f);
        const double distance = distanceReference(shape, toDouble(toShape(shape.present, p)));
        if (std::fabs(distance - kRadius - kReach) < 1e-4) continue;
        const std::vector<ContactPlane> planes = planesOf(shape, p, p, kRadius, kReach);  // it rests
        ASSERT_EQ(planes.size(), distance < kRadius + kReach ? 1u : 0u)
            << "case " << i << ", distance " << distance;
        if (planes.empty()) {
            ++far;
            continue;
        }
        ++near;
        ASSERT_NEAR(dot(planes[0].normal, p) - planes[0].offset, distance - kRadius, 1e-5) << "case " << i;
    }
    EXPECT_GT(near, 100);
    EXPECT_GT(far, 100);
}

// At any speed of particle and shape: a particle that starts outside and would end inside or beyond is
// stopped.
TEST(ShapePlanes, StopFastParticles) {
    int crossings = 0;
    for (uint64_t i = 0; i < 1500; ++i) {
        ShapeState shape = makeShape(kSolids[i % 4], false, i);
        if (i % 2) setMoving(shape, i);
        const Vec3 start = test::randomVec3(29, 2 * i, -2, 2), end = test::randomVec3(29, 2 * i + 1, -2, 2);
        const Double3 a = toDouble(toShape(shape.previous, start)), b = toDouble(toShape(shape.present, end));
        if (distanceReference(shape, a) < kRadius + 1e-3) continue;
        const Sweep path = sweepReference(a, b, [&](Double3 p) {
            return (shape.kind == ShapeKind::box ? std::max({std::fabs(p.x) - shape.halfExtents.x,
                                                             std::fabs(p.y) - shape.halfExtents.y,
                                                             std::fabs(p.z) - shape.halfExtents.z})
                                                 : distanceReference(shape, p)) -
                   kRadius;
        });
        if (!path.hit || path.grazing) continue;
        ++crossings;
        const std::vector<ContactPlane> planes = planesOf(shape, start, end, kRadius, kReach);
        ASSERT_EQ(planes.size(), 1u) << "case " << i << ", kind " << static_cast<int>(shape.kind);
        // it is held where it enters: the hit lies in the plane, and the end behind it
        const Vec3 hit = toWorld(shape.present, toFloat(a + *path.hit * (b - a)));
        if (shape.kind != ShapeKind::plane) {
            ASSERT_NEAR(dot(planes[0].normal, hit), planes[0].offset, 2e-4) << "case " << i;
        }
        ASSERT_LT(dot(planes[0].normal, end), planes[0].offset + 1e-5) << "case " << i;
    }
    EXPECT_GT(crossings, 150);
}

// A fast particle that starts in contact, exactly or up to rounding, must be stopped as well.
TEST(ShapePlanes, StopParticlesThatStartInContact) {
    for (const ShapeKind kind : {ShapeKind::box, ShapeKind::sphere, ShapeKind::capsule}) {
        int escaped = 0, tried = 0;
        for (uint64_t i = 0; i < 2000; ++i) {
            const ShapeState shape = makeShape(kind, false, i);
            const Vec3 p = surfacePoints(shape)[i % 60];
            const Vec3 normal = surfaceNormal(shape, p);
            const Vec3 start = toWorld(shape.present, p + kRadius * normal);
            const Vec3 end = toWorld(shape.present, -4.0f * p);  // through the middle and far beyond
            const std::vector<ContactPlane> planes = planesOf(shape, start, end, kRadius, kReach);
            ++tried;
            bool held = false;
            for (const ContactPlane& plane : planes) held |= dot(plane.normal, end) < plane.offset;
            escaped += !held;
        }
        EXPECT_EQ(escaped, 0) << "kind " << static_cast<int>(kind) << ": of " << tried;
    }
}

// The same at the edge of a box, where a touching ball is closer to the face planes than its radius.
TEST(ShapePlanes, StopParticlesThatStartInContactWithAnEdge) {
    int escaped = 0;
    for (uint64_t i = 0; i < 1000; ++i) {
        const ShapeState shape = makeShape(ShapeKind::box, false, i);
        const float angle = test::randomFloat(32, i, 0.1f, 1.47f);
        const Vec3 normal{std::cos(angle), std::sin(angle), 0};
        const Vec3 p{shape.halfExtents.x, shape.halfExtents.y, 0.5f * shape.halfExtents.z};
        const Vec3 start = toWorld(shape.present, p + kRadius * normal);
        const Vec3 end = toWorld(shape.present, -4.0f * p);  // through the middle and far beyond
        bool held = false;
        for (const ContactPlane& plane : planesOf(shape, start, end, kRadius, kReach))
            held |= dot(plane.normal, end) < plane.offset;
        escaped += !held;
    }
    EXPECT_EQ(escaped, 0);
}

// Containers: a particle that satisfies all planes is inside with a margin of r; inside and away from the
// walls there are no planes.
TEST(ShapePlanes, OfContainersKeepParticlesInside) {
    int held = 0, freeToGo = 0;
    for (uint64_t i = 0; i < 2000; ++i) {
        ShapeState shape = makeShape(kSolids[1 + i % 3], true, i);
        if (i % 2) setMoving(shape, i);
        const Vec3 end = toWorld(shape.present, test::randomVec3(30, i, -1.2f, 1.2f));
        const Vec3 start = shape.previous.position;
        const Double3 b = toDouble(toShape(shape.present, end));
        const double depth = -distanceReference(shape, b);  // [m] inside
        const std::vector<ContactPlane> planes = planesOf(shape, start, end, kRadius, kReach);
        ASSERT_LE(planes.size(), static_cast<size_t>(kMaxPlanesPerShape));
        if (depth > kRadius + kReach + 1e-4) {
            ASSERT_TRUE(planes.empty()) << "case " << i;
            ++freeToGo;
        }
        if (depth < kRadius - 1e-4) {
            ASSERT_FALSE(planes.empty()) << "case " << i;
            // pushed behind each plane, it is inside; one round does for faces at right angles and for one
            // plane
            Vec3 x = end;
            for (const ContactPlane& plane : planes)
                x = x + max(plane.offset - dot(plane.normal, x), 0.0f) * plane.normal;
            ASSERT_GE(-distanceReference(shape, toDouble(toShape(shape.present, x))), kRadius - 1e-4)
                << "case " << i << ", kind " << static_cast<int>(shape.kind);
            ++held;
        }
        // the middle obeys every plane
        for (const ContactPlane& plane : planes)
            ASSERT_GE(dot(plane.normal, shape.present.position), plane.offset) << "case " << i;
    }
    EXPECT_GT(held, 100);
    EXPECT_GT(freeToGo, 50);
}

TEST(ShapePose, PreviousPositionFollowsThePose) {
    for (uint64_t i = 0; i < 500; ++i) {
        ShapeState shape = makeShape(ShapeKind::box, false, i);
        setMoving(shape, i);
        const Vec3 body = test::randomVec3(31, i, -1, 1);
        const Vec3 now = toWorld(shape.present, body), before = toWorld(shape.previous, body);
        EXPECT_LT(length(previousPosition(shape, now) - before), 3e-6);
        EXPECT_LT(length(toShape(shape.present, now) - body), 3e-6);
    }
}

// ---- planes of meshes ----

// A crumpled sheet, and triangles of all sizes around it.
TriangleMesh crumpledSheet() {
    constexpr int kSide = 24;
    TriangleMesh mesh;
    for (int j = 0; j <= kSide; ++j)
        for (int i = 0; i <= kSide; ++i)
            mesh.vertices.push_back(Vec3{float(i) / kSide, 0, float(j) / kSide} +
                                    test::randomVec3(3, mesh.vertices.size(), -0.02f, 0.02f));
    for (uint32_t j = 0; j < kSide; ++j)
        for (uint32_t i = 0; i < kSide; ++i) {
            const uint32_t a = j * (kSide + 1) + i, c = a + kSide + 1;
            mesh.triangles.push_back({a, a + 1, c}), mesh.triangles.push_back({a + 1, c + 1, c});
        }
    for (uint64_t k = 0; k < 200; ++k) {
        const Vec3 at = test::randomVec3(4, k, 0, 1);
        const float size = k % 10 == 0 ? 0.5f : 0.03f;
        const auto first = uint32_t(mesh.vertices.size());
        for (uint64_t corner = 0; corner < 3; ++corner)
            mesh.vertices.push_back(at + test::randomVec3(5, 3 * k + corner, -size, size));
        mesh.triangles.push_back({first, first + 1, first + 2});
    }
    return mesh;
}

// The search leaves out nodes of the tree; in a tree of one leaf there are none to leave out.
TEST(ShapeMesh, PlanesDoNotDependOnTheTree) {
    const TriangleBvh bvh = buildBvh(crumpledSheet());
    std::vector<MeshTriangle> triangles;
    for (const Triangle& t : bvh.mesh.triangles)
        triangles.push_back({bvh.mesh.vertices[t[0]], bvh.mesh.vertices[t[1]], bvh.mesh.vertices[t[2]]});
    const BvhNode all{bvh.nodes[0].low, 0, bvh.nodes[0].high, int32_t(triangles.size())};
    ShapeTables tree, leaf;
    tree.triangles = leaf.triangles = {triangles.data(), triangles.size()};
    tree.nodes = {bvh.nodes.data(), bvh.nodes.size()}, leaf.nodes = {&all, 1};

    std::array<int, kMaxPlanesPerShape + 1> found{};  // searches by number of planes
    for (const Vec3 scale : {Vec3{1, 1, 1}, Vec3{1.3f, 0.4f, 1}})
        for (uint64_t k = 0; k < 4000; ++k) {
            // short and long ways, with and without a search beyond contact
            const float r = 0.02f, length = k % 4 == 0 ? 20 * r : 0.5f * r, reach = k % 3 == 0 ? 0 : 3 * r;
            const Vec3 a = scaled(scale, test::randomVec3(6, k, 0, 1)) - Vec3{0, 0.3f, 0},
                       b = a + length * test::randomVec3(7, k, -1, 1);
            const auto planesIn = [&](const ShapeTables& tables) {
                ShapeState shape{};
                shape.kind = ShapeKind::mesh, shape.count = int32_t(tables.nodes.size), shape.scale = scale;
                std::vector<Vec4> planes;
                meshPlanes(shape, tables, a, b, r, k % 5 == 0 ? 0.5f * r : reach, reach,
                           [&](Vec3 n, float offset) { planes.push_back(vec4(n, offset)); });
                return planes;
            };
            const std::vector<Vec4> expected = planesIn(leaf), planes = planesIn(tree);
            ASSERT_EQ(planes.size(), expected.size()) << k;
            for (size_t j = 0; j < planes.size(); ++j) {
                EXPECT_EQ(xyz(planes[j]), xyz(expected[j])) << k;
                EXPECT_EQ(planes[j].w, expected[j].w) << k;
            }
            ++found[planes.size()];
        }
    for (size_t planes = 0; planes < found.size(); ++planes)
        EXPECT_GT(found[planes], 20) << "too few searches with " << planes << " planes to tell";
}

// Distances below a quarter of a micrometer are 0 where they are compared. The search must end all the same, with
// all planes of a corner.
TEST(ShapeMesh, FindsPlanesAHairAboveATriangle) {
    TriangleMesh corner;  // a floor and two walls
    corner.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {0, 1, 0}};
    corner.triangles = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}};
    const TriangleBvh bvh = buildBvh(corner);
    std::vector<MeshTriangle> triangles;
    for (const Triangle& t : bvh.mesh.triangles)
        triangles.push_back({bvh.mesh.vertices[t[0]], bvh.mesh.vertices[t[1]], bvh.mesh.vertices[t[2]]});
    ShapeTables tables;
    tables.triangles = {triangles.data(), triangles.size()};
    tables.nodes = {bvh.nodes.data(), bvh.nodes.size()};
    ShapeState shape{};
    shape.kind = ShapeKind::mesh, shape.count = int32_t(bvh.nodes.size()), shape.scale = {1, 1, 1};
    const float r = 0.05f;
    for (const float above : {1e-9f, 3e-8f, 1.1e-7f, 2e-7f, 1e-5f, 1e-3f}) {
        const Vec3 p{0.04f, above, 0.045f};
        std::vector<Vec3> normals;
        meshPlanes(shape, tables, p, p, r, 0, 0, [&](Vec3 n, float) { normals.push_back(n); });
        ASSERT_EQ(normals.size(), 3u) << above;
        EXPECT_NEAR(normals[0].y, 1, 1e-5f) << above;
        EXPECT_NEAR(normals[1].x, 1, 1e-5f) << above;
        EXPECT_NEAR(normals[2].z, 1, 1e-5f) << above;
    }
}

}  // namespace
}  // namespace coalesce
