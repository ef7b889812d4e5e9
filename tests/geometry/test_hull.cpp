// Convex hulls against brute force.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <set>

#include "core/error.h"
#include "geometry/query/hull.h"
#include "meshes.h"
#include "support/random_values.h"

namespace coalesce {
namespace {

double above(const Vec4& plane, Vec3 p) {
    return dot(toDouble(xyz(plane)), toDouble(p)) - plane.w;
}

void expectContains(const ConvexHull& hull, const std::vector<Vec3>& points) {
    double most = -1e30;
    for (const Vec4& plane : hull.planes) {
        EXPECT_NEAR(length(xyz(plane)), 1, 1e-5f);
        double touch = -1e30;
        for (const Vec3& p : points) touch = std::max(touch, above(plane, p));
        most = std::max(most, touch);
        EXPECT_GT(touch, -1e-5 * (1 + std::abs(plane.w))) << "a plane that touches no point";
    }
    EXPECT_LE(most, 0) << "no point may be outside";
}

// The sides of the hull by trying all triples of points: a side has all others behind it.
std::vector<Vec4> bruteForcePlanes(const std::vector<Vec3>& points) {
    std::vector<Vec4> planes;
    for (size_t i = 0; i < points.size(); ++i)
        for (size_t j = 0; j < points.size(); ++j)
            for (size_t k = j + 1; k < points.size(); ++k) {
                if (i == j || i == k) continue;
                const Vec3d a = toDouble(points[i]);
                const Vec3d n = normalizeOr(cross(toDouble(points[j]) - a, toDouble(points[k]) - a), {});
                if (length(n) < 0.5) continue;
                const double w = dot(n, a);
                if (std::all_of(points.begin(), points.end(),
                                [&](Vec3 p) { return dot(n, toDouble(p)) < w + 1e-7; }))
                    planes.push_back(vec4(toFloat(n), static_cast<float>(w)));
            }
    return planes;
}

bool sameSides(const std::vector<Vec4>& a, const std::vector<Vec4>& b) {
    return std::all_of(a.begin(), a.end(), [&](const Vec4& p) {
        return std::any_of(b.begin(), b.end(), [&](const Vec4& q) {
            return dot(xyz(p), xyz(q)) > 1 - 1e-5f && std::abs(p.w - q.w) < 1e-4f;
        });
    });
}

TEST(Hull, EqualsBruteForce) {
    for (uint64_t cloud = 0; cloud < 30; ++cloud) {
        std::vector<Vec3> points;
        const uint64_t count = 4 + cloud;
        for (uint64_t i = 0; i < count; ++i) points.push_back(test::randomVec3(cloud, i, -1, 1));
        const ConvexHull hull = convexHull(points, 256);
        expectContains(hull, points);
        const auto reference = bruteForcePlanes(points);
        EXPECT_TRUE(sameSides(hull.planes, reference)) << "cloud " << cloud;
        EXPECT_TRUE(sameSides(reference, hull.planes)) << "cloud " << cloud;
        EXPECT_TRUE(isClosed(hull.mesh));
    }
}

TEST(Hull, MergesCoplanarFaces) {
    std::vector<Vec3> points;
    for (int x = 0; x <= 4; ++x)
        for (int y = 0; y <= 4; ++y)
            for (int z = 0; z <= 4; ++z)
                points.push_back({0.1f * static_cast<float>(x), 0.3f * static_cast<float>(y),
                                  0.7f * static_cast<float>(z)});
    ConvexHull hull = convexHull(points);
    EXPECT_EQ(hull.planes.size(), 6u);
    EXPECT_EQ(hull.mesh.triangles.size(), 12u);
    EXPECT_NEAR(volumeOf(hull.mesh), 0.4 * 1.2 * 2.8, 1e-5);
    expectContains(hull, points);
    // turned and far from the origin
    const Quat turn = test::randomRotation(5, 0);
    for (Vec3& p : points) p = rotate(turn, p) + Vec3{10, -20, 30};
    hull = convexHull(points);
    EXPECT_EQ(hull.planes.size(), 6u);
    EXPECT_NEAR(volumeOf(hull.mesh), 0.4 * 1.2 * 2.8, 1e-3);
    expectContains(hull, points);
}

TEST(Hull, GrowsLittleWithFewPlanes) {
    const TriangleMesh ball = test::ballMesh(24);
    double last = 1e30;
    for (const int planes : {6, 12, 24, 64, 128}) {
        const ConvexHull hull = convexHull(ball.vertices, planes);
        EXPECT_LE(hull.planes.size(), static_cast<size_t>(planes));
        expectContains(hull, ball.vertices);
        EXPECT_TRUE(isClosed(hull.mesh));
        const double volume = volumeOf(hull.mesh);
        EXPECT_GT(volume, volumeOf(ball));
        EXPECT_LT(volume, last);
        last = volume;
    }
    EXPECT_LT(volumeOf(convexHull(ball.vertices, 64).mesh) / volumeOf(ball), 1.12);
}

TEST(Hull, ContainsThinAndLargeShapes) {
    for (const SolidShapeInfo& info : solidShapes()) {
        SCOPED_TRACE(info.name);
        for (const Vec3 size : {Vec3{}, Vec3{1, 1, 0.002f}, Vec3{1000, 300, 500}}) {
            const auto solid = test::shape(info.name, 1, size);
            const ConvexHull hull = convexHull(solid->mesh().vertices);
            EXPECT_LE(hull.planes.size(), 64u);
            EXPECT_GE(hull.planes.size(), 6u);
            expectContains(hull, solid->mesh().vertices);
            EXPECT_TRUE(isClosed(hull.mesh));
            EXPECT_GE(volumeOf(hull.mesh), (1 - 1e-4) * solid->volume());
        }
    }
    // convex shapes are their own hulls
    for (const char* name : {"brick", "rock"}) {
        const auto solid = test::shape(name, 1, {}, 3);
        EXPECT_NEAR(volumeOf(convexHull(solid->mesh().vertices).mesh) / solid->volume(), 1, 5e-3) << name;
    }
}

TEST(Hull, RejectsDegenerateInput) {
    const auto messageOf = [](const std::vector<Vec3>& points) -> std::string {
        try {
            convexHull(points, 64, "a.json:7");
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_EQ(messageOf({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}),
              "a.json:7: a convex hull needs at least four points");
    EXPECT_NE(messageOf({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}).find("lie in a plane"),
              std::string::npos);
    EXPECT_NE(messageOf({{0, 0, 0}, {1, 0, 1}, {0, 1, 1}, {1, 1, 2}, {2, 1, 3}}).find("lie in a plane"),
              std::string::npos);
    EXPECT_NE(messageOf({{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}}).find("lie in a plane"),
              std::string::npos);
    EXPECT_NE(messageOf({{0, 0, 0}, {1, 2, 3}, {2, 4, 6}, {3, 6, 9}}).find("lie in a plane"),
              std::string::npos);
    EXPECT_NE(messageOf({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, NAN}}).find("not finite"),
              std::string::npos);
}

TEST(Hull, ContainsDegenerateClouds) {
    // many equal points, points in lines and planes of a body, needles, clusters
    for (uint64_t cloud = 0; cloud < 200; ++cloud) {
        std::vector<Vec3> points;
        for (uint64_t i = 0; i < 60; ++i) {
            Vec3 p = test::randomVec3(cloud, i, -1, 1);
            if (cloud % 4 == 0) p = {std::round(2 * p.x) / 2, std::round(2 * p.y) / 2, std::round(p.z)};
            if (cloud % 4 == 1) p.x *= 1e-4f;
            if (cloud % 4 == 2) p = (i % 2 ? 1.0f : 1e-6f) * p;
            if (cloud % 4 == 3) p = normalizeOr(p, {1, 0, 0}) + Vec3{100, 0, 0};
            points.push_back(p);
        }
        SCOPED_TRACE(cloud);
        const ConvexHull hull = convexHull(points);
        expectContains(hull, points);
        EXPECT_GT(volumeOf(hull.mesh), 0);
    }
}

// All other sides meet in one corner: the middle of the hull must not be sought there.
TEST(Hull, OfATetrahedronHasFourFaces) {
    const std::vector<Vec3> corners = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 3}};
    const ConvexHull hull = convexHull(corners);
    EXPECT_EQ(hull.planes.size(), 4u);
    EXPECT_EQ(hull.mesh.triangles.size(), 4u);
    EXPECT_NEAR(volumeOf(hull.mesh), 1, 1e-5);
}

TEST(Hull, OfAPyramidWithManyBasePointsHasFiveFaces) {
    std::vector<Vec3> points = {{0.5f, 1, 0.5f}};
    for (int k = 0; k < 21 * 21; ++k)
        points.push_back({static_cast<float>(k % 21) / 20, 0, static_cast<float>(k / 21) / 20});
    const ConvexHull hull = convexHull(points);
    EXPECT_EQ(hull.planes.size(), 5u);
    EXPECT_NEAR(volumeOf(hull.mesh), 1.0 / 3, 1e-5);
}

}  // namespace
}  // namespace coalesce
