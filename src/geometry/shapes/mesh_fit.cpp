#include "geometry/shapes/mesh_fit.h"

#include <fmt/format.h>

#include "core/error.h"

namespace coalesce {

namespace {

constexpr double kFlat = 1e-6;                      // of the largest extent
constexpr double kSmallest = 1e-4, kLargest = 1e5;  // [m] largest extent of a solid
constexpr double kFarthest =
    1e4;  // [half sizes] from a kept origin: coordinates in single precision resolve 1/3000

}  // namespace

MeshFit::MeshFit(const TriangleMesh& mesh, const SolidSpec& spec, const std::string& file) : m_up(spec.up) {
    Vec3d low = Vec3d::Constant(1e300), high = -low;
    for (const Vec3& v : mesh.vertices)
        low = low.cwiseMin(turned(toDouble(v))), high = high.cwiseMax(turned(toDouble(v)));
    const Vec3d extent = high - low;
    const double longest = extent.maxCoeff();
    m_flat = !(extent.minCoeff() > kFlat * longest);
    const Vec3d middle = low + 0.5 * extent;
    m_origin = spec.keepOrigin ? Vec3d{} : middle;
    if (spec.metersPerUnit > 0) {
        m_scale = Vec3d::Constant(double(spec.metersPerUnit));
        if (const double size = longest * m_scale.x(); !(size >= kSmallest && size <= kLargest))
            fail(Exit::Scene, file,
                 fmt::format("the mesh measures {:.3g} units, which are {:.3g} m", longest, size),
                 fmt::format(
                     "It must measure between {:g} m and {:g} m: choose another metersPerUnit, or give a "
                     "height.",
                     kSmallest, kLargest));
    } else if (spec.size.x > 0) {
        m_scale = toDouble(spec.size).cwiseQuotient(extent.cwiseMax(kFlat * longest));
    } else {
        if (!(extent.y() > kFlat * longest))
            fail(Exit::Scene, file, "the mesh is flat, so it cannot be scaled to a height",
                 "Give metersPerUnit or a size, or another upAxis.");
        m_scale = Vec3d::Constant(double(spec.height) / extent.y());
    }
    m_half = 0.5 * m_scale.cwiseProduct(extent);
    m_center = m_scale.cwiseProduct(middle - m_origin);
    if (const double away = length(m_center); !(away <= kFarthest * m_half.maxCoeff()))
        fail(Exit::Scene, file,
             fmt::format("the mesh is {:.3g} m away from its origin, {:.3g} times its size", away,
                         away / (2 * m_half.maxCoeff())),
             "Remove keepOrigin, or move the origin of the file closer to the mesh.");
}

// By a quarter turn that brings the axis up: about x, or about z.
Vec3d MeshFit::turned(Vec3d p) const {
    switch (m_up) {
        case UpAxis::x:
            return {-p.y(), p.x(), p.z()};
        case UpAxis::z:
            return {p.x(), p.z(), -p.y()};
        default:
            return p;
    }
}

Vec3d MeshFit::toFile(Vec3 p) const {
    const Vec3d q = toDouble(p).cwiseQuotient(m_scale) + m_origin;
    switch (m_up) {
        case UpAxis::x:
            return {q.y(), -q.x(), q.z()};
        case UpAxis::z:
            return {q.x(), -q.z(), q.y()};
        default:
            return q;
    }
}

Vec3 MeshFit::displacement(Vec3d inFile) const {
    return toFloat(m_scale.cwiseProduct(turned(inFile)));
}

void MeshFit::apply(TriangleMesh& mesh) const {
    for (Vec3& v : mesh.vertices) v = toFloat(m_scale.cwiseProduct(turned(toDouble(v)) - m_origin));
    for (Vec3& n : mesh.normals)
        n = toFloat(normalizeOr(turned(toDouble(n)).cwiseQuotient(m_scale), {0, 1, 0}));
}

}  // namespace coalesce
