// A shape that deforms by a sequence of mesh files, and so that it moves as a rigid one would.
#pragma once

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <string>

#include "geometry/shapes/solid.h"
#include "sim/world/shapes.h"

namespace coalesce::test {

// A slab of 2 × 0.2 × 2 m whose files move it by `way` in a second.
class Slab {
public:
    explicit Slab(const std::string& name, Vec3 way)
        : m_folder(std::filesystem::path(testing::TempDir()) / name) {
        std::filesystem::create_directories(m_folder);
        const TriangleMesh mesh = makeSolid({.shape = "brick", .size = {2, 0.2f, 2}})->mesh();
        for (int k = 0; k < 2; ++k) {
            std::ofstream out(m_folder / fmt::format("slab_{}.obj", k));
            for (const Vec3& v : mesh.vertices)
                out << fmt::format("v {} {} {}\n", v.x + float(k) * way.x, v.y + float(k) * way.y,
                                   v.z + float(k) * way.z);
            for (const auto& [a, b, c] : mesh.triangles)
                out << fmt::format("f {} {} {}\n", a + 1, b + 1, c + 1);
        }
    }
    ~Slab() { std::filesystem::remove_all(m_folder); }
    Shape shape(float cell) const {
        Shape s;
        s.kind = ShapeKind::sdf;
        AnimatedSurface surface({.rate = 1, .wave = {}, .walk = {}},
                                {.mesh = m_folder / "slab_#.obj", .size = {2, 0.2f, 2}});
        const bool closed = surface.report().closed;
        s.deforming = std::make_shared<DeformingField>(
            DeformingField{std::move(surface), {.cell = cell, .margin = 3 * cell, .closed = closed}});
        s.geometry = s.deforming->between(0, 0);
        return s;
    }

private:
    std::filesystem::path m_folder;
};

}  // namespace coalesce::test
