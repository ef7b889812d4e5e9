#include "sim/surface/cloth_surface.h"

#include <algorithm>
#include <tuple>

#include "core/for_each.h"

namespace coalesce {

std::vector<std::array<uint32_t, 2>> boundaryEdges(std::span<const Triangle> triangles) {
    using Edge = std::array<uint32_t, 2>;
    const auto sorted = [](const Edge& e) { return Edge{std::min(e[0], e[1]), std::max(e[0], e[1])}; };
    std::vector<Edge> edges;
    for (const Triangle& t : triangles)
        for (size_t k = 0; k < 3; ++k) edges.push_back({t[k], t[(k + 1) % 3]});
    std::sort(edges.begin(), edges.end(), [&](const Edge& a, const Edge& b) {
        return std::tuple(sorted(a), a[0]) < std::tuple(sorted(b), b[0]);
    });
    std::vector<Edge> boundary;
    for (size_t begin = 0, end = 0; begin < edges.size(); begin = end) {
        while (end < edges.size() && sorted(edges[end]) == sorted(edges[begin])) ++end;
        if (end - begin == 1) boundary.push_back(edges[begin]);
    }
    return boundary;
}

void ClothSurface::plan(const World& world) {
    if (m_topology == world.solids.topology) return;
    m_topology = world.solids.topology;
    m_parts.clear();
    const std::vector<ClothTriangle> table = world.solids.triangles.download();
    const std::vector<Vec4> restPosition =
        table.empty() ? std::vector<Vec4>{} : world.solids.restPosition.download();

    constexpr uint32_t kNone = 0xffffffffu;
    std::vector<uint32_t> row, vertexOf(restPosition.size(), kNone), corners;
    std::vector<Triangle> all;  // of vertices
    std::vector<Vec4> rest;
    const auto vertex = [&](uint32_t r) {
        if (vertexOf[r] == kNone) {
            vertexOf[r] = uint32_t(row.size());
            row.push_back(r);
            rest.push_back(vec4(xyz(restPosition[r]), 1.0f));
        }
        return vertexOf[r];
    };
    for (size_t b = 0; b < world.bodies.size(); ++b) {
        const SolidBody& body = world.bodies[b];
        std::vector<Triangle> triangles;
        for (uint32_t k = 0; k < body.triangles; ++k) {
            const ClothTriangle& t = table[body.firstTriangle + k];
            if (!(t.material & kCut)) triangles.push_back({vertex(t.a), vertex(t.b), vertex(t.c)});
        }
        if (triangles.empty()) continue;
        Part part{uint32_t(b), uint32_t(corners.size()), 0, 0};
        const auto add = [&](uint32_t p, uint32_t q, uint32_t r) {
            corners.insert(corners.end(), {p, q, r});
        };
        for (const auto& [p, q, r] : triangles) add(clothCorner(p, 0), clothCorner(q, 0), clothCorner(r, 0));
        part.frontIndices = uint32_t(corners.size()) - part.first;
        for (const auto& [p, q, r] : triangles)
            add(clothCorner(p, kClothBack), clothCorner(r, kClothBack), clothCorner(q, kClothBack));
        // the strip faces away from the triangle of its edge
        for (const auto& [p, q] : boundaryEdges(triangles)) {
            rest[p].w = rest[q].w = kClothHem;
            constexpr uint32_t front = kClothRim, back = kClothRim | kClothBack;
            add(clothCorner(p, front), clothCorner(p, back), clothCorner(q, back));
            add(clothCorner(p, front), clothCorner(q, back), clothCorner(q, front));
        }
        part.indices = uint32_t(corners.size()) - part.first;
        m_parts.push_back(part);
        all.insert(all.end(), triangles.begin(), triangles.end());
    }

    // the triangle fans of the vertices, in the order of the triangles
    std::vector<uint32_t> start(row.size() + 1, 0), others(6 * all.size());
    for (const Triangle& t : all)
        for (const uint32_t v : t) ++start[v + 1];
    for (size_t v = 0; v < row.size(); ++v) start[v + 1] += start[v];
    std::vector<uint32_t> next(start.begin(), start.end() - 1);
    for (const Triangle& t : all) {
        for (size_t k = 0; k < 3; ++k) {
            const uint32_t at = next[t[k]]++;
            others[2 * size_t{at}] = t[(k + 1) % 3];
            others[2 * size_t{at} + 1] = t[(k + 2) % 3];
        }
    }
    m_row.upload(row);
    m_rest.upload(rest);
    m_corners.upload(corners);
    m_fanStart.upload(start);
    m_fanOthers.upload(others);
    m_position.resizeDiscard(row.size());
    m_normal.resizeDiscard(row.size());
    m_index.resizeDiscard(corners.size());
}

void ClothSurface::update(World& world, View<const uint32_t> slotOf) {
    plan(world);
    const size_t vertices = m_row.size();
    forEach(exec, "cloth vertices", vertices,
            GatherClothVertices{m_row.view(), slotOf, world.particles.x.view(), m_position.view()});
    forEach(exec, "cloth normals", vertices,
            GatherClothNormals{
                {m_fanStart.view(), m_fanOthers.view()}, m_position.view(), m_rest.view(), m_normal.view()});
    forEach(exec, "cloth triangles", m_corners.size() / 3,
            WriteClothTriangles{m_corners.view(), m_position.view(), m_index.view()});
}

}  // namespace coalesce
