// The base of the tests of cloth, and what they share.
#pragma once

#include <gtest/gtest.h>

#include "sim/make_cloth_meshes.h"
#include "support/each_backend.h"

namespace coalesce::test {

inline constexpr float kD = 0.05f;  // [m] spacing of all sheets here

class Cloth : public EachBackend {};

struct Setting {
    double frameRate;
    int substeps, iterations;
};

// The corners of a cube, each face two triangles, subdivided: a closed sheet.
inline ClothMesh closedBox(int cells, float step) {
    TriangleMesh mesh;
    const auto half = 0.5f * static_cast<float>(cells);
    const auto face = [&](Vec3 o, Vec3 u, Vec3 v) {
        for (int j = 0; j < cells; ++j)
            for (int i = 0; i < cells; ++i) {
                // halves of whole numbers are exact: corners of neighbors coincide
                const auto at = [&](int a, int b) {
                    return step * (o + static_cast<float>(a) * u + static_cast<float>(b) * v);
                };
                const auto n = static_cast<uint32_t>(mesh.vertices.size());
                mesh.vertices.insert(mesh.vertices.end(),
                                     {at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)});
                mesh.triangles.insert(mesh.triangles.end(), {{n, n + 1, n + 2}, {n, n + 2, n + 3}});
            }
    };
    const Vec3 x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
    face({-half, -half, half}, x, y), face({half, -half, -half}, -x, y);
    face({half, -half, half}, -z, y), face({-half, -half, -half}, z, y);
    face({-half, half, half}, x, -z), face({-half, -half, -half}, x, z);
    return makeClothMesh(mesh);
}

}  // namespace coalesce::test
