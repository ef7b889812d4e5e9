// Distance to meshes, what is inside them, solids made from them, and distance volumes.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>

#include "core/error.h"
#include "geometry/mesh/mesh_reader.h"
#include "geometry/query/mesh_distance.h"
#include "geometry/shapes/distance_volume.h"
#include "geometry/shapes/sample.h"
#include "meshes.h"
#include "support/random_values.h"

namespace coalesce {
namespace {

Vec3d randomPoint(uint64_t seed, uint64_t i, float reach) {
    return toDouble(test::randomVec3(seed, i, -reach, reach));
}

TEST(ClosestOnTriangle, IsTheNearestPoint) {
    for (uint64_t i = 0; i < 400; ++i) {
        const Vec3d a = randomPoint(1, i, 1), b = randomPoint(2, i, 1), p = randomPoint(4, i, 2);
        // some triangles are needles, lines and points
        Vec3d c = randomPoint(3, i, 1);
        if (i % 8 == 1) c = a + 0.3 * (b - a);
        if (i % 8 == 2) c = b;
        if (i % 64 == 3) c = a + 1e-5 * (c - a);
        const Vec3d q = closestOnTriangle(p, a, b, c);
        EXPECT_NEAR(length(p - q), test::searchedDistance(p, a, b, c), 1e-6);
        EXPECT_LT(test::searchedDistance(q, a, b, c), 1e-6) << "the point lies on the triangle";
    }
    EXPECT_EQ(length(closestOnTriangle({3, 0, 0}, {1, 0, 0}, {1, 0, 0}, {1, 0, 0}) - Vec3d{1, 0, 0}), 0);
}

TEST(MeshDistance, EqualsBruteForceOverTriangles) {
    TriangleMesh soup;
    for (uint32_t t = 0; t < 500; ++t) {
        const Vec3 at = test::randomVec3(5, t, -1, 1);
        for (uint32_t k = 0; k < 3; ++k)
            soup.vertices.push_back(at + test::randomVec3(6, 3 * t + k, -0.2f, 0.2f));
        soup.triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
    }
    const MeshDistance distance(soup);
    for (uint64_t i = 0; i < 500; ++i) {
        const Vec3d p = randomPoint(7, i, 2);
        const auto closest = distance.closest(p);
        EXPECT_NEAR(closest.distance, test::plainDistance(soup, p), 1e-12);
        EXPECT_NEAR(length(closest.point - p), closest.distance, 1e-12);
        EXPECT_NEAR(distance.windingNumber(p), distance.windingNumber(p, 1e9), 0.05)
            << "dipoles against triangles";
    }
}

TEST(WindingNumber, IsOneInsideAndZeroOutside) {
    const MeshDistance ball(test::ballMesh(24));
    for (uint64_t i = 0; i < 1000; ++i) {
        const Vec3d p = randomPoint(8, i, 1.5f);
        if (std::abs(length(p) - 1) < 0.02) continue;
        EXPECT_NEAR(ball.windingNumber(p), length(p) < 1 ? 1 : 0, 0.06);
        EXPECT_NEAR(ball.windingNumber(p, 1e9), length(p) < 1 ? 1 : 0, 1e-9) << "exact without dipoles";
    }
}

TEST(WindingNumber, IsRobustForBrokenMeshes) {
    const TriangleMesh whole = test::ballMesh(24);
    TriangleMesh missing = whole, turned = whole, twice = whole, soup;
    // a hole, one triangle of 25 turned, one of 25 doubled
    missing.triangles.erase(std::remove_if(missing.triangles.begin(), missing.triangles.end(),
                                           [&](const Triangle& t) {
                                               const Vec3& v = missing.vertices[t[0]];
                                               return v.y > 0.9f;
                                           }),
                            missing.triangles.end());
    for (size_t t = 0; t < turned.triangles.size(); t += 25)
        std::swap(turned.triangles[t][0], turned.triangles[t][1]);
    for (size_t t = 0; t < whole.triangles.size(); t += 25) twice.triangles.push_back(whole.triangles[t]);
    ASSERT_LT(missing.triangles.size(), whole.triangles.size() - 50);
    EXPECT_FALSE(isClosed(missing));
    EXPECT_FALSE(isClosed(turned));
    EXPECT_FALSE(isClosed(twice));
    EXPECT_TRUE(isClosed(whole));
    for (const TriangleMesh* mesh : {&missing, &turned, &twice}) {
        const MeshDistance distance(*mesh);
        int wrong = 0, count = 0;
        for (uint64_t i = 0; i < 4000; ++i) {
            const Vec3d p = randomPoint(9, i, 1.2f);
            // away from the surface by a quarter of its radius, as near to flaws anything goes
            if (std::abs(length(p) - 1) < 0.25) continue;
            ++count;
            wrong += (distance.windingNumber(p) > 0.5) != (length(p) < 1);
        }
        EXPECT_LE(wrong, count / 200);
    }
}

// ---- solids from files ----

struct MeshFile {
    std::filesystem::path path;
    MeshFile(const std::string& name, const TriangleMesh& mesh)
        : path(std::filesystem::path(testing::TempDir()) / (name + ".obj")) {
        std::ofstream out(path);
        for (const Vec3& v : mesh.vertices) out << fmt::format("v {} {} {}\n", v.x, v.y, v.z);
        for (const Triangle& t : mesh.triangles)
            out << fmt::format("f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1);
    }
    ~MeshFile() { std::filesystem::remove(path); }
};

constexpr double kPi = 3.14159265358979323846;

TEST(MeshSolid, MatchesItsFile) {
    const MeshFile file("clean_ball", test::ballMesh(32));
    std::vector<std::string> notes;
    const auto solid = makeSolid({.mesh = file.path, .height = 2}, &notes);
    EXPECT_TRUE(notes.empty());
    EXPECT_TRUE(solid->closed());
    EXPECT_NEAR(solid->volume() / (4 * kPi / 3), 1, 0.01);
    for (uint64_t i = 0; i < 300; ++i) {
        const Vec3 p = test::randomVec3(10, i, -1.5f, 1.5f);
        EXPECT_NEAR(solid->distance(p), length(p) - 1, 6e-3f);
        if (length(p) > 0.3f) {
            EXPECT_GT(dot(solid->gradient(p), normalizeOr(p, {})), 0.98f);
        }
    }
    const auto flatter = makeSolid({.mesh = file.path, .size = {4, 1, 2}});
    EXPECT_NEAR(flatter->volume() / (4 * kPi / 3), 1, 0.01);
    EXPECT_NEAR(flatter->bounds().high.x, 2, 1e-5f);
}

TEST(MeshSolid, FlipsInvertedMeshes) {
    TriangleMesh ball = test::ballMesh(16);
    for (Triangle& t : ball.triangles) std::swap(t[1], t[2]);
    const MeshFile file("inside_out_ball", ball);
    std::vector<std::string> notes;
    const auto solid = makeSolid({.mesh = file.path}, &notes);
    ASSERT_EQ(notes.size(), 1u);
    EXPECT_NE(notes[0].find("flipped"), std::string::npos);
    EXPECT_LT(solid->distance({0, 0, 0}), -0.45f);
    EXPECT_GT(volumeOf(solid->mesh()), 0);
}

TEST(MeshSolid, ClosesOpenMeshes) {
    TriangleMesh ball = test::ballMesh(32);
    ball.triangles.erase(std::remove_if(ball.triangles.begin(), ball.triangles.end(),
                                        [&](const Triangle& t) { return ball.vertices[t[0]].x > 0.93f; }),
                         ball.triangles.end());
    const MeshFile file("open_ball", ball);
    std::vector<std::string> notes;
    const auto solid = makeSolid({.mesh = file.path, .height = 2}, &notes);
    ASSERT_EQ(notes.size(), 1u);
    EXPECT_NE(notes[0].find("open"), std::string::npos);
    EXPECT_FALSE(solid->closed());
    EXPECT_TRUE(isClosed(solid->surface()));
    EXPECT_NEAR(solid->volume() / (4 * kPi / 3), 1, 0.04);
    EXPECT_EQ(solid->mesh().triangles.size(), ball.triangles.size()) << "drawn as it is in the file";
    EXPECT_NEAR(static_cast<double>(sampleSolid(*solid, 0.1f).size()) * 1e-3 / (4 * kPi / 3), 1, 0.05);
}

TEST(MeshSolid, UsesTheUnionOfSelfIntersectingMeshes) {
    TriangleMesh two = test::ballMesh(24, 1, {-0.5f, 0, 0});
    test::append(two, test::ballMesh(24, 1, {0.5f, 0, 0}));
    const MeshFile file("two_balls", two);
    std::vector<std::string> notes;
    const auto solid = makeSolid({.mesh = file.path, .height = 2}, &notes);
    ASSERT_EQ(notes.size(), 1u);
    EXPECT_NE(notes[0].find("intersects itself"), std::string::npos);
    // two balls without the lens they share, centers at distance 1
    const double lens = kPi * (4 + 1) * (2 - 1) * (2 - 1) / 12;
    EXPECT_NEAR(solid->volume() / (8 * kPi / 3 - lens), 1, 0.02);
    EXPECT_LT(solid->distance({0, 0, 0}), -0.8f) << "no surface inside";
}

TEST(MeshSolid, ReportsErrors) {
    std::vector<std::string> notes;
    const auto bunny = makeSolid({.shape = "bunny", .mesh = "nowhere.ply"}, &notes);
    ASSERT_EQ(notes.size(), 1u);
    EXPECT_EQ(notes[0], "nowhere.ply not found; using the shape bunny instead.");
    EXPECT_NEAR(bunny->volume(), makeSolid({.shape = "bunny"})->volume(), 1e-9);
    TriangleMesh flat;
    flat.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    flat.triangles = {{0, 1, 2}};
    const MeshFile file("flat", flat);
    EXPECT_THROW(makeSolid({.mesh = file.path}), Error);
}

// ---- real meshes, where they are at hand ----

TEST(MeshSolid, HandlesRealMeshes) {
    const char* given = std::getenv("COALESCE_MESHES");
    const std::filesystem::path folder = given ? given : COALESCE_MESH_FOLDER;
    // volumes over height³: of spot by its triangles; the others counted cell by cell with exact solid angles
    struct Case {
        const char* file;
        bool closed;
    };
    for (const Case& c : {Case{"stanford-bunny.obj", false},
                          {"spot.obj", true},
                          {"teapot.obj", false},
                          {"suzanne.obj", false}}) {
        if (!std::filesystem::exists(folder / c.file)) {
            fmt::print("{} is not in {}: this part is left out\n", c.file, folder.string());
            continue;
        }
        SCOPED_TRACE(c.file);
        std::vector<std::string> notes;
        const auto solid = makeSolid({.mesh = folder / c.file}, &notes);
        EXPECT_EQ(solid->closed(), c.closed);
        EXPECT_EQ(notes.empty(), c.closed);
        EXPECT_TRUE(isClosed(solid->surface()));

        // the reference: triangles as they are, without tree and dipoles, at random points
        const TriangleMesh& mesh = solid->mesh();
        const Vec3d low = toDouble(solid->bounds().low), size = toDouble(solid->bounds().high) - low;
        const int points = 4'000'000 / static_cast<int>(mesh.triangles.size());
        const MeshDistance triangles(mesh);
        int inside = 0, differ = 0, count = 0;
        for (int i = 0; i < std::clamp(points, 100, 1500); ++i) {
            const Vec3d u = toDouble(test::randomVec3(11, i, 0, 1)), p = low + size.cwiseProduct(u);
            const double exact = triangles.windingNumber(p, 1e9);
            inside += exact > 0.5;
            ++count;
            // away from the surface, and from the film over a hole, where half is a matter of lattice
            if (std::abs(exact - 0.5) > 0.2 && triangles.closest(p).distance > 0.02)
                differ += (exact > 0.5) != (solid->distanceAt(p) < 0);
        }
        EXPECT_EQ(differ, 0);
        const double share = static_cast<double>(inside) / count,
                     error = std::sqrt(share * (1 - share) / count);
        EXPECT_NEAR(solid->volume() / size.prod(), share, 4 * error + 0.01);
        const float d = 1.0f / 20;
        const auto samples = sampleSolid(*solid, d);
        EXPECT_NEAR(static_cast<double>(samples.size()) * d * d * d / solid->volume(), 1, 0.05);
        if (c.closed) {
            EXPECT_NEAR(solid->volume(), volumeOf(mesh), 1e-9);
        }
    }
}

// ---- distance volumes ----

TEST(DistanceVolume, EqualsTheSolidsDistanceAtItsNodes) {
    const auto ball = test::shape("sphere", 2);
    const DistanceVolume volume = bakeVolume(*ball, 0.1f, 0.3f);
    EXPECT_EQ(volume.nx, 27);
    EXPECT_NEAR(volume.origin.x, -1.3f, 1e-5f);
    ASSERT_EQ(volume.distance.size(), static_cast<size_t>(volume.nx) * volume.ny * volume.nz);
    for (int z = 0; z < volume.nz; z += 5)
        for (int y = 0; y < volume.ny; y += 3)
            for (int x = 0; x < volume.nx; ++x) {
                const Vec3 p =
                    volume.origin +
                    volume.cell * Vec3{static_cast<float>(x), static_cast<float>(y), static_cast<float>(z)};
                EXPECT_NEAR(volume.distance[(static_cast<size_t>(z) * volume.ny + y) * volume.nx + x],
                            length(p) - 1, 1e-5f);
                EXPECT_NEAR(volumeDistance(volume, p), length(p) - 1, 1e-5f);
            }
}

TEST(DistanceVolume, InterpolatesTheDistanceBetweenNodes) {
    const auto ball = test::shape("sphere", 2);
    const DistanceVolume volume = bakeVolume(*ball, 0.1f, 0.3f);
    for (uint64_t i = 0; i < 1000; ++i) {
        const Vec3 p = test::randomVec3(12, i, -1.25f, 1.25f);
        if (length(p) < 0.2f) continue;  // there the distance has a tip
        EXPECT_NEAR(volumeDistance(volume, p), length(p) - 1, 0.1f * 0.1f / length(p));
        EXPECT_GT(dot(volumeGradient(volume, p), normalizeOr(p, {})), 0.95f);
    }
    // outside it grows on, and points away
    EXPECT_NEAR(volumeDistance(volume, {5, 0, 0}), 4, 1e-3f);
    EXPECT_GT(volumeGradient(volume, {5, 0, 0}).x, 0.99f);
    EXPECT_GT(volumeDistance(volume, {5, 5, 5}), 5);
}

TEST(DistanceVolume, RespectsItsMemoryLimit) {
    const auto ball = test::shape("sphere", 2);
    EXPECT_THROW(bakeVolume(*ball, 1e-4f, 0), Error);
    EXPECT_THROW(bakeVolume(*ball, 1e-30f, 0), Error);
    try {
        bakeVolume(*ball, 0.1f, 0.3f, 1 << 16, "a.json:5");
        FAIL() << "did not throw";
    } catch (const Error& error) {
        EXPECT_EQ(error.code, Exit::Scene);
        EXPECT_NE(std::string(error.what()).find("a.json:5: a distance volume of 27 x 27 x 27 nodes"),
                  std::string::npos)
            << error.what();
    }
}

TEST(DistanceVolume, IsRepeatable) {
    const auto bunny = test::shape("bunny");
    EXPECT_EQ(bakeVolume(*bunny, 0.05f, 0.1f).distance, bakeVolume(*bunny, 0.05f, 0.1f).distance);
}

}  // namespace
}  // namespace coalesce
