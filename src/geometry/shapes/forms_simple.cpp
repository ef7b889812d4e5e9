// Boxes, balls, discs, rings and convex rocks.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <vector>

#include "core/hash.h"
#include "geometry/math/random.h"
#include "geometry/query/hull.h"
#include "geometry/shapes/solid_forms.h"

namespace coalesce::forms {

namespace {

SolidForm box(const ShapeParameters& parameters, Vec3d natural) {
    const Vec3d half = 0.5 * parameters.sizeOr(natural);
    const double shortest = 2 * half.minCoeff(), longest = 2 * half.maxCoeff();
    return {.distance = [half](Vec3d p) { return boxDistance(p, half); },
            .bounds = {-1.0 * half, half},
            .tight = true,
            .exact = true,
            .crease = 37,
            .cell = std::max(shortest / 2, longest / 8)};
}

}  // namespace

SolidForm brick(const ShapeParameters& parameters) {
    return box(parameters, {2, 1, 1});
}
SolidForm cube(const ShapeParameters& parameters) {
    return box(parameters, {1, 1, 1});
}
SolidForm rod(const ShapeParameters& parameters) {
    return box(parameters, {1.0 / 8, 1, 1.0 / 8});
}
SolidForm sheet(const ShapeParameters& parameters) {
    return box(parameters, {1, 1, 1.0 / 12});
}

SolidForm sphere(const ShapeParameters&) {
    return {.distance = [](Vec3d p) { return sphereDistance(p, 0.5); },
            .bounds = around(0.5, -0.5, 0.5, 0.5),
            .tight = true,
            .exact = true,
            .cell = 1.0 / 20};
}

namespace {

// A recursively subdivided icosahedron with corners on the sphere: edges of nearly equal length, for
// balloons.
TriangleMesh icosphereMesh(int subdivisions) {
    const auto t = static_cast<float>((1 + std::sqrt(5.0)) / 2);
    TriangleMesh mesh{{{-1, t, 0},
                       {1, t, 0},
                       {-1, -t, 0},
                       {1, -t, 0},
                       {0, -1, t},
                       {0, 1, t},
                       {0, -1, -t},
                       {0, 1, -t},
                       {t, 0, -1},
                       {t, 0, 1},
                       {-t, 0, -1},
                       {-t, 0, 1}},
                      {},
                      {{0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
                       {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
                       {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}}};
    for (int level = 0; level < subdivisions; ++level) {
        std::map<std::array<uint32_t, 2>, uint32_t> middles;
        const auto middle = [&](uint32_t a, uint32_t b) {
            const auto [it, fresh] = middles.try_emplace({std::min(a, b), std::max(a, b)},
                                                         static_cast<uint32_t>(mesh.vertices.size()));
            if (fresh) mesh.vertices.push_back(0.5f * (mesh.vertices[a] + mesh.vertices[b]));
            return it->second;
        };
        std::vector<Triangle> finer;
        for (const auto& [a, b, c] : mesh.triangles) {
            const uint32_t ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
            finer.insert(finer.end(), {{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}});
        }
        mesh.triangles = std::move(finer);
    }
    for (Vec3& p : mesh.vertices) {
        const Vec3d q = toDouble(p);
        p = toFloat((0.5 / length(q)) * q);
    }
    mesh.normals = mesh.vertices;
    for (Vec3& n : mesh.normals) n = 2.0f * n;
    return mesh;
}

}  // namespace

SolidForm icosphere(const ShapeParameters& parameters) {
    SolidForm form = sphere(parameters);
    form.mesh = icosphereMesh(static_cast<int>(parameters["subdivisions"]));
    return form;
}

SolidForm disc(const ShapeParameters& parameters) {
    const double thickness = parameters["thickness"];
    return {.distance =
                [thickness](Vec3d p) {
                    return cylinderDistance({p.x(), p.z() + thickness / 2, p.y()}, 0.5, thickness);
                },
            .bounds = around(0.5, -0.5, 0.5, thickness / 2),
            .tight = true,
            .exact = true,
            .crease = 37,
            .cell = std::clamp(thickness / 2, 1.0 / 40, 1.0 / 20)};
}

namespace {

// Circles around the tube, every second one rotated by half a step: triangles are nearly equilateral at the
// mean distance from the axis, narrower inside and wider outside.
TriangleMesh torusMesh(double ring, double tube, uint32_t circles) {
    const auto steps =
        std::max(6u, static_cast<uint32_t>(std::lround(std::sqrt(0.75) * circles * tube / ring)));
    TriangleMesh mesh;
    for (uint32_t k = 0; k < circles; ++k)
        for (uint32_t j = 0; j < steps; ++j) {
            const double around = 2 * std::numbers::pi * k / circles,
                         about = 2 * std::numbers::pi * (j + 0.5 * (k % 2)) / steps;
            const Vec3d n{std::cos(about) * std::cos(around), std::cos(about) * std::sin(around),
                          std::sin(about)};
            const Vec3d middle{ring * std::cos(around), ring * std::sin(around), 0};
            mesh.vertices.push_back(toFloat(middle + tube * n));
            mesh.normals.push_back(toFloat(n));
            const auto at = [&](uint32_t circle, uint32_t step) {
                return circle % circles * steps + step % steps;
            };
            if (k % 2 == 0) {
                mesh.triangles.push_back({at(k, j), at(k + 1, j), at(k, j + 1)});
                mesh.triangles.push_back({at(k, j + 1), at(k + 1, j), at(k + 1, j + 1)});
            } else {
                mesh.triangles.push_back({at(k, j), at(k + 1, j + 1), at(k, j + 1)});
                mesh.triangles.push_back({at(k, j), at(k + 1, j), at(k + 1, j + 1)});
            }
        }
    return mesh;
}

}  // namespace

SolidForm torus(const ShapeParameters& parameters) {
    const double tube = parameters["tube"];
    SolidForm form{.distance = [tube](Vec3d p) { return torusDistance(p, 0.5 - tube, tube); },
                   .bounds = around(0.5, -0.5, 0.5, tube),
                   .tight = true,
                   .exact = true,
                   .cell = std::clamp(tube / 4, 1.0 / 60, 1.0 / 20)};
    // rotated circles close only after an even number
    if (const auto circles = static_cast<uint32_t>(parameters["circles"]); circles > 0)
        form.mesh = torusMesh(0.5 - tube, tube, std::max(8u, circles / 2 * 2));
    return form;
}

SolidForm uShape(const ShapeParameters& parameters) {
    const double t = parameters["thickness"];
    const Vec3d foot{0.5, t / 2, t / 2}, arm{t / 2, 0.5, t / 2};
    return {.distance =
                [=](Vec3d p) {
                    return std::min(boxDistance(p - Vec3d{0, t / 2 - 0.5, 0}, foot),
                                    boxDistance(mirrored(p) - Vec3d{0.5 - t / 2, 0, 0}, arm));
                },
            .bounds = around(0.5, -0.5, 0.5, t / 2),
            .tight = true,
            .crease = 37,
            .cell = std::clamp(t / 3, 1.0 / 40, 1.0 / 12)};
}

SolidForm rock(const ShapeParameters& parameters) {
    uint64_t state = mix(parameters.seed);
    const auto random = [&] { return static_cast<double>((state = mix(state)) >> 11) * 0x1p-53; };
    const int count = 6 + static_cast<int>(random() * 7);
    // evenly distributed directions on the sphere
    const auto direction = [](int k, int n) {
        const double y = 1 - (2 * k + 1.0) / n, r = std::sqrt(1 - y * y),
                     turn = std::numbers::pi * (3 - std::sqrt(5.0)) * k;
        return Vec3d{r * std::cos(turn), y, r * std::sin(turn)};
    };
    std::vector<std::pair<Vec3d, double>> planes;
    double facing = 0;  // cosine: every direction has a plane within this angle, which avoids long tips
    const auto closed = [&] {
        for (int k = 0; k < 400; ++k) {
            double most = 0;
            for (const auto& [n, offset] : planes) most = std::max(most, dot(n, direction(k, 400)));
            if (most < facing) return false;
        }
        return true;
    };
    // reduce the perturbation and the requirement until the planes enclose a volume
    double shake = 1;
    for (facing = 0.6; planes.empty() || !closed(); shake *= 0.9, facing = std::max(0.98 * facing, 0.3)) {
        planes.clear();
        for (int k = 0; k < count; ++k) {
            const Vec3d offset{random() - 0.5, random() - 0.5, random() - 0.5};
            planes.push_back(
                {normalizeOr(direction(k, count) + shake * offset, {0, 1, 0}), 0.35 + 0.15 * random()});
        }
    }
    const auto distance = [planes](Vec3d p) {
        double d = -1e30;
        for (const auto& [n, offset] : planes) d = std::max(d, dot(n, p) - offset);
        return d;
    };
    // corners: intersections of three planes that no other plane cuts off
    std::vector<Vec3> corners;
    for (int i = 0; i < count; ++i)
        for (int j = 0; j < i; ++j)
            for (int k = 0; k < j; ++k) {
                const auto& [a, u] = planes[i];
                const auto& [b, v] = planes[j];
                const auto& [c, w] = planes[k];
                const double volume = dot(a, cross(b, c));
                if (std::abs(volume) < 1e-9) continue;
                const Vec3d p = (1 / volume) * (u * cross(b, c) + v * cross(c, a) + w * cross(a, b));
                if (distance(p) < 1e-9) corners.push_back(toFloat(p));
            }
    TriangleMesh mesh = convexHull(corners).mesh;
    const Box box = boundsOf(mesh);
    return {.distance = distance,
            .bounds = {toDouble(box.low), toDouble(box.high)},
            .tight = true,
            .mesh = std::move(mesh)};
}

}  // namespace coalesce::forms
