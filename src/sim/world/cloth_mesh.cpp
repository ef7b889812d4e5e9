#include "sim/world/cloth_mesh.h"

#include <algorithm>
#include <limits>
#include <map>
#include <queue>

namespace coalesce {

namespace {

void join(ClothMesh& cloth, uint32_t a, uint32_t b, ClothEdgeKind kind) {
    cloth.links.push_back({a, b, kind, length(cloth.points[a] - cloth.points[b])});
}

// A third of every triangle's area to each of its corners.
void shareArea(ClothMesh& cloth) {
    cloth.share.assign(cloth.points.size(), 0);
    for (const Triangle& t : cloth.triangles) {
        const Vec3 a = cloth.points[t[0]], b = cloth.points[t[1]], c = cloth.points[t[2]];
        const float area = 0.5f * length(cross(b - a, c - a));
        for (const uint32_t corner : t) cloth.share[corner] += area / 3;
    }
}

}  // namespace

ClothMesh makeGrid(int nx, int nz, float step) {
    ClothMesh cloth;
    const auto at = [&](int i, int k) { return uint32_t(k * nx + i); };
    for (int k = 0; k < nz; ++k)
        for (int i = 0; i < nx; ++i)
            cloth.points.push_back(
                {(float(i) - 0.5f * float(nx - 1)) * step, 0, (float(k) - 0.5f * float(nz - 1)) * step});
    for (int k = 0; k < nz; ++k)
        for (int i = 0; i < nx; ++i) {
            if (i + 1 < nx) join(cloth, at(i, k), at(i + 1, k), ClothEdgeKind::stretch);
            if (k + 1 < nz) join(cloth, at(i, k), at(i, k + 1), ClothEdgeKind::stretch);
            if (i + 2 < nx) join(cloth, at(i, k), at(i + 2, k), ClothEdgeKind::bend);
            if (k + 2 < nz) join(cloth, at(i, k), at(i, k + 2), ClothEdgeKind::bend);
            if (i + 1 >= nx || k + 1 >= nz) continue;
            const uint32_t a = at(i, k), b = at(i + 1, k), c = at(i, k + 1), d = at(i + 1, k + 1);
            join(cloth, a, d, ClothEdgeKind::shear);
            join(cloth, b, c, ClothEdgeKind::shear);
            // alternating diagonals, so that neither direction is softer; normals point to +y
            if ((i + k) % 2 == 0)
                cloth.triangles.insert(cloth.triangles.end(), {{a, c, d}, {a, d, b}});
            else
                cloth.triangles.insert(cloth.triangles.end(), {{a, c, b}, {b, c, d}});
        }
    shareArea(cloth);
    return cloth;
}

ClothMesh makeClothMesh(const TriangleMesh& mesh) {
    ClothMesh cloth;
    const std::vector<Triangle> welded = weldedTriangles(mesh);
    std::vector<uint32_t> pointOf(mesh.vertices.size(), 0xffffffffu);
    for (const Triangle& t : welded) {
        Triangle renamed{};
        for (int k = 0; k < 3; ++k) {
            uint32_t& point = pointOf[t[k]];
            if (point == 0xffffffffu) {
                point = uint32_t(cloth.points.size());
                cloth.points.push_back(mesh.vertices[t[k]]);
            }
            renamed[k] = point;
        }
        cloth.triangles.push_back(renamed);
    }
    // the corners opposite each edge, by the edge in ascending order
    std::map<std::array<uint32_t, 2>, std::vector<uint32_t>> facing;
    for (const Triangle& t : cloth.triangles)
        for (int k = 0; k < 3; ++k) {
            const uint32_t a = t[k], b = t[(k + 1) % 3];
            facing[{std::min(a, b), std::max(a, b)}].push_back(t[(k + 2) % 3]);
        }
    for (const auto& [edge, corners] : facing) {
        join(cloth, edge[0], edge[1], ClothEdgeKind::stretch);
        if (corners.size() == 2 && corners[0] != corners[1])
            join(cloth, corners[0], corners[1], ClothEdgeKind::bend);
    }
    shareArea(cloth);
    return cloth;
}

ClothMesh makeRope(std::span<const Vec3> points) {
    ClothMesh cloth;
    cloth.points.assign(points.begin(), points.end());
    cloth.share.assign(points.size(), 0);
    for (uint32_t i = 0; i + 1 < points.size(); ++i) {
        join(cloth, i, i + 1, ClothEdgeKind::stretch);
        cloth.share[i] += 0.5f * cloth.links.back().length;
        cloth.share[i + 1] += 0.5f * cloth.links.back().length;
    }
    for (uint32_t i = 0; i + 2 < points.size(); ++i) join(cloth, i, i + 2, ClothEdgeKind::bend);
    return cloth;
}

std::vector<ClothEdge> makeTethers(const ClothMesh& cloth, std::span<const uint32_t> anchors, float slack) {
    struct Path {
        uint32_t to;
        float length;
    };
    std::vector<std::vector<Path>> paths(cloth.points.size());
    for (const ClothEdge& link : cloth.links)
        if (link.kind == ClothEdgeKind::stretch || link.kind == ClothEdgeKind::shear) {
            paths[link.a].push_back({link.b, link.length});
            paths[link.b].push_back({link.a, link.length});
        }
    // Dijkstra from all anchors at once; of equal paths that from the lower anchor is found first
    std::vector<float> far(cloth.points.size(), std::numeric_limits<float>::max());
    std::vector<uint32_t> anchorOf(cloth.points.size(), 0);
    using Entry = std::tuple<float, uint32_t, uint32_t>;  // length, anchor, particle
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
    for (const uint32_t anchor : anchors) open.emplace(0.0f, anchor, anchor);
    while (!open.empty()) {
        const auto [path, anchor, at] = open.top();
        open.pop();
        if (path >= far[at]) continue;
        far[at] = path, anchorOf[at] = anchor;
        for (const Path& next : paths[at])
            if (path + next.length < far[next.to]) open.emplace(path + next.length, anchor, next.to);
    }
    std::vector<ClothEdge> tethers;
    for (uint32_t i = 0; i < cloth.points.size(); ++i)
        if (far[i] > 0 && far[i] < std::numeric_limits<float>::max())
            tethers.push_back({i, anchorOf[i], ClothEdgeKind::tether, far[i] * (1 + slack)});
    return tethers;
}

}  // namespace coalesce
