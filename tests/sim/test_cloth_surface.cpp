// Cloth and ropes as they are drawn: the triangles themselves are measured. A closed surface has every edge
// once in each direction, and its volume by the divergence theorem.
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "sim/make_world.h"
#include "sim/surface/cloth_surface.h"
#include "sim/surface/rope_tubes.h"
#include "sim/world/body_factory.h"
#include "sim/world/cloth_mesh.h"
#include "support/each_backend.h"

namespace coalesce::test {
namespace {

constexpr float kSpacing = 0.05f;

uint32_t addCloth(World& world, MaterialKind kind, const ClothMesh& cloth, Vec3 position = {}) {
    MaterialProperties m;
    m.kind = kind;
    m.spacing = kSpacing;
    const uint32_t material = addMaterial(world, m);
    std::vector<BodySample> samples;
    for (const Vec3 x : cloth.points) samples.push_back({.x = x});
    const BodyDef birth{.name = "sheet" + std::to_string(world.bodies.size()),
                        .material = material,
                        .samples = samples,
                        .clusters = {},
                        .links = cloth.links,
                        .triangles = cloth.triangles,
                        .position = position,
                        .skin = nullptr};
    return addBodies(world, {&birth, 1});
}

// Slots by row, as the drawing finds them.
Buffer<uint32_t> slotsOf(World& world) {
    std::vector<uint32_t> slot(world.solids.rows(), kNoSlot);
    const std::vector<uint32_t> id = world.particles.id.download();
    for (const SolidBody& body : world.bodies)
        for (size_t i = 0; i < id.size(); ++i)
            if (id[i] - world.groups[body.group].first < body.rows)
                slot[body.firstRow + id[i] - world.groups[body.group].first] = static_cast<uint32_t>(i);
    Buffer<uint32_t> buffer(world.exec);
    buffer.upload(slot);
    return buffer;
}

using Corner = std::array<float, 3>;
using Triangles = std::vector<std::array<Corner, 3>>;  // those that have not shrunk

Corner cornerAt(Vec3d x) {
    return {static_cast<float>(x.x()), static_cast<float>(x.y()), static_cast<float>(x.z())};
}

Triangles trianglesOf(World& world, ClothSurface& surface) {
    const Buffer<uint32_t> slots = slotsOf(world);
    surface.update(world, slots.view());
    const auto download = [&](auto view) {
        std::vector<std::remove_const_t<std::remove_reference_t<decltype(view[0])>>> host(view.size);
        world.exec.copyToHost(host.data(), view.data, view.size * sizeof host[0]);
        return host;
    };
    const auto position = download(surface.position()), normal = download(surface.normal());
    const auto index = download(surface.index());
    Triangles triangles;
    for (size_t k = 0; k < index.size(); k += 3) {
        if (index[k] == index[k + 1]) continue;
        auto& triangle = triangles.emplace_back();
        for (size_t c = 0; c < 3; ++c) {
            const Vec4 x = position[index[k + c] >> 2], n = normal[index[k + c] >> 2];
            const double lift = (index[k + c] & 1 ? -0.5 : 0.5) * kSpacing * n.w;
            triangle[c] = cornerAt(toDouble(x) + lift * toDouble(n));
        }
    }
    return triangles;
}

Triangles trianglesOf(World& world, RopeTubes& tubes) {
    const Buffer<uint32_t> slots = slotsOf(world);
    tubes.update(world, slots.view());
    std::vector<Vec4> vertex(tubes.vertex().size);
    world.exec.copyToHost(vertex.data(), tubes.vertex().data, vertex.size() * sizeof(Vec4));
    std::vector<uint32_t> index(tubes.index().size);
    world.exec.copyToHost(index.data(), tubes.index().data, index.size() * sizeof(uint32_t));
    Triangles triangles;
    for (size_t k = 0; k < index.size(); k += 3) {
        if (index[k] == index[k + 1]) continue;
        auto& triangle = triangles.emplace_back();
        for (size_t c = 0; c < 3; ++c) triangle[c] = cornerAt(toDouble(vertex[2 * (index[k + c] >> 1)]));
    }
    return triangles;
}

double volumeOf(const Triangles& triangles) {
    double volume = 0;
    const auto at = [](const Corner& c) { return Vec3d{c[0], c[1], c[2]}; };
    for (const auto& [a, b, c] : triangles) volume += dot(at(a), cross(at(b), at(c))) / 6;
    return volume;
}

// Fails where an edge has not exactly one neighbor; gives the number of connected pieces.
int expectClosed(const Triangles& triangles) {
    std::map<std::pair<Corner, Corner>, int> edges;
    std::map<Corner, Corner> parent;
    const auto root = [&](Corner c) {
        while (parent.at(c) != c) c = parent.at(c);
        return c;
    };
    for (const auto& t : triangles)
        for (const Corner& c : t) parent.emplace(c, c);
    for (const auto& t : triangles) {
        for (size_t k = 0; k < 3; ++k) {
            ++edges[{t[k], t[(k + 1) % 3]}];
            parent[root(t[k])] = root(t[(k + 1) % 3]);
        }
    }
    int open = 0;
    for (const auto& [edge, count] : edges) {
        const auto back = edges.find({edge.second, edge.first});
        open += count != 1 || back == edges.end() || back->second != 1;
    }
    EXPECT_EQ(open, 0) << "of " << edges.size() << " edges";
    std::set<Corner> roots;
    for (const auto& [corner, unused] : parent) roots.insert(root(corner));
    return static_cast<int>(roots.size());
}

// A ball of an octahedron's faces, each side halved `times` times.
TriangleMesh ball(float radius, int times) {
    TriangleMesh mesh;
    mesh.vertices = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    mesh.triangles = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
    for (int k = 0; k < times; ++k) {
        std::map<std::pair<uint32_t, uint32_t>, uint32_t> middle;
        const auto between = [&](uint32_t a, uint32_t b) {
            const auto [found, isNew] =
                middle.emplace(std::minmax(a, b), static_cast<uint32_t>(mesh.vertices.size()));
            if (isNew)
                mesh.vertices.push_back(normalizeOr(mesh.vertices[a] + mesh.vertices[b], Vec3{0, 1, 0}));
            return found->second;
        };
        std::vector<Triangle> finer;
        for (const auto& [a, b, c] : mesh.triangles) {
            const uint32_t ab = between(a, b), bc = between(b, c), ca = between(c, a);
            finer.insert(finer.end(), {{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}});
        }
        mesh.triangles = finer;
    }
    for (Vec3& x : mesh.vertices) x = radius * x;
    return mesh;
}

std::vector<Vec3> lineOf(int count) {
    std::vector<Vec3> points;
    for (int k = 0; k < count; ++k) points.push_back({kSpacing * static_cast<float>(k), 0, 0});
    return points;
}

class DrawnCloth : public EachBackend {
protected:
    World world{exec};
    ClothSurface surface{exec};
    RopeTubes tubes{exec};

    // [m³] of a tube along this way with its two ends: an octagon times the length
    static double tube(double way) {
        const double r = 0.5 * kSpacing;
        return 8 * 0.5 * r * r * std::sin(M_PI / 4) * (way + kSpacing);
    }
};

TEST_P(DrawnCloth, NormalsOfASpherePointOutward) {
    const Vec3 center{3, -1, 2};
    addCloth(world, MaterialKind::cloth, makeClothMesh(ball(0.5f, 4)), center);
    const Triangles triangles = trianglesOf(world, surface);
    std::vector<Vec4> position(surface.position().size), normal(surface.normal().size);
    world.exec.copyToHost(position.data(), surface.position().data, position.size() * sizeof(Vec4));
    world.exec.copyToHost(normal.data(), surface.normal().data, normal.size() * sizeof(Vec4));
    ASSERT_EQ(position.size(), 1026u);
    double worst = 0;
    for (size_t v = 0; v < position.size(); ++v) {
        const Vec3d out = toDouble(position[v]) - toDouble(center), n = toDouble(normal[v]);
        EXPECT_NEAR(length(n), 1, 1e-6);
        worst = std::max(worst, std::atan2(length(cross(out, n)), dot(out, n)));
    }
    EXPECT_LT(worst * 180 / M_PI, 0.01);  // [deg]; by area it would be 1.4
    // outside and inside, and nothing between them
    EXPECT_EQ(expectClosed(triangles), 2);
    EXPECT_EQ(triangles.size(), 2 * 2048u);
    // a shell of thickness d about a polyhedron of a little less than the ball's area
    EXPECT_NEAR(volumeOf(triangles) / (4 * M_PI * 0.25 * kSpacing), 1, 0.02);
}

TEST_P(DrawnCloth, ClothShellIsClosed) {
    addCloth(world, MaterialKind::cloth, makeGrid(9, 5, kSpacing), {0, 1, 0});
    const Triangles triangles = trianglesOf(world, surface);
    EXPECT_EQ(expectClosed(triangles), 1);
    // full inside, thinner in the cells at the border
    const double area = 8 * 4 * kSpacing * kSpacing;
    EXPECT_LT(volumeOf(triangles), area * kSpacing);
    EXPECT_GT(volumeOf(triangles), 0.5 * area * kSpacing);
    ASSERT_EQ(surface.parts().size(), 1u);
    EXPECT_EQ(surface.parts()[0].frontIndices, 3u * 2 * 8 * 4);
    EXPECT_EQ(surface.parts()[0].indices, 3u * (2 * 2 * 8 * 4 + 2 * 2 * (8 + 4)));
}

TEST_P(DrawnCloth, TornTrianglesAreNotDrawn) {
    addCloth(world, MaterialKind::cloth, makeGrid(9, 5, kSpacing));
    const size_t before = trianglesOf(world, surface).size();
    std::vector<ClothTriangle> table = world.solids.triangles.download();
    // of the cells in the middle column; the sheet falls into two
    std::vector<Vec4> rest = world.solids.restPosition.download();
    int cut = 0;
    for (ClothTriangle& t : table) {
        const float x = (rest[t.a].x + rest[t.b].x + rest[t.c].x) / 3;
        if (x > 0 && x < kSpacing) t.material |= kCut, ++cut;
    }
    ASSERT_EQ(cut, 8);
    world.solids.triangles.upload(table);
    ++world.solids.topology;
    const Triangles triangles = trianglesOf(world, surface);
    EXPECT_EQ(expectClosed(triangles), 2);
    EXPECT_EQ(triangles.size(), before - 2 * 8 + 2 * (4 + 4) - 2 * 2);
}

TEST_P(DrawnCloth, TrianglesOfRemovedParticlesAreNotDrawn) {
    addCloth(world, MaterialKind::cloth, makeGrid(5, 5, kSpacing), {0, 1, 0});
    addCloth(world, MaterialKind::rope, makeRope(lineOf(9)), {0, 2, 0});
    const size_t before = trianglesOf(world, surface).size();
    const uint32_t middle[] = {12, world.groups[1].first + 4};
    ASSERT_EQ(world.removeParticles(middle), 2u);
    const Triangles after = trianglesOf(world, surface);
    EXPECT_LT(after.size(), before);
    for (const auto& triangle : after)
        for (const Corner& c : triangle) EXPECT_NEAR(c[1], 1, kSpacing) << "a corner nowhere";
    const Triangles rope = trianglesOf(world, tubes);
    EXPECT_EQ(expectClosed(rope), 2);
    EXPECT_NEAR(volumeOf(rope) / (2 * tube(3 * kSpacing)), 1, 1e-4);
}

TEST_P(DrawnCloth, RopeTubeIsClosed) {
    addCloth(world, MaterialKind::rope, makeRope(lineOf(11)), {5, 1, 0});
    addCloth(world, MaterialKind::cloth, makeGrid(3, 3, kSpacing));
    addCloth(world, MaterialKind::rope, makeRope(lineOf(2)), {5, 2, 0});
    const Triangles triangles = trianglesOf(world, tubes);
    EXPECT_EQ(expectClosed(triangles), 2);
    EXPECT_NEAR(volumeOf(triangles) / (tube(10 * kSpacing) + tube(kSpacing)), 1, 1e-4);
    ASSERT_EQ(tubes.parts().size(), 2u);
    EXPECT_EQ(tubes.parts()[1].body, 2u);
    EXPECT_EQ(tubes.parts()[1].first, tubes.parts()[0].indices);
}

TEST_P(DrawnCloth, TornRopeIsDrawnInPieces) {
    addCloth(world, MaterialKind::rope, makeRope(lineOf(10)), {0, 1, 0});
    std::vector<DistanceConstraint> springs = world.solids.springs.download();
    // 0 1 2 3 | 4 | 5 6 7 8 9
    for (DistanceConstraint& s : springs)
        if (std::min(s.a, s.b) + 1 == std::max(s.a, s.b) &&
            (std::min(s.a, s.b) == 3 || std::min(s.a, s.b) == 4))
            s.params |= kCut;
    world.solids.springs.upload(springs);
    ++world.solids.topology;
    const Triangles triangles = trianglesOf(world, tubes);
    EXPECT_EQ(expectClosed(triangles), 3);
    EXPECT_NEAR(volumeOf(triangles) / (tube(3 * kSpacing) + tube(0) + tube(4 * kSpacing)), 1, 1e-4);
}

TEST_P(DrawnCloth, RopeReachesItsAttachments) {
    addCloth(world, MaterialKind::rope, makeRope(lineOf(6)), {0, 1, 0});
    addCloth(world, MaterialKind::cloth, makeGrid(3, 3, kSpacing), {7.5f * kSpacing, 1, 0});
    const uint32_t rope = world.bodies[0].firstRow, cloth = world.bodies[1].firstRow;
    const auto at = [&](uint32_t particle) { return xyz(world.particles.x.download()[particle]); };
    const float way = length(at(5) - at(6));  // nothing was reordered yet
    const std::vector<DistanceConstraint> before = world.solids.springs.download();
    const auto tie = [&](uint32_t a, uint32_t b, float length) {
        std::vector<DistanceConstraint> springs = before;
        springs.push_back({a, b, length, 0});
        world.solids.springs.upload(springs);
        ++world.solids.topology;
        return trianglesOf(world, tubes);
    };
    const double alone = volumeOf(trianglesOf(world, tubes));
    ASSERT_NEAR(alone / tube(5 * kSpacing), 1, 1e-4);

    for (const bool reversed : {false, true}) {
        const Triangles tied = reversed ? tie(cloth, rope + 5, way) : tie(rope + 5, cloth, way);
        EXPECT_EQ(expectClosed(tied), 1);
        EXPECT_NEAR(volumeOf(tied) / tube(5 * kSpacing + way), 1, 0.03);
        EXPECT_EQ(tubes.parts()[0].indices, 3u * kRopeTriangles * 7);
    }
    EXPECT_GT(volumeOf(tie(rope, cloth, way)), 1.2 * alone) << "the first end";
    // neither a long spring, nor one from the middle, nor one that is cut
    EXPECT_NEAR(volumeOf(tie(rope + 5, cloth, 5 * kSpacing)), alone, 1e-9);
    EXPECT_NEAR(volumeOf(tie(rope + 2, cloth, way)), alone, 1e-9);
    EXPECT_NEAR(volumeOf(tie(rope + 5, rope + 1, kSpacing)), alone, 1e-9) << "a loop to itself";

    // with the rope gone, nothing is left at its tie
    tie(rope + 5, cloth, way);
    const uint32_t all[] = {0, 1, 2, 3, 4, 5};
    ASSERT_EQ(world.removeParticles(all), 6u);
    EXPECT_TRUE(trianglesOf(world, tubes).empty());
}

TEST_P(DrawnCloth, OneOfTwoJoinedRopesBridgesTheGap) {
    addCloth(world, MaterialKind::rope, makeRope(lineOf(6)), {0, 1, 0});
    addCloth(world, MaterialKind::rope, makeRope(lineOf(4)), {8 * kSpacing, 1, 0});
    const uint32_t first = world.bodies[0].firstRow, second = world.bodies[1].firstRow;
    const double apart = volumeOf(trianglesOf(world, tubes));
    const std::vector<Vec4> x = world.particles.x.download();
    for (const uint32_t end : {second, second + 3}) {
        std::vector<DistanceConstraint> springs = world.solids.springs.download();
        const float way = length(xyz(x[5]) - xyz(x[6 + end - second]));
        if (way > 4 * kSpacing) continue;
        springs.push_back({end, first + 5, way, 0});
        world.solids.springs.upload(springs);
        ++world.solids.topology;
        const double tied = volumeOf(trianglesOf(world, tubes));
        EXPECT_NEAR((tied - apart) / (tube(way) - tube(0)), 1, 0.05) << "drawn once, and not twice";
        return;
    }
    FAIL() << "no end of the second rope is near the first";
}

// In a plane, corner k of every ring keeps its angle to that plane.
TEST_P(DrawnCloth, TubeRingsDoNotTwistAlongACurve) {
    std::vector<Vec3> points;
    for (int k = 0; k < 40; ++k) {
        const float angle = std::clamp(static_cast<float>(k) - 12, 0.0f, 15.0f) * 0.25f;
        const Vec3 last = points.empty() ? Vec3{0, 0, 0} : points.back();
        points.push_back(last + kSpacing * Vec3{std::cos(angle), std::sin(angle), 0});
    }
    addCloth(world, MaterialKind::rope, makeRope(points), {0, 1, 0});
    EXPECT_EQ(expectClosed(trianglesOf(world, tubes)), 1);
    std::vector<Vec4> vertex(tubes.vertex().size);
    world.exec.copyToHost(vertex.data(), tubes.vertex().data, vertex.size() * sizeof(Vec4));
    const size_t rings = 3 * 39 + 1;
    for (size_t ring = 0; ring < rings; ++ring)
        for (size_t k = 0; k < 9; ++k)
            ASSERT_NEAR(vertex[2 * (9 * ring + k) + 1].z, vertex[2 * k + 1].z, 1e-4) << "ring " << ring;
    // what passed along the rope, of which the stripes are made
    EXPECT_EQ(vertex[2 * 9 * (rings - 1)].w, 39);
}

TEST(DrawnClothDeterminism, BitwiseEqualAcrossBackends) {
    expectSameBitsOnEveryMachine([](Exec& exec) {
        World world(exec);
        addCloth(world, MaterialKind::cloth, makeClothMesh(ball(0.5f, 3)), {0.1f, 0.7f, 0.3f});
        addCloth(world, MaterialKind::rope, makeRope(lineOf(30)), {0, 2, 0});
        addPlane(world, {0, 0.5f, 0}, {0.1f, 1, 0.2f});
        Solver solver(world);
        for (int k = 0; k < 8; ++k) solver.step();
        ClothSurface surface(exec);
        RopeTubes tubes(exec);
        const Buffer<uint32_t> slots = slotsOf(world);
        surface.update(world, slots.view());
        tubes.update(world, slots.view());
        std::vector<Vec4> result;
        for (const View<const Vec4> view : {surface.position(), surface.normal(), tubes.vertex()}) {
            const size_t before = result.size();
            result.resize(before + view.size);
            exec.copyToHost(result.data() + before, view.data, view.size * sizeof(Vec4));
        }
        return result;
    });
}

FOR_EACH_BACKEND(DrawnCloth);

}  // namespace
}  // namespace coalesce::test
