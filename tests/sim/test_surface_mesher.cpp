// Surface meshes of liquids: volume and area against exact shapes, topology counted edge by edge, the same
// bits everywhere.
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>

#include "geometry/query/mesh_distance.h"
#include "sim/make_world.h"
#include "sim/surface/cube_cases.h"
#include "sim/surface/surface_mesher.h"
#include "support/each_backend.h"

namespace coalesce::test {
namespace {

constexpr float kD = 0.05f;  // [m]

struct Cloud {
    std::vector<Vec4> x, v;
    std::vector<uint32_t> id;
};

// Lattice points, moved by up to `jitter` spacings, where inside(x/d) holds.
Cloud fillLattice(int half, float jitter, const std::function<bool(Vec3)>& inside, Vec3 offset = {}) {
    Cloud c;
    for (int z = -half; z < half; ++z)
        for (int y = -half; y < half; ++y)
            for (int x = -half; x < half; ++x) {
                const Vec3 at{float(x) + 0.5f, float(y) + 0.5f, float(z) + 0.5f};
                if (!inside(at)) continue;
                const Vec3 moved = at + jitter * randomVec3(7, c.x.size(), -1, 1);
                c.x.push_back(vec4(offset + kD * moved, 1.0f));
                c.v.push_back({1, 2, 3, 0});
                c.id.push_back(uint32_t(c.id.size()));
            }
    return c;
}
Cloud ball(float radius, float jitter = 0, Vec3 offset = {}) {
    return fillLattice(
        int(radius) + 1, jitter, [=](Vec3 a) { return dot(a, a) < radius * radius; }, offset);
}

struct Built {
    SurfaceMesh mesh;
    TriangleMesh triangles;
    size_t particles;
    std::vector<Vec4> normal;
    double volume() const { return volumeOf(triangles) / (kD * kD * kD); }  // [d³]
    double area() const { return areaOf(triangles) / (kD * kD); }           // [d²]
};
Built meshOf(Exec& exec, const Cloud& cloud, const SurfaceOptions& options = {},
             const SurfaceWalls& walls = {}) {
    Buffer<Vec4> x(exec), v(exec);
    Buffer<uint32_t> id(exec);
    x.upload(cloud.x), v.upload(cloud.v), id.upload(cloud.id);
    SurfaceMesher mesher(exec);
    mesher.build({x.view(), v.view(), id.view(), kD}, options, walls);
    Built b{mesher.download(), {}, cloud.x.size(), std::vector<Vec4>(mesher.normal().size)};
    exec.copyToHost(b.normal.data(), mesher.normal().data, b.normal.size() * sizeof(Vec4));
    b.triangles = {b.mesh.position, b.mesh.normal, b.mesh.triangle};
    return b;
}

// Every directed edge once, and its opposite once; the triangles at a vertex form one fan.
void expectManifold(const SurfaceMesh& mesh, const std::string& what) {
    std::map<std::pair<uint32_t, uint32_t>, int> edges;
    std::vector<std::map<uint32_t, uint32_t>> link(mesh.position.size());
    for (const Triangle& t : mesh.triangle)
        for (int k = 0; k < 3; ++k) {
            ++edges[{t[k], t[(k + 1) % 3]}];
            link[t[k]][t[(k + 1) % 3]] = t[(k + 2) % 3];
        }
    size_t wrong = 0, pinched = 0;
    for (const auto& [edge, count] : edges)
        wrong += count != 1 || edges.count({edge.second, edge.first}) != 1;
    for (const auto& around : link) {
        if (around.empty()) {
            ++pinched;
            continue;
        }
        size_t steps = 0;
        uint32_t at = around.begin()->first;
        do {
            const auto next = around.find(at);
            if (next == around.end()) break;
            at = next->second;
            ++steps;
        } while (at != around.begin()->first && steps <= around.size());
        pinched += steps != around.size();
    }
    EXPECT_EQ(wrong, 0u) << what << ": edges without exactly two triangles";
    EXPECT_EQ(pinched, 0u) << what << ": vertices whose triangles are not one fan";
}

int eulerNumber(const SurfaceMesh& mesh) {
    return int(mesh.position.size()) - int(mesh.triangle.size()) / 2;  // V − E + F, E = 3/2 F
}

SurfaceOptions with(bool anisotropic, int smoothing = SurfaceOptions{}.smoothing) {
    SurfaceOptions o;
    o.anisotropic = anisotropic;
    o.smoothing = smoothing;
    return o;
}

class SurfaceMesherTest : public EachBackend {};
FOR_EACH_BACKEND(SurfaceMesherTest);

TEST_P(SurfaceMesherTest, BallHasItsVolumeAndArea) {
    for (const bool anisotropic : {false, true})
        for (const float jitter : {0.0f, 0.15f})
            for (const int smoothing : {0, 5}) {
                SCOPED_TRACE(
                    fmt::format("anisotropic {} jitter {} smoothing {}", anisotropic, jitter, smoothing));
                const Built b = meshOf(exec, ball(14, jitter, {0.3f, -2, 5}), with(anisotropic, smoothing));
                const double radius = std::cbrt(3 * double(b.particles) / (4 * M_PI));
                EXPECT_NEAR(b.volume() / double(b.particles), 1, anisotropic ? 0.015 : 0.01);
                EXPECT_NEAR(b.area() / (4 * M_PI * radius * radius), 1, anisotropic ? 0.05 : 0.03);
                EXPECT_EQ(eulerNumber(b.mesh), 2);
                expectManifold(b.mesh, "ball");
                double farthest = 0, turned = 1;
                for (size_t i = 0; i < b.mesh.position.size(); ++i) {
                    const Vec3 r = b.mesh.position[i] - Vec3{0.3f, -2, 5};
                    farthest = std::max(farthest, std::abs(double(length(r)) / kD - radius));
                    turned = std::min(turned, double(dot(b.mesh.normal[i], r) / length(r)));
                    EXPECT_NEAR(b.mesh.velocity[i].y, 2, 1e-5);
                }
                EXPECT_LT(farthest, 0.65);  // [d] the lattice ball itself deviates by as much
                EXPECT_GT(turned, 0.7);
            }
}

TEST_P(SurfaceMesherTest, BlockHasItsVolume) {
    for (const bool anisotropic : {false, true}) {
        const Built b = meshOf(exec, fillLattice(12, 0.1f, [](Vec3) { return true; }), with(anisotropic));
        EXPECT_NEAR(b.volume() / double(b.particles), 1, 0.01) << anisotropic;
        expectManifold(b.mesh, "block");
    }
}

// Deep in a liquid the field is not evaluated: cavities must not get lost by it, wherever they lie.
TEST_P(SurfaceMesherTest, CavitiesAreFound) {
    for (const bool anisotropic : {false, true})
        for (int k = 0; k < 8; ++k) {
            const Vec3 at = 2.0f * randomVec3(11, size_t(k), -1, 1);
            const float cavity = 1.5f + 0.25f * float(k);  // [d]
            SCOPED_TRACE(fmt::format("anisotropic {} cavity {}", anisotropic, cavity));
            const Built b = meshOf(exec,
                                   fillLattice(14, 0.1f,
                                               [&](Vec3 a) {
                                                   const Vec3 r = a - at;
                                                   return dot(a, a) < 169 && dot(r, r) > cavity * cavity;
                                               }),
                                   with(anisotropic));
            EXPECT_EQ(eulerNumber(b.mesh), 4) << "a sphere around the ball and one around the cavity";
            EXPECT_NEAR(b.volume() / double(b.particles), 1, 0.02);
        }
}

TEST_P(SurfaceMesherTest, TorusHasOneHoleAndTwoBallsArePieces) {
    const Built torus = meshOf(exec, fillLattice(14, 0.1f, [](Vec3 a) {
                                   const float ring = std::sqrt(a.x * a.x + a.z * a.z) - 9;
                                   return ring * ring + a.y * a.y < 16;
                               }));
    EXPECT_EQ(eulerNumber(torus.mesh), 0);
    expectManifold(torus.mesh, "torus");
    const Built two = meshOf(exec, fillLattice(14, 0.1f, [](Vec3 a) {
                                 const Vec3 b{std::abs(a.x) - 8, a.y, a.z};
                                 return dot(b, b) < 25;
                             }));
    EXPECT_EQ(eulerNumber(two.mesh), 4);
}

TEST_P(SurfaceMesherTest, DropsSheetsAndJetsHaveSurfaces) {
    const auto check = [&](const char* what, const std::function<bool(Vec3)>& inside, double low,
                           double high) {
        for (const bool anisotropic : {false, true}) {
            SurfaceOptions o = with(anisotropic, 0);
            o.cell = 0.25f;  // resolves a drop
            const Built b = meshOf(exec, fillLattice(6, 0, inside), o);
            EXPECT_GT(b.volume(), low * double(b.particles)) << what << " " << anisotropic;
            EXPECT_LT(b.volume(), high * double(b.particles)) << what << " " << anisotropic;
            expectManifold(b.mesh, what);
        }
    };
    check(
        "drop", [](Vec3 a) { return a.x == 0.5f && a.y == 0.5f && a.z == 0.5f; }, 0.35, 1.3);
    check(
        "sheet", [](Vec3 a) { return a.y == 0.5f; }, 0.5, 1.3);
    check(
        "jet", [](Vec3 a) { return a.y == 0.5f && a.z == 0.5f; }, 0.4, 1.3);
}

// Sparse random particles meet every case of a cell, many of them ambiguous.
TEST_P(SurfaceMesherTest, RandomParticlesGiveClosedManifolds) {
    for (uint64_t seed = 0; seed < 12; ++seed) {
        Cloud c;
        const int n = 200 + 300 * int(seed);
        for (int i = 0; i < n; ++i) {
            c.x.push_back(vec4(10 * kD * randomVec3(seed, i, -1, 1), 1.0f));
            c.v.push_back({});
            c.id.push_back(uint32_t(i));
        }
        SurfaceOptions o = with(seed % 2 == 1, int(seed % 3));
        o.cell = seed % 4 == 0 ? 0.25f : seed % 4 == 1 ? 1.0f : 0.6f;
        o.radius = seed % 3 == 0 ? 1.3f : 2.0f;
        const Built b = meshOf(exec, c, o);
        EXPECT_GT(b.mesh.triangle.size(), 100u);
        EXPECT_GT(volumeOf(b.triangles), 0) << "inside out";
        expectManifold(b.mesh, fmt::format("seed {}", seed));
        o.minPiece = seed % 2 == 0 ? 2.0f : 0.0f;
        o.merge = seed % 3 == 0 ? 0.3f : 0.5f;
        o.decimation = seed % 4 == 0 ? 0.0f : 0.2f;
        const Built reduced = meshOf(exec, c, o);
        EXPECT_LT(reduced.mesh.triangle.size(), b.mesh.triangle.size());
        EXPECT_EQ(reduced.mesh.velocity.size(), reduced.mesh.position.size());
        expectManifold(reduced.mesh, fmt::format("reduced, seed {}", seed));
    }
}

// Share of the triangles with an angle below 15 degrees.
double narrowShare(const SurfaceMesh& mesh) {
    int narrow = 0;
    for (const Triangle& t : mesh.triangle) {
        double least = 180;
        for (size_t k = 0; k < 3; ++k) {
            const Vec3d a = toDouble(mesh.position[t[(k + 1) % 3]] - mesh.position[t[k]]),
                        b = toDouble(mesh.position[t[(k + 2) % 3]] - mesh.position[t[k]]);
            least = std::min(least, std::atan2(length(cross(a, b)), dot(a, b)) * 180 / M_PI);
        }
        narrow += least < 15;
    }
    return narrow / double(mesh.triangle.size());
}

TEST_P(SurfaceMesherTest, MergingRemovesNarrowTriangles) {
    const Cloud cloud = ball(12, 0.15f);
    SurfaceOptions o = with(false, 0);
    const Built all = meshOf(exec, cloud, o);
    o.merge = 0.5f;
    const Built merged = meshOf(exec, cloud, o);
    expectManifold(merged.mesh, "merged");
    EXPECT_GT(narrowShare(all.mesh), 0.02);
    EXPECT_LT(narrowShare(merged.mesh), 0.2 * narrowShare(all.mesh));
    EXPECT_LT(merged.mesh.triangle.size(), 0.8 * double(all.mesh.triangle.size()));
    EXPECT_NEAR(merged.volume() / all.volume(), 1, 0.005);
    EXPECT_EQ(eulerNumber(merged.mesh), 2);
}

TEST_P(SurfaceMesherTest, DecimationMovesTheSurfaceByLessThanItsLimit) {
    const Cloud cloud = fillLattice(12, 0.1f, [](Vec3 a) { return a.y < 0.1f * a.x; });
    const Built all = meshOf(exec, cloud);
    const MeshDistance before(all.triangles);
    size_t triangles = all.mesh.triangle.size();
    for (const float limit : {0.05f, 0.2f}) {
        SCOPED_TRACE(limit);
        SurfaceOptions o;
        o.decimation = limit;
        const Built b = meshOf(exec, cloud, o);
        expectManifold(b.mesh, "decimated");
        EXPECT_LT(double(b.mesh.triangle.size()), 0.7 * double(triangles));
        triangles = b.mesh.triangle.size();
        EXPECT_NEAR(b.volume() / all.volume(), 1, 0.01);
        const MeshDistance after(b.triangles);
        double farthest = 0, longest = 0;  // [m]
        for (const Vec3 p : b.mesh.position)
            farthest = std::max(farthest, before.closest(toDouble(p)).distance);
        for (const Vec3 p : all.mesh.position)
            farthest = std::max(farthest, after.closest(toDouble(p)).distance);
        EXPECT_LT(farthest, 1.5 * limit * kD);  // the planes of bent surfaces are left on one side
        for (const Triangle& t : b.mesh.triangle)
            for (size_t k = 0; k < 3; ++k)
                longest = std::max(longest,
                                   double(length(b.mesh.position[t[k]] - b.mesh.position[t[(k + 1) % 3]])));
        EXPECT_LT(longest, 4.001 * kD);
        for (const Vec3 v : b.mesh.velocity) EXPECT_NEAR(v.z, 3, 1e-5);
    }
}

TEST_P(SurfaceMesherTest, SmallPiecesAreLeftOut) {
    Cloud c = ball(5);
    for (const Vec4 drop : {Vec4{10 * kD, 0, 0, 1}, Vec4{-10 * kD, 2 * kD, 0, 1}}) {
        c.x.push_back(drop), c.v.push_back({});
        c.id.push_back(uint32_t(c.id.size()));
    }
    SurfaceOptions o;
    o.cell = 0.25f;
    EXPECT_EQ(eulerNumber(meshOf(exec, c, o).mesh), 6);
    o.minPiece = 2;
    const Built b = meshOf(exec, c, o);
    EXPECT_EQ(eulerNumber(b.mesh), 2);
    expectManifold(b.mesh, "ball alone");
    for (const Vec3 v : b.mesh.velocity) EXPECT_NEAR(v.x, 1, 1e-5) << "that of the ball";
    o.minPiece = 1e5f;
    EXPECT_TRUE(meshOf(exec, c, o).mesh.position.empty());
}

TEST_P(SurfaceMesherTest, NoParticlesGiveNoMesh) {
    const Built b = meshOf(exec, {});
    EXPECT_TRUE(b.mesh.position.empty() && b.mesh.triangle.empty());
}

// A flat surface of irregular particles: the height varies less than the particles do.
TEST_P(SurfaceMesherTest, FlatSurfaceIsFlat) {
    const auto roughness = [&](const SurfaceOptions& options) {  // [d]
        const Built b = meshOf(exec, fillLattice(14, 0.15f, [](Vec3 a) { return a.y < 0; }), options);
        double sum = 0, sum2 = 0;
        int n = 0;
        for (const Vec3 p : b.mesh.position)
            if (std::abs(p.x) < 9 * kD && std::abs(p.z) < 9 * kD && p.y > -5 * kD)
                sum += p.y / kD, sum2 += double(p.y / kD) * (p.y / kD), ++n;
        EXPECT_NEAR(sum / n, 0, 0.05) << "mean height";
        return std::sqrt(sum2 / n - sum / n * (sum / n));
    };
    const double round = roughness(with(false)), stretched = roughness(with(true));
    EXPECT_LT(round, 0.045);
    EXPECT_LT(stretched, 0.055);
}

// A tank 12 d × 14 d, filled to a height of 9 d, with a corner at `at`, and its walls.
struct Tank {
    Vec3 at{};
    Quat turned{};
    static constexpr float kWidth = 12 * kD, kDepth = 14 * kD, kHeight = 9 * kD;
    Vec3 place(Vec3 inTank) const { return at + rotate(turned, inTank); }
    Cloud cloud(float jitter = 0.1f) const {
        Cloud c = fillLattice(8, jitter, [](Vec3 a) { return a.x < 4 && a.y < 1 && a.z < 6; });
        for (Vec4& x : c.x) x = vec4(place(xyz(x) + Vec3{8 * kD, 8 * kD, 8 * kD}), 1.0f);
        return c;
    }
    SurfaceWalls walls() const {
        SurfaceWalls w{};
        const auto add = [&](Vec3 normal, Vec3 point) {
            const Vec3 n = rotate(turned, normal);
            w.plane[w.count++] = vec4(n, -dot(n, place(point)));
        };
        add({0, 1, 0}, {}), add({1, 0, 0}, {}), add({0, 0, 1}, {});
        add({-1, 0, 0}, {kWidth, 0, 0}), add({0, 0, -1}, {0, 0, kDepth});
        return w;
    }
};

// Measured in spacings: how far vertices lie behind the walls, how far the corners of the tank are from the nearest
// vertex, and by how much heights vary along the walls.
struct Fit {
    double behind = 0, corner = 0, contact = 0;
    double turned = 1;  // of faces of the surface: least cosine of the normals of their corners from upwards
    int beside = 0;     // vertices that are close to a wall, but not on it
    int unmarked = 0;   // vertices on a wall that do not say so, or the opposite
    int vanished = 0;   // triangles without an area
};
Fit fitOf(const Built& b, const Tank& tank) {
    const SurfaceWalls walls = tank.walls();
    Fit fit;
    for (const float x : {0.0f, Tank::kWidth})
        for (const float z : {0.0f, Tank::kDepth}) {
            double nearest = 1e9;
            for (const Vec3 p : b.mesh.position)
                nearest = std::min(nearest, double(length(p - tank.place({x, 0, z}))) / kD);
            fit.corner = std::max(fit.corner, nearest);
        }
    std::map<int, double> top;  // of the vertices at the wall x = 0, by spacings along it
    for (const Vec3 p : b.mesh.position) {
        for (int k = 0; k < walls.count; ++k) {
            const double distance = walls.distance(k, p) / kD;
            fit.behind = std::max(fit.behind, -distance);
            fit.beside += distance > 1e-5 && distance < 0.002;
        }
        const double z = walls.distance(2, p) / kD + 0.25;
        if (walls.distance(1, p) > 0.1f * kD || z < 1 || z > Tank::kDepth / kD - 1) continue;
        top[int(z)] = std::max(top[int(z)], double(walls.distance(0, p)) / kD);
    }
    for (size_t i = 0; i < b.normal.size(); ++i) {
        double nearest = 1e9;  // [m] of a wall
        for (int k = 0; k < walls.count; ++k)
            nearest = std::min(nearest, std::abs(double(walls.distance(k, b.mesh.position[i]))));
        fit.unmarked += (nearest < 1e-4 * kD) != (b.normal[i].w == 1);
    }
    for (const Triangle& t : b.mesh.triangle) {
        const Vec3 p = b.mesh.position[t[0]];
        const Vec3d ab = toDouble(b.mesh.position[t[1]] - p), ac = toDouble(b.mesh.position[t[2]] - p);
        const Vec3d area = cross(ab, ac);
        fit.vanished += length(area) < 1e-5 * kD * kD;
        const Vec3 up = xyz(walls.plane[0]);
        if (dot(area, toDouble(up)) > 0.9 * length(area))
            for (const uint32_t v : t) fit.turned = std::min(fit.turned, double(dot(b.mesh.normal[v], up)));
    }
    for (const auto& [cell, height] : top)
        fit.contact = std::max(fit.contact, std::abs(height - Tank::kHeight / kD));
    return fit;
}

TEST_P(SurfaceMesherTest, WallsGiveFlatFacesAndSharpCorners) {
    const auto check = [&](const Tank& tank, SurfaceOptions options, double corner) {
        SCOPED_TRACE(fmt::format("at {} turned {} anisotropic {} smoothing {}", tank.at.x, tank.turned.x,
                                 options.anisotropic, options.smoothing));
        const Cloud cloud = tank.cloud();
        const Built b = meshOf(exec, cloud, options, tank.walls());
        const Fit fit = fitOf(b, tank), without = fitOf(meshOf(exec, cloud, options), tank);
        EXPECT_NEAR(b.volume() / double(b.particles), 1, 0.006);
        EXPECT_LT(fit.behind, 1e-4);
        EXPECT_GT(without.behind, 0.05);
        EXPECT_LT(fit.corner, corner);
        EXPECT_GT(without.corner, 0.4);
        EXPECT_LT(fit.contact, 0.2);
        if (corner < 0.1) {
            EXPECT_EQ(fit.beside, 0);
            EXPECT_EQ(fit.unmarked, 0);
            EXPECT_GT(fit.turned, 0.75);
            EXPECT_LE(fit.vanished, 4);  // of a surface near nodes
        }
        EXPECT_GT(without.contact, 0.4);
        EXPECT_EQ(eulerNumber(b.mesh), 2);
        expectManifold(b.mesh, "tank");
        for (const Vec3 v : b.mesh.velocity) EXPECT_NEAR(v.y, 2, 1e-5);
    };
    for (const bool anisotropic : {false, true})
        for (const int smoothing : {0, 5}) {
            SurfaceOptions options = with(anisotropic, smoothing);
            check({}, options, 1e-4);
            check({{0.013f, -0.021f, 0.008f}, {}}, options, 1e-4);
            check({{-9 * kD, 7 * kD, -10 * kD}, {}}, options, 1e-4);  // walls at nodes but for rounding
            // the grid is not turned with the tank: vertices meet its edges, but not always its corners
            options.minPiece = 1;
            check({{0.3f, 0.1f, -0.2f}, quatFromEuler(0.2, 0.5, -0.3)}, options, 0.4);
        }
}

TEST_P(SurfaceMesherTest, ReducedMeshesStayOnWalls) {
    const Tank tank{{0.013f, -0.021f, 0.008f}, {}};
    SurfaceOptions o;
    o.minPiece = 2, o.merge = 0.4f, o.decimation = 0.1f;
    const Built b = meshOf(exec, tank.cloud(), o, tank.walls());
    const Fit fit = fitOf(b, tank);
    EXPECT_LT(fit.behind, 1e-4);
    EXPECT_LT(fit.corner, 1e-3);
    EXPECT_NEAR(b.volume() / double(b.particles), 1, 0.01);
    expectManifold(b.mesh, "reduced");
}

TEST_P(SurfaceMesherTest, MeshesGoOnBehindWallsOrEndBeforeThem) {
    const Tank tank;
    for (const float overlap : {-0.3f, 0.8f}) {
        SurfaceOptions o;
        o.wallOverlap = overlap;
        const Built b = meshOf(exec, tank.cloud(), o, tank.walls());
        const Box box = boundsOf(b.triangles);
        const double wide = 12 + 2 * overlap, deep = 14 + 2 * overlap, high = 9 + overlap;  // [d]
        EXPECT_NEAR(box.low.y / kD, -overlap, 1e-3);
        EXPECT_NEAR((box.high.x - box.low.x) / kD, wide, 1e-3);
        EXPECT_NEAR((box.high.z - box.low.z) / kD, deep, 1e-3);
        EXPECT_NEAR(b.volume() / (wide * deep * high), 1, 0.006);
        expectManifold(b.mesh, "tank");
    }
}

TEST_P(SurfaceMesherTest, WallsActNearThemOnly) {
    const Tank tank;
    for (const bool anisotropic : {false, true}) {
        const Vec3 middle{6 * kD, 8 * kD, 6 * kD};
        const Cloud far = ball(3, 0.1f, middle);
        const Built between = meshOf(exec, far, with(anisotropic), tank.walls()),
                    alone = meshOf(exec, far, with(anisotropic));
        ASSERT_EQ(between.mesh.position.size(), alone.mesh.position.size());
        for (size_t i = 0; i < alone.mesh.position.size(); ++i)
            EXPECT_TRUE(between.mesh.position[i] == alone.mesh.position[i]) << i;
    }
}

// The same particles in another order, with the same ids.
TEST_P(SurfaceMesherTest, StorageOrderDoesNotMatter) {
    const Tank tank;
    const Cloud a = tank.cloud(0.2f);
    Cloud b = a;
    for (size_t i = 0; i < a.x.size(); ++i) {
        const size_t j = (i * 7919) % a.x.size();
        b.x[i] = a.x[j], b.v[i] = a.v[j], b.id[i] = a.id[j];
    }
    const Built one = meshOf(exec, a, {}, tank.walls()), other = meshOf(exec, b, {}, tank.walls());
    ASSERT_EQ(one.mesh.position.size(), other.mesh.position.size());
    for (size_t i = 0; i < one.mesh.position.size(); ++i)
        EXPECT_TRUE(one.mesh.position[i] == other.mesh.position[i]) << i;
    EXPECT_EQ(one.mesh.triangle, other.mesh.triangle);
}

// The field at shared nodes is that of a sum over all particles in double.
TEST_P(SurfaceMesherTest, VerticesLieOnTheLevelOfTheField) {
    const Cloud c = ball(5, 0.1f, {0.11f, 0.07f, -0.3f});
    SurfaceOptions o = with(false, 0);
    o.cell = 0.2f;
    const Built b = meshOf(exec, c, o);
    // V_j of thin parts, from all pairs
    const double r = o.radius;
    const auto color = [&](Vec3d at, const std::vector<double>* weight) {
        double sum = 0;
        for (size_t j = 0; j < c.x.size(); ++j) {
            const Vec3d e = at - toDouble(c.x[j]);
            const double q2 = e.squaredNorm() / (kD * kD * r * r);
            if (q2 < 1)
                sum += (weight ? (*weight)[j] : 1) * 315 / (64 * M_PI * r * r * r) * std::pow(1 - q2, 3);
        }
        return sum;
    };
    // the same field of a half-space: at its surface, averaged, and in its first layer
    const Cloud half = fillLattice(6, 0, [](Vec3 a) { return a.y < 0; });
    const auto colorOfHalf = [&](Vec3d at) {
        double sum = 0;
        for (const Vec4 x : half.x) {
            const double q2 = (at - toDouble(x)).squaredNorm() / (kD * kD * r * r);
            if (q2 < 1) sum += 315 / (64 * M_PI * r * r * r) * std::pow(1 - q2, 3);
        }
        return sum;
    };
    double level = 0;
    for (int i = 0; i < 64; ++i)
        level += colorOfHalf(kD * Vec3d((i % 8 + 0.5) / 8, 0, (i / 8 + 0.5) / 8)) / 64;
    const double layer = colorOfHalf(kD * Vec3d(0.5, -0.5, 0.5));
    std::vector<double> weight;
    for (const Vec4 x : c.x) weight.push_back(std::max(0.87 * layer / color(toDouble(x), nullptr), 1.0));
    ASSERT_GT(b.mesh.position.size(), 1000u);
    // linear interpolation on cells of 0.2 d: φ'' h²/8 < 0.01
    for (size_t i = 0; i < b.mesh.position.size(); i += 7)
        EXPECT_NEAR(color(toDouble(b.mesh.position[i]), &weight), level, 0.01);
}

TEST_P(SurfaceMesherTest, InterpolatesQuantities) {
    const Cloud c = ball(6, 0.1f);
    Buffer<Vec4> x(exec), v(exec);
    Buffer<uint32_t> id(exec);
    Buffer<float> height(exec);
    std::vector<float> y;
    for (const Vec4 p : c.x) y.push_back(p.y);
    x.upload(c.x), v.upload(c.v), id.upload(c.id), height.upload(y);
    SurfaceMesher mesher(exec);
    mesher.build({x.view(), v.view(), id.view(), kD}, with(true, 0));
    Buffer<float> at(exec, mesher.position().size);
    mesher.interpolate(height.view(), at.view());
    const std::vector<float> value = at.download();
    const SurfaceMesh mesh = mesher.download();
    // the particles lie on one side, so the mean is up to one radius inside
    for (size_t i = 0; i < value.size(); ++i) EXPECT_NEAR(value[i], mesh.position[i].y, kD);
}

TEST(SurfaceMesher, IsTheSameOnEveryMachine) {
    for (const bool anisotropic : {false, true})
        expectSameBitsOnEveryMachine([&](Exec& exec) {
            SurfaceOptions o = with(anisotropic);
            if (anisotropic) o.minPiece = 2, o.merge = 0.4f, o.decimation = 0.1f;
            SurfaceWalls walls{};
            walls.plane[walls.count++] = {0, 1, 0, 12 * kD};
            walls.plane[walls.count++] = {0.8f, 0, 0.6f, 8 * kD};
            const Built b =
                meshOf(exec, fillLattice(12, 0.3f, [](Vec3 a) { return a.y < std::sin(a.x) + 2; }), o, walls);
            std::vector<float> all;
            for (const auto* array : {&b.mesh.position, &b.mesh.normal, &b.mesh.velocity})
                for (const Vec3 a : *array) all.insert(all.end(), {a.x, a.y, a.z});
            for (const Triangle& t : b.mesh.triangle)
                all.insert(all.end(), {float(t[0]), float(t[1]), float(t[2])});
            return all;
        });
}

TEST(SurfaceMesher, RefusesBadOptions) {
    SurfaceOptions o;
    o.cell = 0;
    EXPECT_THROW(checkSurfaceOptions(o), Error);
    o.cell = NAN;
    EXPECT_THROW(checkSurfaceOptions(o), Error);
    o = {};
    o.smoothing = -1;
    EXPECT_THROW(checkSurfaceOptions(o), Error);
    checkSurfaceOptions({});
}

// Two cells at a face: the triangle sides on it of one are those of the other, reversed.
TEST(CubeCases, AgreeOnFaces) {
    const auto cases = makeCubeCases();
    using Side = std::pair<int, int>;
    const auto sidesOn = [&](int inside, int axis, int side) {
        std::vector<Side> sides;
        const CubeCase& cube = cases[inside];
        const auto onFace = [&](int e) { return (e >> 2) != axis && (lowerCorner(e) >> axis & 1) == side; };
        const auto named = [&](int e) { return (e & ~3) << 4 | (lowerCorner(e) & ~(1 << axis)); };
        for (int t = 0; t < cube.triangles; ++t)
            for (int k = 0; k < 3; ++k) {
                const int a = cube.edge[3 * t + k], b = cube.edge[3 * t + (k + 1) % 3];
                if (onFace(a) && onFace(b))
                    sides.push_back(side ? Side{named(a), named(b)} : Side{named(b), named(a)});
            }
        std::sort(sides.begin(), sides.end());
        return sides;
    };
    for (int axis = 0; axis < 3; ++axis)
        for (int lower = 0; lower < 256; ++lower)
            for (int upper = 0; upper < 256; ++upper) {
                bool same = true;
                for (int c = 0; c < 8; ++c)
                    if ((c >> axis & 1) == 0) same &= (upper >> c & 1) == (lower >> (c | 1 << axis) & 1);
                if (same) {
                    ASSERT_EQ(sidesOn(lower, axis, 1), sidesOn(upper, axis, 0)) << lower << " " << upper;
                }
            }
}

}  // namespace
}  // namespace coalesce::test
