#include "geometry/query/thinnest_wall.h"

#include <algorithm>
#include <cmath>

#include "geometry/math/vec3d.h"

namespace coalesce {

namespace {

constexpr size_t kTests = 40'000'000;  // pairs of a ray and a triangle, about half a second
constexpr double kOpposite = -0.5;     // cosine between the normals of the sides of a wall

struct Facet {
    Vec3d corner, along, across, normal;  // normal: unit
};

// Distance at which a ray meets the facet (Möller and Trumbore 1997); negative: it does not.
double hit(const Facet& f, const Vec3d& origin, const Vec3d& direction) {
    const Vec3d p = cross(direction, f.across);
    const double determinant = dot(f.along, p);
    if (std::abs(determinant) < 1e-300) return -1;
    const Vec3d from = origin - f.corner;
    const double u = dot(from, p) / determinant;
    if (u < 0 || u > 1) return -1;
    const Vec3d q = cross(from, f.along);
    const double v = dot(direction, q) / determinant;
    return v < 0 || u + v > 1 ? -1 : dot(f.across, q) / determinant;
}

}  // namespace

std::optional<Wall> thinnestWall(const TriangleMesh& mesh) {
    std::vector<Facet> facets;
    for (const auto& [a, b, c] : mesh.triangles) {
        const Vec3d corner = toDouble(mesh.vertices[a]);
        const Vec3d along = toDouble(mesh.vertices[b]) - corner, across = toDouble(mesh.vertices[c]) - corner;
        facets.push_back({corner, along, across, normalizeOr(cross(along, across), {})});
    }
    if (facets.empty()) return {};
    const size_t rays = std::clamp<size_t>(kTests / facets.size(), 1, facets.size());
    std::optional<Wall> thinnest;
    for (size_t k = 0; k < rays; ++k) {
        const Facet& from = facets[k * facets.size() / rays];
        const Vec3d origin = from.corner + (1.0 / 3) * (from.along + from.across), inward = -from.normal;
        // the first surface that the ray meets is the end of the wall, if it faces the other way
        double nearest = 1e300;
        bool opposite = false;
        for (const Facet& to : facets) {
            if (&to == &from) continue;
            const double way = hit(to, origin, inward);
            if (way > 0 && way < nearest) nearest = way, opposite = dot(to.normal, from.normal) < kOpposite;
        }
        if (opposite && (!thinnest || nearest < thinnest->thickness))
            thinnest = Wall{nearest, toFloat(origin)};
    }
    return thinnest;
}

}  // namespace coalesce
