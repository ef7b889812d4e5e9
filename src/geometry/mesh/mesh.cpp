#include "geometry/mesh/mesh.h"

#include <algorithm>
#include <tuple>

#include "geometry/math/vec3d.h"

namespace coalesce {

Box boundsOf(const TriangleMesh& mesh) {
    if (mesh.vertices.empty()) return {};
    Box box{mesh.vertices[0], mesh.vertices[0]};
    for (const Vec3& v : mesh.vertices) {
        box.low = {std::min(box.low.x, v.x), std::min(box.low.y, v.y), std::min(box.low.z, v.z)};
        box.high = {std::max(box.high.x, v.x), std::max(box.high.y, v.y), std::max(box.high.z, v.z)};
    }
    return box;
}

double volumeOf(const TriangleMesh& mesh) {
    double sixfold = 0;
    for (const auto& [a, b, c] : mesh.triangles)
        sixfold +=
            dot(toDouble(mesh.vertices[a]), cross(toDouble(mesh.vertices[b]), toDouble(mesh.vertices[c])));
    return sixfold / 6;
}

double areaOf(const TriangleMesh& mesh) {
    double twofold = 0;
    for (const auto& [a, b, c] : mesh.triangles) {
        const Vec3d origin = toDouble(mesh.vertices[a]);
        twofold += length(cross(toDouble(mesh.vertices[b]) - origin, toDouble(mesh.vertices[c]) - origin));
    }
    return twofold / 2;
}

std::vector<Vec3> smoothNormals(const TriangleMesh& mesh) {
    std::vector<Vec3d> sums(mesh.vertices.size());
    for (const Triangle& t : mesh.triangles) {
        const Vec3d a = toDouble(mesh.vertices[t[0]]);
        const Vec3d n = cross(toDouble(mesh.vertices[t[1]]) - a, toDouble(mesh.vertices[t[2]]) - a);
        for (const uint32_t v : t) sums[v] = sums[v] + n;
    }
    std::vector<Vec3> normals;
    for (const Vec3d& n : sums) normals.push_back(toFloat(normalizeOr(n, {0, 1, 0})));
    return normals;
}

std::vector<Triangle> weldedTriangles(const TriangleMesh& mesh) {
    std::vector<uint32_t> order(mesh.vertices.size()), first(mesh.vertices.size());
    for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    const auto key = [&](uint32_t i) {
        const Vec3& v = mesh.vertices[i];
        return std::tuple(v.x, v.y, v.z);
    };
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
    for (size_t k = 0; k < order.size(); ++k)
        first[order[k]] = k > 0 && key(order[k - 1]) == key(order[k]) ? first[order[k - 1]] : order[k];
    std::vector<Triangle> welded;
    for (const auto& [a, b, c] : mesh.triangles) welded.push_back({first[a], first[b], first[c]});
    return welded;
}

bool isClosed(const TriangleMesh& mesh) {
    // every directed edge needs its reverse
    std::vector<std::pair<uint32_t, uint32_t>> there, back;
    for (const Triangle& t : weldedTriangles(mesh)) {
        if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) continue;
        for (int k = 0; k < 3; ++k) {
            there.push_back({t[k], t[(k + 1) % 3]});
            back.push_back({t[(k + 1) % 3], t[k]});
        }
    }
    std::sort(there.begin(), there.end());
    std::sort(back.begin(), back.end());
    return !there.empty() && there == back;
}

}  // namespace coalesce
