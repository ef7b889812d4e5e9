// Signed distances around broken meshes, sheets and moving surfaces.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <numbers>
#include <tbb/global_control.h>

#include "core/error.h"
#include "geometry/query/mesh_repair.h"
#include "geometry/shapes/surface_animation.h"
#include "geometry/shapes/surface_field.h"
#include "meshes.h"
#include "support/random_values.h"

namespace coalesce {
namespace {

float randomShare(uint64_t seed, uint64_t i) {
    return test::randomVec3(seed, i, 0, 1).x;
}

// Removes the triangles around some vertices: holes.
TriangleMesh withHoles(TriangleMesh mesh, int holes, uint64_t seed) {
    std::vector<bool> open(mesh.vertices.size());
    for (int k = 0; k < holes; ++k)
        open[size_t(randomShare(seed, k) * float(mesh.vertices.size() - 1))] = true;
    std::erase_if(mesh.triangles, [&](const Triangle& t) { return open[t[0]] || open[t[1]] || open[t[2]]; });
    return mesh;
}
TriangleMesh withFlips(TriangleMesh mesh, float share, uint64_t seed) {
    for (size_t t = 0; t < mesh.triangles.size(); ++t)
        if (randomShare(seed, t) < share) std::swap(mesh.triangles[t][0], mesh.triangles[t][1]);
    return mesh;
}
TriangleMesh withDuplicates(TriangleMesh mesh, float share, uint64_t seed) {
    const size_t count = mesh.triangles.size();
    for (size_t t = 0; t < count; ++t)
        if (randomShare(seed, t) < share) {
            const auto [a, b, c] = mesh.triangles[t];
            mesh.triangles.push_back(t % 2 ? Triangle{b, c, a} : Triangle{b, a, c});
        }
    return mesh;
}

struct Broken {
    const char* what;
    TriangleMesh mesh;
};
std::vector<Broken> brokenVariants(const TriangleMesh& clean) {
    return {{"clean", clean},
            {"holes", withHoles(clean, 12, 1)},
            {"flips", withFlips(clean, 0.2f, 2)},
            {"duplicates", withDuplicates(clean, 0.1f, 3)},
            {"all of them", withDuplicates(withFlips(withHoles(clean, 12, 4), 0.1f, 5), 0.1f, 6)}};
}

SurfaceField fieldAround(const TriangleMesh& broken, float cell, MeshReport& report) {
    const TriangleMesh mesh = repairMesh(broken, report);
    return bakeSurface(mesh, {.cell = cell, .margin = 3 * cell, .closed = report.closed});
}

// The share of random points for which the field agrees with the reference about inside and outside.
std::vector<Vec3> randomPoints(const Box& box) {
    std::vector<Vec3> points;
    for (int i = 0; i < 100000; ++i) {
        const Vec3 u = test::randomVec3(11, i, 0, 1), size = box.high - box.low;
        points.push_back(box.low + Vec3{u.x * size.x, u.y * size.y, u.z * size.z});
    }
    return points;
}
double agreement(const DistanceVolume& volume, const std::vector<Vec3>& points,
                 const std::vector<bool>& inside) {
    int right = 0;
    for (size_t i = 0; i < points.size(); ++i) right += (volumeDistance(volume, points[i]) < 0) == inside[i];
    return double(right) / double(points.size());
}

TEST(SurfaceField, KnowsTheInsideOfBrokenMeshes) {
    // the legs of the horse are thin
    for (const auto& [name, cells] : {std::pair("bunny", 80), {"serpent", 80}, {"horse", 100}}) {
        const auto solid = test::shape(name);
        const MeshDistance clean(solid->mesh());
        const std::vector<Vec3> points = randomPoints(solid->bounds());
        std::vector<bool> inside;
        for (const Vec3& p : points) inside.push_back(clean.windingNumber(toDouble(p)) > 0.5);
        double least = 1;
        for (const Broken& variant : brokenVariants(solid->mesh())) {
            SCOPED_TRACE(fmt::format("{}: {}", name, variant.what));
            MeshReport report;
            const SurfaceField field = fieldAround(variant.mesh, 1.0f / float(cells), report);
            const double share = agreement(field.volume, points, inside);
            EXPECT_GE(share, 0.999);
            least = std::min(least, share);
        }
        RecordProperty(name, fmt::format("{:.5f}", least));
    }
}

TEST(SurfaceField, KnowsTheInsideOfMeshesThatIntersectThemselves) {
    TriangleMesh balls = test::ballMesh(48, 0.5f, {-0.3f, 0, 0});
    TriangleMesh second = test::ballMesh(48, 0.4f, {0.3f, 0.1f, 0});
    const MeshDistance parts[] = {MeshDistance(balls), MeshDistance(second)};
    for (Triangle& t : second.triangles) std::swap(t[0], t[1]);  // a part that is inside out
    test::append(balls, second);
    const std::vector<Vec3> points = randomPoints({{-0.9f, -0.6f, -0.6f}, {0.8f, 0.6f, 0.6f}});
    std::vector<bool> inside;
    for (const Vec3& p : points)
        inside.push_back(std::ranges::any_of(
            parts, [&](const MeshDistance& part) { return part.windingNumber(toDouble(p)) > 0.5; }));
    double least = 1;
    for (const Broken& variant : brokenVariants(balls)) {
        SCOPED_TRACE(variant.what);
        MeshReport report;
        const SurfaceField field = fieldAround(variant.mesh, 0.02f, report);
        EXPECT_EQ(report.components, 2u);
        const double share = agreement(field.volume, points, inside);
        EXPECT_GE(share, 0.999);
        least = std::min(least, share);
        EXPECT_LT(volumeDistance(field.volume, {0.05f, 0, 0}), -0.1f) << "no surface within the union";
    }
    RecordProperty("balls", fmt::format("{:.5f}", least));
}

TEST(SurfaceField, KeepsCavities) {
    TriangleMesh hollow = test::ballMesh(24), cavity = test::ballMesh(24, 0.5f);
    for (Triangle& t : cavity.triangles) std::swap(t[0], t[1]);
    test::append(hollow, cavity);
    MeshReport report;
    const SurfaceField field = fieldAround(hollow, 0.05f, report);
    EXPECT_EQ(report.flipped, 0u);
    EXPECT_GT(volumeDistance(field.volume, {0.1f, 0, 0}), 0.3f);
    EXPECT_LT(volumeDistance(field.volume, {0.75f, 0, 0}), -0.2f);
}

TEST(SurfaceField, EqualsTheDistanceToTheTriangles) {
    const TriangleMesh ball = test::ballMesh(36);
    const MeshDistance triangles(ball);
    MeshReport report;
    for (const Broken& variant : brokenVariants(ball)) {
        SCOPED_TRACE(variant.what);
        const DistanceVolume volume = fieldAround(variant.mesh, 0.05f, report).volume;
        double worst = 0, worstNear = 0;
        for (int k = 0; k < 20000; ++k) {
            const size_t node = size_t(randomShare(12, k) * float(volume.distance.size() - 1));
            const int x = int(node % size_t(volume.nx)),
                      y = int(node / size_t(volume.nx) % size_t(volume.ny)),
                      z = int(node / (size_t(volume.nx) * volume.ny));
            const Vec3d p = toDouble(volume.origin + volume.cell * Vec3{float(x), float(y), float(z)});
            const double sign = length(p) < 1 ? -1 : 1;
            const double away = triangles.closest(p).distance,
                         error = std::abs(volume.distance[node] - sign * away);
            worst = std::max(worst, error);
            if (away < 0.99 * volume.cell) worstNear = std::max(worstNear, error);
        }
        // within a cell of the surface the closest triangle is known, beyond it may be a neighbor of the true
        // one; the reference is the closed ball, with signs from the sphere, .02 cells above it; holes are 3.5
        // cells wide
        EXPECT_LT(worst, (report.closed ? 0.25 : 1) * volume.cell);
        EXPECT_LT(worstNear, (report.closed ? 0.06 : 1) * volume.cell);
        RecordProperty(variant.what,
                       fmt::format("{:.3f} {:.3f}", worst / volume.cell, worstNear / volume.cell));
    }
}

TEST(SurfaceField, IsTheDistanceFarFromTheSurface) {
    for (const char* name : {"bunny", "serpent", "horse"}) {
        const auto solid = test::shape(name);
        const MeshDistance triangles(solid->mesh());
        const float cell = 1.0f / 40;
        MeshReport report;
        // figures with concave sides, and a margin in which their parts are equally far away
        const TriangleMesh mesh = repairMesh(solid->mesh(), report);
        const DistanceVolume volume =
            bakeSurface(mesh, {.cell = cell, .margin = 20 * cell, .closed = report.closed}).volume;
        double worst = 0;
        for (size_t node = 0; node < volume.distance.size(); node += 7) {
            const int x = int(node % size_t(volume.nx)),
                      y = int(node / size_t(volume.nx) % size_t(volume.ny)),
                      z = int(node / (size_t(volume.nx) * volume.ny));
            const Vec3d p = toDouble(volume.origin + cell * Vec3{float(x), float(y), float(z)});
            worst = std::max(
                worst, std::abs(std::abs(volume.distance[node]) - triangles.closest(p).distance) / cell);
        }
        EXPECT_LT(worst, 1) << name;
        RecordProperty(name, fmt::format("{:.3f}", worst));
    }
}

TEST(SurfaceField, IsTheSameForAnyNumberOfThreads) {
    MeshReport report;
    const TriangleMesh mesh = withHoles(test::shape("bunny")->mesh(), 5, 7);
    const auto field = [&](int threads) {
        const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, size_t(threads));
        return fieldAround(mesh, 0.02f, report).volume.distance;
    };
    const std::vector<float> alone = field(1);
    EXPECT_EQ(field(1), alone);
    EXPECT_EQ(field(4), alone);
}

TEST(CoversOfRims, CloseWhatIsOpen) {
    const TriangleMesh ball = test::ballMesh(24);
    TriangleMesh open = withHoles(ball, 6, 8);
    ASSERT_FALSE(isClosed(open));
    const TriangleMesh covers = coversOfRims(open);
    EXPECT_GE(covers.triangles.size(), 6 * 4u);
    test::append(open, covers);
    EXPECT_TRUE(isClosed(open));
    EXPECT_NEAR(volumeOf(open), volumeOf(ball), 0.02 * volumeOf(ball));
    EXPECT_TRUE(coversOfRims(ball).triangles.empty());
}

// ---- sheets ----

TriangleMesh bentSheet(int n) {
    TriangleMesh mesh;
    for (int j = 0; j <= n; ++j)
        for (int i = 0; i <= n; ++i) {
            const float x = float(i) / n - 0.5f, z = float(j) / n - 0.5f;
            mesh.vertices.push_back({x, 0.1f * std::sin(5 * x) * std::cos(4 * z), z});
        }
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
            const uint32_t a = uint32_t(j * (n + 1) + i), b = a + 1, c = a + uint32_t(n) + 1, d = c + 1;
            mesh.triangles.push_back({a, c, b});
            mesh.triangles.push_back({b, c, d});
        }
    return mesh;
}

TEST(MeshReport, NamesSheetsAndHoles) {
    MeshReport report;
    repairMesh(bentSheet(24), report);
    EXPECT_FALSE(report.closed);
    EXPECT_EQ(report.holes, 1u);
    EXPECT_GT(report.openShare, 0.9);
    repairMesh(test::ballMesh(24), report);
    EXPECT_TRUE(report.closed);
    EXPECT_EQ(report.openShare, 0);
    EXPECT_EQ(describe(report), "");
    TriangleMesh open = test::ballMesh(24);
    std::erase_if(open.triangles, [](const Triangle& t) {
        return std::ranges::any_of(
            t, [](uint32_t v) { return v == 12 * 48 || v == 12 * 48 + 16 || v == 6 * 48 + 32; });
    });
    repairMesh(withDuplicates(open, 0.05f, 9), report);
    EXPECT_EQ(report.holes, 3u);
    EXPECT_GT(report.duplicates, 20u);
    EXPECT_LT(report.openShare, 0.1);
    EXPECT_NE(describe(report).find("3 holes"), std::string::npos) << describe(report);
}

TEST(SurfaceField, OfAShellIsTheDistanceToTheSheetLessItsOffset) {
    const TriangleMesh sheet = bentSheet(24);
    const float cell = 0.02f, offset = 0.03f;
    const DistanceVolume volume =
        bakeSurface(sheet,
                    {.cell = cell, .margin = 3 * cell, .shell = true, .offset = offset, .closed = false})
            .volume;
    for (uint64_t i = 0; i < 2000; ++i) {
        const Vec3 p = test::randomVec3(13, i, -0.5f, 0.5f);
        const double reference = test::plainDistance(sheet, toDouble(p)) - offset;
        // trilinear interpolation rounds the ridge at the sheet itself by up to half the diagonal of a cell
        const double slack = reference < 1.5 * cell - offset ? 0.9 * cell : 0.15 * cell;
        if (std::abs(p.y) < 0.15f) {
            EXPECT_NEAR(volumeDistance(volume, p), reference, slack);
        }
    }
}

// ---- moving surfaces ----

Vec3 motionAt(const SurfaceField& field, Vec3 p) {
    const DistanceVolume& v = field.volume;
    const Vec3 at = (1 / v.cell) * (p - v.origin);
    const int x = int(at.x), y = int(at.y), z = int(at.z);
    Vec3 sum{};
    for (int k = 0; k < 8; ++k) {
        const int i = x + (k & 1), j = y + (k >> 1 & 1), l = z + (k >> 2);
        const float weight = (1 - std::abs(at.x - float(i))) * (1 - std::abs(at.y - float(j))) *
                             (1 - std::abs(at.z - float(l)));
        sum += weight * field.motion[(size_t(l) * v.ny + j) * v.nx + i];
    }
    return sum;
}

TEST(SurfaceField, CarriesTheDisplacementOfTheClosestSurface) {
    const SurfaceWave wave{.amplitude = 0.05f, .wavelength = 2, .period = 0.5f, .across = {0, 1, 0}};
    const AnimatedSurface surface(test::shape("rod", 0.2f, {0.2f, 0.2f, 2})->mesh(), wave);
    const double from = 0.3, to = from + 1.0 / 60;
    TriangleMesh now = surface.rest();
    now.vertices = surface.verticesAt(to);
    const std::vector<Vec3> before = surface.verticesAt(from);
    const SurfaceField field =
        bakeSurface(now, {.cell = 0.01f, .margin = 0.05f, .closed = surface.report().closed}, before);
    ASSERT_EQ(field.motion.size(), field.volume.distance.size());
    double fastest = 0, worst = 0;
    for (const Vec3& p : now.vertices) {
        // the wave itself, by its definition
        const double s = (1 - double(p.z)) / 2, k = 2 * std::numbers::pi;
        const auto way = [&](double t) { return 0.05 * (0.2 + 0.8 * s) * std::sin(k * (s - t / 0.5)); };
        const Vec3 moved = motionAt(field, p);
        fastest = std::max(fastest, std::abs(way(to) - way(from)));
        worst = std::max({worst, std::abs(moved.y - (way(to) - way(from))), double(std::abs(moved.x)),
                          double(std::abs(moved.z))});
    }
    EXPECT_GT(fastest, 0.007);
    RecordProperty("worst_over_fastest", fmt::format("{:.4f}", worst / fastest));
    EXPECT_LT(worst, 0.01 * fastest) << "triangles are straight between the vertices around a node";
}

TEST(AnimatedSurface, ReadsSequencesOfFilesAndInterpolates) {
    const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "coalesce_sequence";
    std::filesystem::create_directories(folder);
    const auto write = [&](int number, float x, int n) {
        std::ofstream out(folder / fmt::format("ball_{:04}.obj", number));
        const TriangleMesh ball = test::ballMesh(n, 1, {x, 3, 0});
        for (const Vec3& v : ball.vertices) out << fmt::format("v {} {} {}\n", v.x, v.y, v.z);
        for (const Triangle& t : ball.triangles)
            out << fmt::format("f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1);
    };
    for (int k = 0; k < 4; ++k) write(8 + k, float(k * k), 8);
    const auto middle = [&](const AnimatedSurface& surface, double t) {
        const std::vector<Vec3> vertices = surface.verticesAt(t);
        Vec3 sum{};
        for (const Vec3& v : vertices) sum += (1.0f / float(vertices.size())) * v;
        return sum;
    };
    const AnimatedSurface once({.rate = 10, .wave = {}, .walk = {}}, {.mesh = folder / "ball_####.obj"});
    EXPECT_EQ(once.frames(), 4u);
    EXPECT_TRUE(once.report().closed);
    // half as large as in the files, about the center of the first one
    EXPECT_NEAR(length(middle(once, 0)), 0, 1e-5);
    EXPECT_NEAR(middle(once, 0.1).x, 0.5f, 1e-5);
    EXPECT_NEAR(middle(once, 0.25).x, 0.5f * 6.5f, 1e-5);
    EXPECT_NEAR(middle(once, 9).x, 4.5f, 1e-5);
    EXPECT_NEAR(middle(once, -1).x, 0, 1e-5);
    const AnimatedSurface loop({.rate = 10, .loop = true, .wave = {}, .walk = {}},
                               {.mesh = folder / "ball_####.obj"});
    EXPECT_NEAR(middle(loop, 0.35).x, 0.5f * 4.5f, 1e-5);
    EXPECT_NEAR(middle(loop, 0.5).x, middle(loop, 0.1).x, 1e-5);
    write(12, 0, 9);
    EXPECT_THROW(AnimatedSurface({}, {.mesh = folder / "ball_####.obj"}), Error) << "another topology";
    EXPECT_THROW(AnimatedSurface({}, {.mesh = folder / "nothing_####.obj"}), Error);
    std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace coalesce
