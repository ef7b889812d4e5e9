#include "sim/stage/shape_surface.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/error.h"
#include "geometry/sdf/polygonize.h"
#include "geometry/shapes/sample.h"

namespace coalesce {

namespace {

constexpr double kApart = 0.8;        // of the spacing that sampleSurface() takes
constexpr double kMostSamples = 1e6;  // area in units of apart²

Vec3d axis(int k, double length) {
    Vec3d a;
    a[k] = length;
    return a;
}

// The faces of a box, each divided into rectangles with sides of at most `cell`.
TriangleMesh boxMesh(Vec3d half, double cell) {
    TriangleMesh mesh;
    for (int face = 0; face < 6; ++face) {
        const int w = face / 2, u = (w + 1) % 3, v = (w + 2) % 3;
        const double side = face % 2 ? 1 : -1;
        const int nu = std::max(1, int(std::ceil(2 * half[u] / cell))),
                  nv = std::max(1, int(std::ceil(2 * half[v] / cell)));
        const auto first = uint32_t(mesh.vertices.size());
        for (int j = 0; j <= nv; ++j)
            for (int i = 0; i <= nu; ++i)
                mesh.vertices.push_back(toFloat(axis(w, side * half[w]) +
                                                axis(u, half[u] * (2.0 * i / nu - 1)) +
                                                axis(v, half[v] * (2.0 * j / nv - 1))));
        for (int j = 0; j < nv; ++j)
            for (int i = 0; i < nu; ++i) {
                const uint32_t a = first + uint32_t(j * (nu + 1) + i), b = a + 1, c = b + uint32_t(nu + 1),
                               d = a + uint32_t(nu + 1);
                mesh.triangles.push_back(side > 0 ? Triangle{a, b, c} : Triangle{a, c, b});
                mesh.triangles.push_back(side > 0 ? Triangle{a, c, d} : Triangle{a, d, c});
            }
    }
    return mesh;
}

// A surface as triangles, in the shape's frame, and where its points really are.
struct Surface {
    TriangleMesh mesh;
    OntoSurface onto;
};

Vec3d normalOf(const TriangleMesh& mesh, size_t triangle) {
    const auto& [a, b, c] = mesh.triangles[triangle];
    const Vec3d origin = toDouble(mesh.vertices[a]);
    return normalizeOr(cross(toDouble(mesh.vertices[b]) - origin, toDouble(mesh.vertices[c]) - origin),
                       {0, 1, 0});
}

// A box around the capsule, whose points move to the closest ones of the capsule.
Surface capsuleSurface(double radius, double halfLength) {
    const Vec3d half{radius, radius + halfLength, radius};
    const auto onto = [=](Vec3d x, size_t) {
        const Vec3d center{0, std::clamp(x.y(), -halfLength, halfLength), 0},
            normal = normalizeOr(x - center, {0, 1, 0});
        return Sample{toFloat(center + radius * normal), 0, toFloat(normal)};
    };
    TriangleMesh mesh = boxMesh(half, 0.25 * radius);
    for (Vec3& v : mesh.vertices) v = onto(toDouble(v), 0).x;
    return {std::move(mesh), onto};
}

Surface fieldSurface(const DistanceVolume& volume, Vec3 scale, double apart) {
    const Vec3 size = volume.cell * Vec3{volume.nx - 1.0f, volume.ny - 1.0f, volume.nz - 1.0f};
    const auto distance = [&volume](Vec3d p) { return double{volumeDistance(volume, toFloat(p))}; };
    TriangleMesh mesh = polygonize(distance, {toDouble(volume.origin), toDouble(volume.origin + size)},
                                   {.cell = std::max(double{volume.cell}, 0.5 * apart), .normals = false});
    for (Vec3& v : mesh.vertices) v = scaled(scale, v);
    return {std::move(mesh), [&volume, scale](Vec3d x, size_t) {
                Vec3 p = unscaled(scale, toFloat(x));
                for (int step = 0; step < 2; ++step)
                    p -= volumeDistance(volume, p) * volumeGradient(volume, p);
                return Sample{scaled(scale, p), 0,
                              normalizeOr(unscaled(scale, volumeGradient(volume, p)), {0, 1, 0})};
            }};
}

Surface surfaceOf(const Shape& shape, double apart) {
    if (shape.kind == ShapeKind::sphere) return capsuleSurface(shape.radius, 0);
    if (shape.kind == ShapeKind::capsule) return capsuleSurface(shape.radius, shape.halfLength);
    if (shape.kind == ShapeKind::sdf) return fieldSurface(shape.geometry->volume, shape.scale, apart);
    Surface surface;
    if (shape.kind == ShapeKind::box) {
        surface.mesh = boxMesh(toDouble(shape.halfExtents), 1e30);
    } else {
        surface.mesh = shape.geometry->surface;
        for (Vec3& v : surface.mesh.vertices) v = scaled(shape.scale, v);
    }
    return surface;
}

void requireRoom(const Surface& surface, const Shape& shape, float apart) {
    const double area = areaOf(surface.mesh);
    if (area < kMostSamples * apart * apart) return;
    fail(
        Exit::Scene, "shapes." + shape.name,
        fmt::format("a surface of {:.3g} m² is too large for boundary particles {:.3g} m apart", area, apart),
        "Set fluid.boundary to wallTerm, or make fluid.boundarySpacing larger, or the shape smaller.");
}

}  // namespace

float sampleDistance(const Parameters& parameters, std::span<const Material> materials) {
    if (parameters.fluid.boundary != FluidBoundary::particles || parameters.solver.planar) return 0;
    float finest = 0;
    for (const Material& m : materials)
        if (isFluid(m.properties) && (finest == 0 || m.properties.spacing < finest))
            finest = m.properties.spacing;
    return parameters.fluid.boundarySpacing * finest;
}

bool isSampled(const Shape& shape) {
    return shape.kind != ShapeKind::plane && !shape.deforming && !shape.trigger;
}

void requireSampleRoom(const Shape& shape, float apart) {
    requireRoom(surfaceOf(shape, apart), shape, apart);
}

std::vector<Vec3> sampleShape(const Shape& shape, float apart) {
    Surface surface = surfaceOf(shape, apart);
    requireRoom(surface, shape, apart);
    if (!surface.onto)
        surface.onto = [&mesh = surface.mesh](Vec3d x, size_t triangle) {
            return Sample{toFloat(x), 0, toFloat(normalOf(mesh, triangle))};
        };
    std::vector<Vec3> points;
    for (const Sample& sample :
         sampleSurface(surface.mesh, float(apart / kApart), surface.onto, "shapes." + shape.name))
        points.push_back(sample.x);
    return points;
}

}  // namespace coalesce
