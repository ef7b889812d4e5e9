// Meshes with fewer triangles: exact results where they are known, and the topology everywhere.
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <tbb/global_control.h>

#include "geometry/query/mesh_reduction.h"
#include "meshes.h"

namespace coalesce::test {
namespace {

ReducedMesh reducible(const TriangleMesh& mesh) {
    ReducedMesh made{mesh.vertices, mesh.triangles, {}};
    for (uint32_t v = 0; v < mesh.vertices.size(); ++v) made.source.push_back(v);
    return made;
}
TriangleMesh meshOf(const ReducedMesh& mesh) {
    return {mesh.position, {}, mesh.triangle};
}
int eulerNumber(const ReducedMesh& mesh) {
    return int(mesh.size()) - int(mesh.triangle.size()) / 2;
}
// Every directed edge once, with its opposite; as many vertices as are used.
void expectClosed(const ReducedMesh& mesh) {
    std::map<std::pair<uint32_t, uint32_t>, int> edges;
    std::set<uint32_t> used;
    for (const Triangle& t : mesh.triangle)
        for (size_t k = 0; k < 3; ++k) ++edges[{t[k], t[(k + 1) % 3]}], used.insert(t[k]);
    for (const auto& [edge, count] : edges) {
        EXPECT_EQ(count, 1);
        EXPECT_EQ(edges.count({edge.second, edge.first}), 1u);
    }
    EXPECT_EQ(used.size(), mesh.size());
    EXPECT_EQ(mesh.source.size(), mesh.size());
}

// A grid of n × n squares on each side of the box with these half-sizes, without double vertices.
TriangleMesh boxMesh(int n, Vec3 half, Vec3 center = {}) {
    TriangleMesh mesh;
    std::map<std::array<int, 3>, uint32_t> known;
    const auto vertex = [&](std::array<int, 3> at) {
        const auto [entry, isNew] = known.try_emplace(at, uint32_t(mesh.vertices.size()));
        const auto place = [&](int i) { return 2 * float(i) / float(n) - 1; };
        if (isNew)
            mesh.vertices.push_back(
                center + Vec3{half.x * place(at[0]), half.y * place(at[1]), half.z * place(at[2])});
        return entry->second;
    };
    for (size_t axis = 0; axis < 3; ++axis)
        for (const int side : {0, n})
            for (int i = 0; i < n; ++i)
                for (int j = 0; j < n; ++j) {
                    const auto corner = [&](int u, int v) {
                        std::array<int, 3> at{};
                        at[axis] = side, at[(axis + 1) % 3] = i + u, at[(axis + 2) % 3] = j + v;
                        return vertex(at);
                    };
                    const uint32_t a = corner(0, 0), b = corner(1, 0), c = corner(1, 1), d = corner(0, 1);
                    if (side == n)
                        mesh.triangles.push_back({a, b, c}), mesh.triangles.push_back({a, c, d});
                    else
                        mesh.triangles.push_back({a, c, b}), mesh.triangles.push_back({a, d, c});
                }
    return mesh;
}

TriangleMesh torusMesh(int n, int m) {
    TriangleMesh mesh;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < m; ++j) {
            const double u = 2 * M_PI * i / n, v = 2 * M_PI * j / m, ring = 2 + std::cos(v);
            mesh.vertices.push_back(toFloat(Vec3d{ring * std::cos(u), std::sin(v), ring * std::sin(u)}));
            const auto at = [&](int k, int l) { return uint32_t((k % n) * m + l % m); };
            mesh.triangles.push_back({at(i, j), at(i, j + 1), at(i + 1, j)});
            mesh.triangles.push_back({at(i, j + 1), at(i + 1, j + 1), at(i + 1, j)});
        }
    return mesh;
}

TEST(MeshReduction, AFinelyMeshedBoxKeepsItsCornersOnFewTriangles) {
    const Vec3 half{1, 2, 0.5f}, center{30, -4, 7};
    const TriangleMesh fine = boxMesh(12, half, center);
    ASSERT_EQ(fine.triangles.size(), 1728u);
    ReducedMesh mesh = reducible(fine);
    decimate(mesh, 1e-3, 1e9);
    expectClosed(mesh);
    EXPECT_LE(mesh.triangle.size(), 40u);  // 12 are the least
    for (int corner = 0; corner < 8; ++corner) {
        const Vec3 at = center + Vec3{(corner & 1 ? 1 : -1) * half.x, (corner & 2 ? 1 : -1) * half.y,
                                      (corner & 4 ? 1 : -1) * half.z};
        float nearest = 1e9f;
        for (const Vec3 p : mesh.position) nearest = std::min(nearest, length(p - at));
        EXPECT_LT(nearest, 2e-3f) << corner;
    }
    EXPECT_NEAR(volumeOf(meshOf(mesh)), 8, 1e-2);
}

TEST(MeshReduction, EdgesStayShorterThanTheLongest) {
    ReducedMesh mesh = reducible(boxMesh(12, {1, 1, 1}));
    decimate(mesh, 1e-3, 0.8);
    expectClosed(mesh);
    EXPECT_GT(mesh.triangle.size(), 12u);
    EXPECT_LT(mesh.triangle.size(), 700u);
    for (const Triangle& t : mesh.triangle)
        for (size_t k = 0; k < 3; ++k)
            EXPECT_LE(length(mesh.position[t[k]] - mesh.position[t[(k + 1) % 3]]), 0.8001f);
    EXPECT_NEAR(volumeOf(meshOf(mesh)), 8, 1e-2);
}

// The given surface and the decimated one lie within the tolerance of
// each other, up to the sagitta of the given mesh.
TEST(MeshReduction, DecimationStaysWithinTheTolerance) {
    const TriangleMesh fine = torusMesh(120, 60);
    for (const double tolerance : {0.01, 0.04}) {
        SCOPED_TRACE(tolerance);
        ReducedMesh mesh = reducible(fine);
        decimate(mesh, tolerance, 1e9);
        expectClosed(mesh);
        EXPECT_EQ(eulerNumber(mesh), 0) << "one hole";
        EXPECT_LT(mesh.triangle.size(), fine.triangles.size() / (tolerance > 0.02 ? 8 : 4));
        EXPECT_NEAR(volumeOf(meshOf(mesh)) / volumeOf(fine), 1, 0.01);
        double farthest = 0;
        const MeshDistance before(fine), after(meshOf(mesh));
        for (const Vec3 p : mesh.position)
            farthest = std::max(farthest, before.closest(toDouble(p)).distance);
        for (const Vec3 p : fine.vertices) farthest = std::max(farthest, after.closest(toDouble(p)).distance);
        EXPECT_LT(farthest, tolerance + 0.002);
    }
}

// Blocks of space are reduced at the same time, and their borders after them.
TEST(MeshReduction, DecimationIsTheSameForAnyNumberOfThreads) {
    constexpr double kLongest = 0.25;  // [m] blocks of 2 m: the box lies in 64 of them
    const auto reduced = [](size_t threads) {
        const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
        ReducedMesh mesh = reducible(boxMesh(60, {3, 3, 3}, {0.1f, 0.2f, 0.3f}));
        decimate(mesh, 0.001, kLongest);
        return mesh;
    };
    const ReducedMesh one = reduced(1);
    expectClosed(one);
    EXPECT_EQ(eulerNumber(one), 2);
    EXPECT_LT(one.triangle.size(), boxMesh(60, {3, 3, 3}).triangles.size() / 2) << "too few edges collapsed";
    for (const size_t threads : {2, 7}) {
        const ReducedMesh many = reduced(threads);
        EXPECT_EQ(many.triangle, one.triangle) << threads;
        EXPECT_EQ(many.source, one.source) << threads;
        for (size_t v = 0; v < std::min(one.size(), many.size()); ++v)
            EXPECT_TRUE(many.position[v] == one.position[v]) << v;
    }
    // no seam: triangles at the borders of blocks, x = 0 and x = ±2, are as large as elsewhere
    size_t near = 0, all = 0;
    for (const Vec3 x : one.position) {
        if (std::abs(std::abs(x.y - 0.2f) - 3) > 0.01f) continue;  // top and bottom
        ++all;
        near += std::abs(x.x - 2 * std::round(x.x / 2)) < 0.25f;
    }
    EXPECT_NEAR(double(near) / double(all), 0.25, 0.06) << "share of a quarter of the area";
}

TEST(MeshReduction, AVertexKeepsTheNumberOfANearOne) {
    const TriangleMesh fine = torusMesh(120, 60);
    ReducedMesh mesh = reducible(fine);
    decimate(mesh, 0.01, 0.5);
    std::set<uint32_t> sources(mesh.source.begin(), mesh.source.end());
    EXPECT_EQ(sources.size(), mesh.size());
    for (size_t v = 0; v < mesh.size(); ++v)
        EXPECT_LT(length(mesh.position[v] - fine.vertices[mesh.source[v]]), 0.4f) << "edges are up to 0.5";
}

TEST(MeshReduction, SmallPiecesAndCavitiesVanish) {
    TriangleMesh all = boxMesh(2, {0.5f, 0.5f, 0.5f});  // 1 m³
    append(all, boxMesh(1, {0.2f, 0.2f, 0.2f}, {5, 0, 0}));
    TriangleMesh cavity = boxMesh(1, {0.3f, 0.3f, 0.3f});
    for (Triangle& t : cavity.triangles) std::swap(t[1], t[2]);
    append(all, cavity);
    append(all, boxMesh(1, {0.5f, 0.5f, 0.6f}, {0, 9, 0}));  // 1.2 m³
    const auto left = [&](double minVolume) {
        ReducedMesh mesh = reducible(all);
        dropSmallPieces(mesh, minVolume);
        expectClosed(mesh);
        for (size_t v = 0; v < mesh.size(); ++v)
            EXPECT_TRUE(mesh.position[v] == all.vertices[mesh.source[v]]);
        return volumeOf(meshOf(mesh));
    };
    EXPECT_NEAR(left(0), 1 + 0.064 - 0.216 + 1.2, 1e-5);
    EXPECT_NEAR(left(0.1), 1 - 0.216 + 1.2, 1e-5);
    EXPECT_NEAR(left(0.3), 1 + 1.2, 1e-5);
    EXPECT_NEAR(left(1.1), 1.2, 1e-5);
    EXPECT_EQ(left(2), 0);
}

// An octahedron around one node, as marching cubes makes it of a single node inside: it may not vanish.
TEST(MeshReduction, APieceAtOneNodeStaysClosed) {
    TriangleMesh mesh{
        {{0.3f, 0, 0}, {-0.2f, 0, 0}, {0, 0.3f, 0}, {0, -0.3f, 0}, {0, 0, 0.1f}, {0, 0, -0.4f}}, {}, {}};
    for (const uint32_t x : {0u, 1u})
        for (const uint32_t y : {2u, 3u})
            for (const uint32_t z : {4u, 5u})
                mesh.triangles.push_back((x + y + z) % 2 == 0 ? Triangle{x, y, z} : Triangle{x, z, y});
    ASSERT_GT(volumeOf(mesh), 0);
    ReducedMesh merged = reducible(mesh), decimated = merged;
    mergeAtNodes(merged, 1, 0.5);
    decimate(decimated, 10, 10);
    for (const ReducedMesh& m : {merged, decimated}) {
        expectClosed(m);
        EXPECT_GE(m.triangle.size(), 4u);
        EXPECT_GT(volumeOf(meshOf(m)), 0);
    }
}

}  // namespace
}  // namespace coalesce::test
