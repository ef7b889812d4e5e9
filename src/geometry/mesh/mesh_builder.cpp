#include "geometry/mesh/mesh_builder.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <unordered_map>

#include "geometry/math/vec3d.h"

namespace coalesce {

void MeshBuilder::checkCount(const std::vector<Vec3>& list, const char* what) const {
    if (list.size() >= m_limits.vertices)
        m_complain(fmt::format("more than {} {}", m_limits.vertices, what), "Simplify the mesh.");
}

void MeshBuilder::addPosition(double x, double y, double z) {
    checkCount(positions, "vertices");
    for (const double c : {x, y, z})
        if (!(std::abs(c) <= m_limits.coordinate))
            m_complain(fmt::format("coordinate {} is out of range", c),
                       fmt::format("Coordinates must be finite and within ±{}.", m_limits.coordinate));
    positions.push_back(toFloat(Vec3d{x, y, z}));
}

void MeshBuilder::addNormal(double x, double y, double z) {
    checkCount(normals, "normals");
    if (!std::isfinite(x) || !std::isfinite(y) || !std::isfinite(z)) m_complain("a normal is not finite", "");
    const double scale = std::max({std::abs(x), std::abs(y), std::abs(z)});
    if (scale == 0) m_normalsMissing = true;
    normals.push_back(scale == 0 ? Vec3{} : toFloat(normalizeOr((1 / scale) * Vec3d{x, y, z}, {})));
}

// The first corner whose fan has a consistent orientation; 0 if there is none.
size_t MeshBuilder::apexOf(const std::vector<Corner>& corners) const {
    const size_t n = corners.size();
    const auto at = [&](size_t k) { return toDouble(positions[corners[k % n].position]); };
    Vec3d normal;
    for (size_t k = 1; k + 1 < n; ++k) normal = normal + cross(at(k) - at(0), at(k + 1) - at(0));
    for (size_t apex = 0; apex < n; ++apex) {
        bool good = true;
        for (size_t k = 1; k + 1 < n && good; ++k)
            good = dot(cross(at(apex + k) - at(apex), at(apex + k + 1) - at(apex)), normal) >= 0;
        if (good) return apex;
    }
    return 0;
}

void MeshBuilder::addPolygon(const std::vector<Corner>& corners) {
    if (corners.size() < 3)
        m_complain(fmt::format("a face with {} corners", corners.size()),
                   "A face needs at least three corners.");
    if (m_triangles.size() + corners.size() - 2 > m_limits.triangles)
        m_complain(fmt::format("more than {} triangles", m_limits.triangles), "Simplify the mesh.");
    const size_t n = corners.size(), apex = n == 3 ? 0 : apexOf(corners);
    for (size_t k = 1; k + 1 < n; ++k) {
        const Corner &a = corners[apex], &b = corners[(apex + k) % n], &c = corners[(apex + k + 1) % n];
        if (a.position == b.position || b.position == c.position || c.position == a.position) continue;
        for (const Corner& corner : {a, b, c}) m_normalsMissing |= corner.normal == kNone;
        m_triangles.push_back({a, b, c});
    }
}

TriangleMesh MeshBuilder::finish() {
    if (m_triangles.empty()) m_complain("the mesh has no triangles", "");
    TriangleMesh mesh;
    // one vertex per pair of position and normal, in order of first use
    std::unordered_map<uint64_t, uint32_t> vertexOf;
    for (const auto& corners : m_triangles) {
        Triangle triangle{};
        for (int k = 0; k < 3; ++k) {
            const uint32_t normal = m_normalsMissing ? kNone : corners[k].normal;
            const uint64_t key = uint64_t{normal} << 32 | corners[k].position;
            const auto [vertex, isNew] =
                vertexOf.try_emplace(key, static_cast<uint32_t>(mesh.vertices.size()));
            if (isNew) {
                mesh.vertices.push_back(positions[corners[k].position]);
                if (normal != kNone) mesh.normals.push_back(normals[normal]);
            }
            triangle[k] = vertex->second;
        }
        mesh.triangles.push_back(triangle);
    }
    if (mesh.normals.empty()) mesh.normals = smoothNormals(mesh);
    return mesh;
}

}  // namespace coalesce
