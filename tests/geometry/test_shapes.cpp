// Procedural shapes: their distances, triangles and particles.
#include <algorithm>
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <set>

#include "core/error.h"
#include "geometry/query/mesh_distance.h"
#include "geometry/sdf/polygonize.h"
#include "geometry/shapes/sample.h"
#include "geometry/shapes/solid.h"
#include "meshes.h"
#include "support/random_values.h"

namespace coalesce {
namespace {

using test::shape;

// ---- a mesh's topology, counted anew ----

struct Topology {
    bool manifold = true;  // every edge has one triangle on either side, every vertex one fan
    int components = 0;
    long euler = 0;  // V - E + F
};

Topology topologyOf(const TriangleMesh& mesh) {
    Topology topology;
    const std::vector<Triangle> triangles = weldedTriangles(mesh);
    std::map<std::pair<uint32_t, uint32_t>, int> edges;  // directed
    std::map<uint32_t, std::map<uint32_t, uint32_t>> fans;
    std::map<uint32_t, uint32_t> parent;
    const auto root = [&](uint32_t v) {
        while (parent[v] != v) v = parent[v] = parent[parent[v]];
        return v;
    };
    for (const Triangle& t : triangles)
        for (const uint32_t v : t) parent.try_emplace(v, v);
    for (const Triangle& t : triangles)
        for (int k = 0; k < 3; ++k) {
            const uint32_t a = t[k], b = t[(k + 1) % 3], c = t[(k + 2) % 3];
            if (a == b || ++edges[{a, b}] > 1) topology.manifold = false;
            fans[a][b] = c;
            parent[root(a)] = root(b);
        }
    for (const auto& [edge, count] : edges)
        if (!edges.count({edge.second, edge.first})) topology.manifold = false;
    for (const auto& [vertex, next] : fans) {
        // walking round the vertex meets all its neighbors before it is back
        size_t steps = 0;
        uint32_t at = next.begin()->first;
        do {
            const auto following = next.find(at);
            if (following == next.end()) break;
            at = following->second;
        } while (++steps < next.size() && at != next.begin()->first);
        if (steps != next.size()) topology.manifold = false;
    }
    for (const auto& [v, p] : parent) topology.components += root(v) == v;
    topology.euler = static_cast<long>(parent.size()) - static_cast<long>(edges.size() / 2) +
                     static_cast<long>(triangles.size());
    return topology;
}

TEST(Shapes, HaveClosedManifoldMeshesOfTheirGenus) {
    // {surfaces, holes through them}: the glass has an inner surface, the castle's keep stands alone in a
    // ring of walls, light shines between the bunny's fore legs and hind feet and under the figure's shell,
    // two bars leave three holes in the street
    const std::map<std::string, std::pair<int, int>> expected = {
        {"torus", {1, 1}}, {"torus_knot", {1, 1}}, {"teapot", {1, 1}}, {"hourglass", {2, 0}},
        {"bunny", {1, 2}}, {"figure", {1, 1}},     {"castle", {2, 1}}, {"street", {1, 3}}};
    for (const SolidShapeInfo& info : solidShapes()) {
        SCOPED_TRACE(info.name);
        const auto solid = shape(info.name);
        const Topology topology = topologyOf(solid->mesh());
        EXPECT_TRUE(topology.manifold);
        EXPECT_TRUE(solid->closed());
        EXPECT_TRUE(isClosed(solid->mesh()));
        EXPECT_GT(solid->volume(), 0);
        const auto known = expected.find(info.name);
        const auto [components, genus] = known == expected.end() ? std::pair{1, 0} : known->second;
        EXPECT_EQ(topology.components, components);
        EXPECT_EQ(topology.euler, 2 * components - 2 * genus);
    }
}

// A mesh as a shape keeps in what is inside only if its walls have no holes.
TEST(Shapes, HaveNoHolesInThinWalls) {
    for (const SolidShapeInfo& info : solidShapes()) {
        const auto wall = std::ranges::find(info.numbers, std::string_view("wall"), &SolidNumberInfo::name);
        if (wall == info.numbers.end()) continue;
        SCOPED_TRACE(info.name);
        SolidSpec spec{.shape = info.name, .height = 1};
        spec.numbers = {{"wall", wall->min}};
        const Topology topology = topologyOf(makeSolid(spec)->mesh());
        // (an hourglass is closed: outside and inside are surfaces of their own)
        const int surfaces = spec.shape == "hourglass" ? 2 : 1;
        EXPECT_EQ(topology.components, surfaces);
        EXPECT_EQ(topology.euler, 2 * surfaces);
    }
}
// The test above can fail: a hollow ball polygonized in cells as thick as its wall.
TEST(Shapes, ASieveIsFound) {
    const double wall = 0.04;
    const auto hollow = [&](Vec3d p) { return std::abs(length(p) - 1) - wall / 2; };
    const Topology sound = topologyOf(
                       polygonize(hollow, {{-1.1, -1.1, -1.1}, {1.1, 1.1, 1.1}}, {.cell = wall / 1.5})),
                   sieve =
                       topologyOf(polygonize(hollow, {{-1.1, -1.1, -1.1}, {1.1, 1.1, 1.1}}, {.cell = wall}));
    EXPECT_EQ(sound.components, 2);
    EXPECT_EQ(sound.euler, 4);
    EXPECT_LT(sieve.euler, 0);
}

TEST(Shapes, HaveTheRequestedSize) {
    for (const SolidShapeInfo& info : solidShapes()) {
        SCOPED_TRACE(info.name);
        for (const Vec3 size : {Vec3{}, Vec3{0.5f, 2, 1.25f}}) {
            const auto solid = shape(info.name, 3, size);
            const Box box = solid->bounds(), drawn = boundsOf(solid->mesh());
            if (size.x > 0) {
                EXPECT_NEAR(box.high.x - box.low.x, size.x, 1e-5);
                EXPECT_NEAR(box.high.z - box.low.z, size.z, 1e-5);
            }
            EXPECT_NEAR(box.high.y - box.low.y, size.x > 0 ? size.y : 3, 1e-5);
            EXPECT_NEAR(box.low.y + box.high.y, 0, 1e-5);
            EXPECT_NEAR(box.low.x + box.high.x, 0, 1e-5);
            EXPECT_NEAR(drawn.low.y, box.low.y, 0.02);
            EXPECT_NEAR(drawn.high.x, box.high.x, 0.02);
        }
    }
}

constexpr double kPi = 3.14159265358979323846;

TEST(Shapes, HaveAnalyticVolumeAndArea) {
    struct Case {
        const char* name;
        Vec3 size;
        double volume, area;  // area 0: no formula
    };
    const double R = 0.35, r = 0.15, w = 0.06;  // torus, cup
    const auto frustum = [](double r0, double r1, double h) {
        return kPi * h / 3 * (r0 * r0 + r0 * r1 + r1 * r1);
    };
    const double innerFoot = 0.34 + 0.1 * w - w;
    const Case cases[] = {
        {"brick", {}, 2, 10},
        {"cube", {2, 2, 2}, 8, 24},
        {"sheet", {1.2f, 1.2f, 0.1f}, 0.144, 2 * 1.44 + 4 * 0.12},
        {"rod", {0.1f, 0.8f, 0.1f}, 0.008, 0.02 + 4 * 0.08},
        {"sphere", {}, kPi / 6, kPi},
        {"sphere", {1, 2, 3}, kPi, 0},
        {"disc", {}, kPi / 4 * 0.1, kPi / 2 + kPi * 0.1},
        {"torus", {}, 2 * kPi * kPi * R * r * r, 4 * kPi * kPi * R * r},
        {"cup", {}, frustum(0.34, 0.44, 1) - frustum(innerFoot, 0.44 - w, 1 - w), 0},
        {"u_shape", {}, 0.28 * 0.28 * (2 + 1 - 2 * 0.28), 0},
    };
    for (const Case& c : cases) {
        SCOPED_TRACE(c.name);
        const auto solid = shape(c.name, 1, c.size);
        EXPECT_NEAR(solid->volume() / c.volume, 1, 0.01);
        if (c.area > 0) {
            EXPECT_NEAR(areaOf(solid->mesh()) / c.area, 1, 0.01);
        }
    }
    // edges are kept, so boxes are exact
    EXPECT_NEAR(shape("brick")->volume(), 2, 1e-5);
    EXPECT_NEAR(areaOf(shape("brick")->mesh()), 10, 1e-4);
}

TEST(Shapes, HaveExactDistances) {
    const auto ball = shape("sphere", 2), ring = shape("torus"), box = shape("brick", 1, {1, 2, 3});
    for (uint64_t i = 0; i < 500; ++i) {
        const Vec3 p = test::randomVec3(1, i, -2, 2);
        EXPECT_NEAR(ball->distance(p), std::sqrt(p.x * p.x + p.y * p.y + p.z * p.z) - 1, 1e-5);
        EXPECT_NEAR(ring->distance(p), std::hypot(std::hypot(p.x, p.y) - 0.35, p.z) - 0.15, 1e-5);
        // a box: out along each axis, or the shallowest way out
        const double x = std::abs(p.x) - 0.5, y = std::abs(p.y) - 1, z = std::abs(p.z) - 1.5;
        const double out = std::hypot(std::max(x, 0.0), std::max(y, 0.0), std::max(z, 0.0));
        EXPECT_NEAR(box->distance(p), out > 0 ? out : std::max({x, y, z}), 1e-5);
    }
}

// What every shape promises: zero on its triangles, a slope of one near them, the true distance elsewhere.
TEST(Shapes, HaveDistancesConsistentWithTheirTriangles) {
    for (const SolidShapeInfo& info : solidShapes())
        for (const Vec3 size : {Vec3{}, Vec3{0.8f, 1.2f, 1}}) {
            SCOPED_TRACE(fmt::format("{} {}", info.name, size.x > 0 ? "stretched" : ""));
            const auto solid = shape(info.name, 1, size);
            const TriangleMesh& mesh = solid->mesh();
            const MeshDistance triangles(mesh);
            double worst = 0, away = 0, length1 = 0;
            for (size_t v = 0; v < mesh.vertices.size(); v += 7)
                worst = std::max(worst, std::abs(static_cast<double>(solid->distance(mesh.vertices[v]))));
            EXPECT_LT(worst, 0.012);
            int steep = 0, count = 0, wrong = 0;
            for (uint64_t i = 0; i < 300; ++i) {
                const Vec3 p = test::randomVec3(2, i, -0.8f, 0.8f);
                const double d = solid->distance(p), nearest = triangles.closest(toDouble(p)).distance;
                away = std::max(away, std::abs(std::abs(d) - nearest));
                if (nearest > 0.02) wrong += (d < 0) != (triangles.windingNumber(toDouble(p)) > 0.5);
                // along the gradient the distance grows as the way does; not across an edge or a middle
                // surface
                const Vec3 n = solid->gradient(p);
                length1 = std::max(length1, std::abs(length(n) - 1.0));
                const double slope = (solid->distance(p + 1e-3f * n) - solid->distance(p - 1e-3f * n)) / 2e-3;
                ++count;
                steep += std::abs(slope - 1) > 0.1;
            }
            EXPECT_LT(away, 0.02);
            EXPECT_LT(length1, 1e-5);
            EXPECT_EQ(wrong, 0);
            EXPECT_LT(steep, count / 20);
        }
}

TEST(Shapes, HaveOutwardNormals) {
    for (const SolidShapeInfo& info : solidShapes()) {
        SCOPED_TRACE(info.name);
        const auto solid = shape(info.name);
        const TriangleMesh& mesh = solid->mesh();
        ASSERT_EQ(mesh.normals.size(), mesh.vertices.size());
        size_t against = 0;
        for (const auto& [a, b, c] : mesh.triangles) {
            const Vec3 face = cross(mesh.vertices[b] - mesh.vertices[a], mesh.vertices[c] - mesh.vertices[a]);
            for (const uint32_t v : {a, b, c}) {
                EXPECT_NEAR(length(mesh.normals[v]), 1, 1e-4f);
                against += dot(face, mesh.normals[v]) < 0;
            }
        }
        EXPECT_LE(against, mesh.triangles.size() / 50);
    }
}

// For inflatables: edges differ as the circles inside and outside of the ring do, and by little more.
TEST(Shapes, TorusOfCirclesHasNearlyEqualEdges) {
    for (const float circles : {19.0f, 26.0f, 61.0f}) {
        SCOPED_TRACE(circles);
        const float tube = 0.14f, ring = 0.36f;
        const auto torus = makeSolid({.shape = "torus", .numbers = {{"tube", tube}, {"circles", circles}}});
        const TriangleMesh& mesh = torus->mesh();
        const Topology topology = topologyOf(mesh);
        EXPECT_TRUE(topology.manifold);
        EXPECT_EQ(topology.components, 1);
        EXPECT_EQ(topology.euler, 0);
        float least = 9, most = 0;
        for (const Triangle& t : mesh.triangles) {
            const Vec3 a = mesh.vertices[t[0]], b = mesh.vertices[t[1]], c = mesh.vertices[t[2]];
            EXPECT_GT(dot(cross(b - a, c - a), mesh.normals[t[0]]), 0);
            for (const float edge : {length(b - a), length(c - b), length(a - c)})
                least = std::min(least, edge), most = std::max(most, edge);
        }
        EXPECT_LT(most / least, 1.15f * (ring + tube) / (ring - tube));
    }
}

TEST(Shapes, AreDeterministicAndSeeded) {
    const auto a = makeSolid({.shape = "rock", .seed = 1}), b = makeSolid({.shape = "rock", .seed = 2});
    EXPECT_EQ(a, makeSolid({.shape = "rock", .seed = 1})) << "equal specs share one solid";
    EXPECT_NE(a->volume(), b->volume());
    const double volume = a->volume();
    for (uint64_t seed = 0; seed < 40; ++seed) {
        const auto rock = makeSolid({.shape = "rock", .seed = seed});
        EXPECT_GT(rock->volume(), 0.05);
        const Topology topology = topologyOf(rock->mesh());
        EXPECT_TRUE(topology.manifold && topology.components == 1 && topology.euler == 2) << "seed " << seed;
    }
    EXPECT_EQ(makeSolid({.shape = "rock", .seed = 1})->volume(), volume);
}

// Every number over its whole range gives a sound solid.
TEST(Shapes, AcceptTheirNumbers) {
    for (const SolidShapeInfo& info : solidShapes())
        for (const SolidNumberInfo& number : info.numbers)
            for (const float value : {number.min, number.max}) {
                SCOPED_TRACE(fmt::format("{} {} {}", info.name, number.name, value));
                const auto solid = makeSolid({.shape = info.name, .numbers = {{number.name, value}}});
                EXPECT_TRUE(topologyOf(solid->mesh()).manifold);
                EXPECT_GT(solid->volume(), 0);
                EXPECT_NEAR(solid->bounds().high.y, 0.5f, 1e-4f);
            }
    const auto thin = makeSolid({.shape = "torus", .numbers = {{"tube", 0.05f}}});
    EXPECT_NEAR(thin->volume() / (2 * kPi * kPi * 0.45 * 0.05 * 0.05), 1, 0.02);
}

std::string messageOf(const SolidSpec& spec) {
    try {
        makeSolid(spec);
    } catch (const Error& error) {
        EXPECT_EQ(error.code, Exit::Scene);
        return error.what();
    }
    return "";
}

TEST(Shapes, ReportErrors) {
    EXPECT_EQ(messageOf({.shape = "buny", .where = "a.json:3"}),
              "a.json:3: unknown shape \"buny\"\n    Did you mean \"bunny\"?");
    EXPECT_NE(messageOf({.shape = "xxxxxxxxxxxxx"}).find("Shapes: brick, cube"), std::string::npos);
    EXPECT_EQ(messageOf({.shape = "torus", .numbers = {{"tub", 0.1f}}}),
              "the shape torus has no parameter \"tub\"\n    Did you mean \"tube\"?");
    EXPECT_EQ(messageOf({.shape = "torus", .numbers = {{"tube", 0.5f}}}),
              "tube of the shape torus must be between 0.02 and 0.24, but is 0.5");
    EXPECT_NE(messageOf({.shape = "torus", .numbers = {{"tube", NAN}}}), "");
    EXPECT_NE(messageOf({.shape = "cube", .height = 0}), "");
    EXPECT_NE(messageOf({.shape = "cube", .height = -1}), "");
    EXPECT_NE(messageOf({.shape = "cube", .height = NAN}), "");
    EXPECT_NE(messageOf({.shape = "cube", .size = {1, 0, 1}}), "");
    EXPECT_NE(messageOf({.shape = "cube", .size = {1, INFINITY, 1}}), "");
    EXPECT_NE(messageOf({.mesh = "nowhere.obj"}), "");
}

}  // namespace
}  // namespace coalesce
