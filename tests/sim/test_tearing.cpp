// Tearing and cutting: what a torn sheet must keep. References: counts, areas and masses in double.
#include <gtest/gtest.h>
#include <map>
#include <numbers>
#include <set>

#include "sim/cloth/cloth_topology.h"
#include "sim/cloth/tearing.h"
#include "sim/make_bodies.h"
#include "sim/make_cloth_meshes.h"
#include "support/each_backend.h"
#include "support/each_method.h"
#include "support/small_scene.h"

namespace coalesce::test {
namespace {

constexpr float kD = 0.05f;  // [m]

class ClothTearing : public EachBackend {};

struct Mesh {
    double area = 0;  // [m²] at rest
    size_t triangles = 0;
    int badEdges = 0;    // of more than two triangles
    int badCorners = 0;  // whose triangles do not hang together by edges
    size_t pieces = 0;   // by shared corners
};

Mesh lookAt(const World& world) {
    Mesh mesh;
    const std::vector<Vec4> rest = world.solids.restPosition.download();
    std::map<std::array<uint32_t, 2>, int> edges;
    std::map<uint32_t, std::vector<std::array<uint32_t, 2>>> across;
    std::map<uint32_t, uint32_t> parent;
    const auto root = [&](uint32_t a) {
        parent.try_emplace(a, a);
        while (parent[a] != a) a = parent[a];
        return a;
    };
    for (const ClothTriangle& t : world.solids.triangles.download()) {
        if (t.material & kCut) continue;
        ++mesh.triangles;
        const std::array rows{t.a, t.b, t.c};
        const Vec3d a = toDouble(rest[t.a]);
        mesh.area += 0.5 * length(cross(toDouble(rest[t.b]) - a, toDouble(rest[t.c]) - a));
        for (size_t k = 0; k < 3; ++k) {
            const uint32_t p = rows[k], q = rows[(k + 1) % 3], r = rows[(k + 2) % 3];
            ++edges[{std::min(p, q), std::max(p, q)}];
            across[p].push_back({q, r});
            parent[root(p)] = root(q);
        }
    }
    for (const auto& [edge, count] : edges) mesh.badEdges += count > 2;
    for (const auto& [corner, links] : across) {
        std::map<uint32_t, uint32_t> up;
        const auto top = [&](uint32_t a) {
            up.try_emplace(a, a);
            while (up[a] != a) a = up[a];
            return a;
        };
        for (const auto& [q, r] : links) up[top(q)] = top(r);
        std::set<uint32_t> tops;
        for (const auto& [q, r] : links) tops.insert(top(q));
        mesh.badCorners += tops.size() > 1;
    }
    std::set<uint32_t> roots;
    for (const auto& [row, up] : across) roots.insert(root(row));
    mesh.pieces = roots.size();
    return mesh;
}

// Edges of triangles that no spring holds.
int looseEdges(const World& world) {
    std::set<std::array<uint32_t, 2>> held;
    for (const DistanceConstraint& s : world.solids.springs.download())
        if (!(s.params & kCut)) held.insert({std::min(s.a, s.b), std::max(s.a, s.b)});
    int loose = 0;
    for (const ClothTriangle& t : world.solids.triangles.download()) {
        const std::array rows{t.a, t.b, t.c};
        for (size_t k = 0; k < 3; ++k)
            loose +=
                !held.contains({std::min(rows[k], rows[(k + 1) % 3]), std::max(rows[k], rows[(k + 1) % 3])});
    }
    return loose;
}

double massOf(const World& world) {
    double mass = 0;
    for (const Vec4& x : world.particles.x.download())
        if (x.w > 0) mass += 1 / double{x.w};
    return mass;
}

// A sheet held at its upper edge, a weight at the middle of the lower one.
void heavyCloth(World& world, float tearStrain) {
    MaterialProperties m = cloth(kD);
    m.tearStrain = tearStrain;
    addMaterial(world, m);
    const float half = std::sqrt(0.5f);
    addCloth(world, makeGrid(13, 13, kD), 0.3f, 0, {}, {0, 1, 0}, {half, 0, 0, half});
    std::vector<uint32_t> edge;
    for (uint32_t i = 0; i < 13; ++i) edge.push_back(i);
    pin(world, edge);
    const std::vector<uint32_t> id = world.particles.id.download();
    std::vector<Vec4> x = world.particles.x.download();
    for (size_t i = 0; i < id.size(); ++i)
        if (id[i] == 12 * 13 + 6) x[i].w = 1 / 4.0f;  // [1/kg]
    world.particles.x.upload(x);
}

TEST_P(ClothTearing, TornClothKeepsAreaMassAndManifold) {
    for (const Method method : kMethods) {
        SCOPED_TRACE(nameOf(method));
        World world(exec);
        world.parameters.solver.method = method;
        heavyCloth(world, 0.1f);
        const Mesh before = lookAt(world);
        const double mass = massOf(world);
        const uint64_t births = world.particlesAdded;
        Solver solver(world);
        for (int frame = 0; frame < 90; ++frame) {
            const uint64_t count = world.count();
            solver.step();
            const Mesh now = lookAt(world);
            ASSERT_EQ(now.triangles, before.triangles) << "frame " << frame;
            ASSERT_EQ(now.badEdges, 0) << "frame " << frame;
            ASSERT_EQ(now.badCorners, 0) << "frame " << frame;
            ASSERT_EQ(looseEdges(world), 0) << "frame " << frame;
            // a split makes no more corners than a corner has fans
            ASSERT_LE(world.count() - count, 3u * 8) << "frame " << frame;
        }
        EXPECT_GT(world.particlesAdded, births + 3);
        EXPECT_EQ(world.particlesAdded - births, world.count() - 169);
        EXPECT_NEAR(lookAt(world).area, before.area, 1e-6 * before.area);
        EXPECT_NEAR(massOf(world), mass, 1e-5 * mass);
        const std::vector<uint32_t> id = world.particles.id.download();
        EXPECT_EQ(std::set<uint32_t>(id.begin(), id.end()).size(), id.size());
    }
}

TEST_P(ClothTearing, StrongClothDoesNotTear) {
    World world(exec);
    heavyCloth(world, 0);
    Solver solver(world);
    stepFrames(solver, 60);
    EXPECT_EQ(world.count(), 169u);
    EXPECT_EQ(lookAt(world).pieces, 1u);
}

TEST_P(ClothTearing, TearsPerFrameAreLimited) {
    World world(exec);
    heavyCloth(world, 0.02f);
    world.parameters.solver.tearsPerFrame = 2;
    Solver solver(world);
    for (int frame = 0; frame < 40; ++frame) {
        const size_t count = world.count();
        solver.step();
        EXPECT_LE(world.count() - count, 2u * 3);
    }
    EXPECT_GT(world.count(), 169u);
}

// A stroke through the whole sheet makes two pieces that fall apart.
TEST_P(ClothTearing, CutSeparatesAClothIntoTwo) {
    World world(exec);
    addMaterial(world, cloth(kD));
    addCloth(world, makeGrid(12, 12, kD), 0.3f);
    const Mesh before = lookAt(world);
    const double mass = massOf(world);
    Solver solver(world);
    const float x = 0.3f * kD;
    world.commands.push_back(Cut{{x, -5, 0}, {x, 5, -9}, {x, 5, 9}});
    solver.step();
    const Mesh after = lookAt(world);
    EXPECT_EQ(after.pieces, 2u);
    EXPECT_EQ(after.badEdges + after.badCorners, 0);
    EXPECT_EQ(looseEdges(world), 0);
    EXPECT_EQ(after.triangles, before.triangles);
    EXPECT_NEAR(after.area, before.area, 1e-6);
    EXPECT_NEAR(massOf(world), mass, 1e-5 * mass);
    // nothing joins the two
    const std::vector<ClothTriangle> triangles = world.solids.triangles.download();
    std::map<uint32_t, uint32_t> parent;
    const auto root = [&](uint32_t a) {
        parent.try_emplace(a, a);
        while (parent[a] != a) a = parent[a];
        return a;
    };
    for (const ClothTriangle& t : triangles) parent[root(t.a)] = root(t.b), parent[root(t.b)] = root(t.c);
    for (const DistanceConstraint& s : world.solids.springs.download())
        EXPECT_TRUE((s.params & kCut) || root(s.a) == root(s.b));
}

// Two strokes that cross, frame by frame, through a sheet that hangs: four flaps, all edges held.
TEST_P(ClothTearing, CrossingCutsLeaveFlaps) {
    World world(exec);
    addMaterial(world, cloth(kD));
    const ClothMesh cloth = makeGrid(15, 15, kD);
    addCloth(world, cloth, 0.3f);
    pin(world, std::vector<uint32_t>{0, 14, 210, 224});
    Solver solver(world);
    const Mesh before = lookAt(world);
    const double mass = massOf(world);
    world.commands.push_back(Cut{{0.01f, -5, 0}, {0.01f, 5, -0.4f}, {0.01f, 5, 0.4f}});
    solver.step();
    world.commands.push_back(Cut{{0, -5, 0.01f}, {-0.4f, 5, 0.01f}, {0.4f, 5, 0.01f}});
    stepFrames(solver, 60);
    const Mesh after = lookAt(world);
    EXPECT_GT(world.count(), 225u + 6);
    EXPECT_EQ(after.badEdges + after.badCorners, 0);
    EXPECT_EQ(looseEdges(world), 0);
    EXPECT_EQ(after.triangles, before.triangles);
    EXPECT_NEAR(massOf(world), mass, 1e-5 * mass);
    // nothing is drawn out to threads
    const std::vector<Vec4> x = placesByRow(world), rest = world.solids.restPosition.download();
    for (const ClothTriangle& t : world.solids.triangles.download())
        for (const auto& [a, b] : {std::pair(t.a, t.b), std::pair(t.b, t.c), std::pair(t.c, t.a)})
            EXPECT_LT(length(toDouble(x[a]) - toDouble(x[b])),
                      1.5 * length(toDouble(rest[a]) - toDouble(rest[b])));
}

TEST_P(ClothTearing, CutRopeHangsInTwoParts) {
    World world(exec);
    addMaterial(world, rope(kD));
    const float half = std::sqrt(0.5f);
    addCloth(world, makeRope(straight(20, kD)), 0.1f, 0, {}, {0, 2, 0}, {0, 0, -half, half});
    pin(world, std::vector<uint32_t>{0});
    Solver solver(world);
    const float y = 2 - 9.5f * kD;
    world.commands.push_back(Cut{{-5, y, 0}, {5, y, -9}, {5, y, 9}});
    stepFrames(solver, 30);
    const std::vector<Vec4> x = positions(world);
    EXPECT_GT(x[9].y, 1.4f);
    EXPECT_LT(x[10].y, 1.0f);  // 30 frames: falls g t²/2 = 1.2 m
}

TEST_P(ClothTearing, CutThatMissesChangesNothing) {
    World world(exec);
    addMaterial(world, cloth(kD));
    addCloth(world, makeGrid(5, 5, kD), 0.3f);
    Solver solver(world);
    const uint64_t topology = world.solids.topology;
    world.commands.push_back(Cut{{5, -5, 0}, {5, 5, -9}, {5, 5, 9}});
    solver.step();
    EXPECT_EQ(world.solids.topology, topology);
    EXPECT_EQ(world.count(), 25u);
}

// A torn sheet is saved, loaded into a whole one, and goes on with the same bits.
TEST_P(ClothTearing, TearsAreSaved) {
    const TemporaryFolder folder;
    World first(exec), second(exec);
    heavyCloth(first, 0.05f);
    heavyCloth(second, 0.05f);
    Solver one(first), two(second);
    stepFrames(one, 40);
    ASSERT_GT(first.count(), 169u);
    saveState(first, folder / "torn.state");
    loadState(second, folder / "torn.state");
    EXPECT_EQ(stateHash(second), stateHash(first));
    stepFrames(one, 20), stepFrames(two, 20);
    EXPECT_EQ(stateHash(second), stateHash(first));
}

// A corner beside the cut is dead, or held: it gets no copy, and the rest parts about it.
TEST_P(ClothTearing, CutSkipsRemovedAndPinnedParticles) {
    for (const bool dead : {true, false}) {
        World world(exec);
        addMaterial(world, cloth(kD));
        addCloth(world, makeGrid(12, 12, kD), 0.3f);
        world.parameters.world.gravity = {0, 0, 0};
        const uint32_t beside[] = {5 * 12 + 5, 5 * 12 + 6};  // on both sides
        if (dead)
            world.removeParticles(beside);
        else
            pin(world, beside);
        const size_t count = world.count();
        Solver solver(world);
        world.commands.push_back(Cut{{0.3f * kD, -5, 0}, {0.3f * kD, 5, -9}, {0.3f * kD, 5, 9}});
        stepFrames(solver, 2);
        EXPECT_EQ(world.count(), count + 11);
        const std::vector<Vec4> x = positions(world);
        EXPECT_EQ(std::count_if(x.begin(), x.end(), [](const Vec4& p) { return p.w == 0; }), dead ? 0 : 2);
        for (const Vec4& p : x) EXPECT_TRUE(isFinite(p.w) && std::abs(p.y) < 0.1f);
    }
}

// Three corners around: two neighbors of a corner are neighbors of each other on the far side.
TEST_P(ClothTearing, TearingANarrowTubeKeepsConstraintsOfTheFarSide) {
    TriangleMesh mesh;
    constexpr uint32_t kRings = 8;
    for (uint32_t ring = 0; ring < kRings; ++ring)
        for (int k = 0; k < 3; ++k) {
            const double turn = k * 2 * std::numbers::pi / 3;
            mesh.vertices.push_back({kD * static_cast<float>(ring), kD * static_cast<float>(std::cos(turn)),
                                     kD * static_cast<float>(std::sin(turn))});
        }
    for (uint32_t ring = 0; ring + 1 < kRings; ++ring)
        for (uint32_t k = 0; k < 3; ++k) {
            const uint32_t a = 3 * ring + k, b = 3 * ring + (k + 1) % 3;
            mesh.triangles.insert(mesh.triangles.end(), {{a, b, b + 3}, {a, b + 3, a + 3}});
        }
    World world(exec);
    addMaterial(world, cloth(kD));
    addCloth(world, makeClothMesh(mesh), 0.3f);
    const std::vector<DistanceConstraint> springs = world.solids.springs.download();
    uint32_t torn = 0;
    for (uint32_t k = 0; k < springs.size(); ++k) {
        const bool around = springs[k].a / 3 == springs[k].b / 3;
        if (!around || springs[k].params != springParamsIndex(0u, ClothEdgeKind::stretch)) continue;
        ClothTopology editor(world.bodies, {springs,
                                            world.solids.triangles.download(),
                                            world.solids.restPosition.download(),
                                            {},
                                            placesByRow(world)});
        ++torn;
        editor.tear(k);
        editor.cutBroken();
        std::set<std::array<uint32_t, 2>> held;
        for (const DistanceConstraint& s : editor.tables().springs)
            if (!(s.params & kCut)) held.insert({std::min(s.a, s.b), std::max(s.a, s.b)});
        for (const ClothTriangle& t : editor.tables().triangles)
            for (const auto& [p, q] : {std::pair(t.a, t.b), std::pair(t.b, t.c), std::pair(t.c, t.a)})
                EXPECT_TRUE(held.contains({std::min(p, q), std::max(p, q)})) << p << ' ' << q << " of " << k;
    }
    EXPECT_EQ(torn, 3 * kRings);
}

// Neighbors and contacts of the present particles, found between frames to be drawn or measured, are those that a solver
// finds that knows nothing of the frame before: a cut has made particles since, and the radii of round bodies are by
// particle.
TEST_P(ClothTearing, ContactsBetweenFramesAreOfThePresentParticles) {
    World world(exec);
    addMaterial(world, solid(MaterialKind::rigid, kD, 1.0f));
    const uint32_t sheet = addMaterial(world, cloth(kD));
    addFloor(world);
    addBall(world, {1, 0.2f, 0}, 0.2f);
    addCloth(world, makeGrid(12, 12, kD), 0.3f, sheet, {}, {0, 0.02f, 0});
    Solver solver(world);
    stepFrames(solver, 3);
    const size_t before = world.count();
    world.commands.push_back(Cut{{0.3f * kD, -5, 0}, {0.3f * kD, 5, -9}, {0.3f * kD, 5, 9}});
    solver.step();
    ASSERT_GT(world.count(), before);
    const auto planesOf = [&](Solver& of) {
        of.findNeighbors();
        const Contacts contacts = of.shapeContacts();
        std::vector<uint32_t> start(contacts.start.size);
        exec.copyToHost(start.data(), contacts.start.data, start.size() * sizeof(uint32_t));
        std::vector<float> planes(4 * start.back());
        exec.copyToHost(planes.data(), contacts.planes.data, planes.size() * sizeof(float));
        return std::pair(start, planes);
    };
    const auto [start, planes] = planesOf(solver);
    Solver fresh(world);
    const auto [expectedStart, expected] = planesOf(fresh);
    EXPECT_GT(expected.size(), 100u);
    EXPECT_EQ(start, expectedStart);
    EXPECT_EQ(planes, expected);
}

FOR_EACH_BACKEND(ClothTearing);

}  // namespace
}  // namespace coalesce::test
