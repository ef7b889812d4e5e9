// Meshes and plain reference computations for the tests of geometry.
#pragma once

#include <cmath>
#include <memory>
#include <string>

#include "geometry/math/vec3d.h"
#include "geometry/mesh/mesh.h"
#include "geometry/query/mesh_distance.h"
#include "geometry/shapes/solid.h"

namespace coalesce::test {

inline std::shared_ptr<const Solid> shape(const std::string& name, float height = 1, Vec3 size = {},
                                          uint64_t seed = 0) {
    return makeSolid({.shape = name, .height = height, .size = size, .seed = seed});
}

// A ball by longitude and latitude, closed, radius 1 unless said otherwise.
inline TriangleMesh ballMesh(int n, float radius = 1, Vec3 center = {}) {
    constexpr double kPi = 3.14159265358979323846;
    TriangleMesh mesh;
    const auto at = [&](int i, int j) {
        const double theta = kPi * i / n, phi = kPi * (j % (2 * n)) / n;
        const double s = i == 0 || i == n ? 0 : std::sin(theta);
        return center + radius * toFloat(Vec3d{s * std::cos(phi), std::cos(theta), s * std::sin(phi)});
    };
    for (int i = 0; i <= n; ++i)
        for (int j = 0; j < 2 * n; ++j) mesh.vertices.push_back(at(i, j));
    const auto index = [&](int i, int j) { return static_cast<uint32_t>(i * 2 * n + j % (2 * n)); };
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < 2 * n; ++j) {
            if (i > 0) mesh.triangles.push_back({index(i, j), index(i, j + 1), index(i + 1, j)});
            if (i + 1 < n) mesh.triangles.push_back({index(i, j + 1), index(i + 1, j + 1), index(i + 1, j)});
        }
    return mesh;
}

inline void append(TriangleMesh& mesh, const TriangleMesh& other) {
    const uint32_t first = static_cast<uint32_t>(mesh.vertices.size());
    mesh.vertices.insert(mesh.vertices.end(), other.vertices.begin(), other.vertices.end());
    for (const auto& [a, b, c] : other.triangles) mesh.triangles.push_back({first + a, first + b, first + c});
}

// Distance to a triangle by successively finer search over its points: slow, independent of the fast
// algorithm.
inline double searchedDistance(Vec3d p, Vec3d a, Vec3d b, Vec3d c) {
    double u = 1.0 / 3, v = 1.0 / 3, step = 0.5;
    const auto far = [&](double s, double t) {
        s = std::fmin(std::fmax(s, 0), 1), t = std::fmin(std::fmax(t, 0), 1 - s);
        return length(a + s * (b - a) + t * (c - a) - p);
    };
    while (step > 1e-9) {
        double best = far(u, v), bu = u, bv = v;
        for (const auto& [du, dv] :
             {std::pair{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, -1}, {-1, 1}, {1, 1}, {-1, -1}}) {
            const double s = std::fmin(std::fmax(u + du * step, 0), 1);
            const double t = std::fmin(std::fmax(v + dv * step, 0), 1 - s);
            if (far(s, t) < best) best = far(s, t), bu = s, bv = t;
        }
        if (bu == u && bv == v) step /= 2;
        u = bu, v = bv;
    }
    return far(u, v);
}

// Signed distance to a mesh without a tree.
inline double plainDistance(const TriangleMesh& mesh, Vec3d p) {
    double best = 1e300;
    for (const auto& [a, b, c] : mesh.triangles)
        best = std::fmin(
            best, length(p - closestOnTriangle(p, toDouble(mesh.vertices[a]), toDouble(mesh.vertices[b]),
                                               toDouble(mesh.vertices[c]))));
    return best;
}

}  // namespace coalesce::test
