// Shapes whose surfaces deform: they push, carry and stop particles like the surface itself. References: the
// motion of the surface by its definition, and rigid shapes of the same form and motion.
#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>
#include <numbers>

#include "core/error.h"
#include "sim/make_world.h"
#include "sim/moving_slab.h"
#include "sim/solver/solver.h"
#include "sim/stage/deforming_shapes.h"
#include "sim/state/state_file.h"
#include "support/each_backend.h"
#include "support/random_values.h"

namespace coalesce::test {
namespace {

constexpr float kSpacing = 0.1f, kRadius = 0.05f;

// A closed plate of n × n quads on either side.
TriangleMesh plateMesh(Vec3 size, uint32_t n) {
    TriangleMesh mesh;
    const auto vertex = [n](uint32_t layer, uint32_t i, uint32_t j) {
        return (layer * (n + 1) + j) * (n + 1) + i;
    };
    for (int layer = 0; layer < 2; ++layer)
        for (uint32_t j = 0; j <= n; ++j)
            for (uint32_t i = 0; i <= n; ++i)
                mesh.vertices.push_back({size.x * (float(i) / float(n) - 0.5f),
                                         size.y * (float(layer) - 0.5f),
                                         size.z * (float(j) / float(n) - 0.5f)});
    const auto quad = [&](uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
        mesh.triangles.push_back({a, b, c});
        mesh.triangles.push_back({a, c, d});
    };
    for (uint32_t k = 0; k < n; ++k) {
        for (uint32_t i = 0; i < n; ++i) {
            quad(vertex(1, i, k), vertex(1, i, k + 1), vertex(1, i + 1, k + 1), vertex(1, i + 1, k));
            quad(vertex(0, i, k), vertex(0, i + 1, k), vertex(0, i + 1, k + 1), vertex(0, i, k + 1));
        }
        quad(vertex(0, k, 0), vertex(1, k, 0), vertex(1, k + 1, 0), vertex(0, k + 1, 0));
        quad(vertex(0, k + 1, n), vertex(1, k + 1, n), vertex(1, k, n), vertex(0, k, n));
        quad(vertex(0, 0, k + 1), vertex(1, 0, k + 1), vertex(1, 0, k), vertex(0, 0, k));
        quad(vertex(0, n, k), vertex(1, n, k), vertex(1, n, k + 1), vertex(0, n, k + 1));
    }
    return mesh;
}

Shape wavingShape(const SurfaceWave& wave, Vec3 size, float cell) {
    Shape s;
    s.kind = ShapeKind::sdf;
    AnimatedSurface surface(plateMesh(size, 24), wave);
    CHECK(surface.report().closed && surface.report().flipped == 0);
    s.deforming = std::make_shared<DeformingField>(
        DeformingField{std::move(surface), {.cell = cell, .margin = 3 * cell}});
    s.geometry = s.deforming->between(0, 0);
    return s;
}

class DeformingShapesTest : public EachBackend {};

TEST_P(DeformingShapesTest, CarryRestingGrains) {
    const Slab slab("coalesce_carry", {0.5f, 0, 0});
    World world(exec);
    MaterialProperties grain = water(kSpacing);
    grain.kind = MaterialKind::grains;
    grain.staticFriction = grain.dynamicFriction = 1;
    addMaterial(world, grain);
    std::vector<ParticleDef> births;
    for (int k = 0; k < 9; ++k)
        births.push_back({.x = {0.3f * (k % 3) - 0.6f, 0.1f + kRadius, 0.3f * (k / 3) - 0.3f}});
    world.addParticles(births);
    world.shapes.push_back(slab.shape(0.05f));
    Solver solver(world);
    for (int frame = 0; frame < 20; ++frame) {
        solver.step();
        if (frame < 12) continue;  // within 0.2 s
        for (const Vec4& v : velocities(world)) {
            EXPECT_NEAR(v.x, 0.5f, 5e-3f) << frame;
            EXPECT_NEAR(v.y, 0, 2e-2f);
        }
    }
    for (const Vec4& x : positions(world)) EXPECT_NEAR(x.y, 0.1f + kRadius, 2e-3f);
    // it carried nine weights
    EXPECT_NEAR(world.shapeReports[0].force.y, -9 * 9.81 * particleMass(grain),
                0.05 * 9 * 9.81 * particleMass(grain));
}

TEST_P(DeformingShapesTest, NeitherLetFastParticlesInNorThrough) {
    // half a radius to a hundred radii per frame
    for (const float speed : {1.5f, 30.0f, 300.0f}) {
        const Slab slab("coalesce_push", {0, speed, 0});
        World world(exec);
        world.parameters.world.gravity = {0, 0, 0};
        world.parameters.solver.substeps = 2;
        world.parameters.solver.maxSpeed = 1e5f;
        addMaterial(world, water(kSpacing));
        std::vector<ParticleDef> births;
        for (int k = 0; k < 36; ++k) {
            const Vec3 aside = randomVec3(3, k, -0.02f, 0.02f);
            births.push_back(
                {.x = Vec3{0.3f * (k % 6) - 0.75f, 0.3f + 0.1f * (k % 5), 0.3f * (k / 6) - 0.75f} + aside});
        }
        world.addParticles(births);
        world.shapes.push_back(slab.shape(0.1f));
        Solver solver(world);
        for (int frame = 0; frame < 8; ++frame) {
            solver.step();
            const float top = 0.1f + speed * float(std::min(world.time, 1.0));
            for (const Vec4& x : positions(world))
                if (std::abs(x.x) < 0.9f && std::abs(x.z) < 0.9f) {
                    ASSERT_GT(x.y, top + 0.98f * kRadius) << speed << " m/s, frame " << frame;
                }
        }
    }
}

TEST_P(DeformingShapesTest, NoneCrossesAWavingPlate) {
    // a plate of 0.3 d that flaps faster than 10 m/s: particles on both sides stay on theirs
    const SurfaceWave wave{.amplitude = 0.3f, .wavelength = 1.5f, .period = 0.2f, .across = {0, 1, 0}};
    const Vec3 size{1.2f, 0.03f, 1.2f};
    World world(exec);
    world.parameters.world.gravity = {0, 0, 0};
    world.parameters.solver.substeps = 2;
    addMaterial(world, water(kSpacing));
    std::vector<ParticleDef> births;
    for (int k = 0; k < 128; ++k) {
        const Vec3 aside = randomVec3(5, k, -0.03f, 0.03f);
        const float side = k < 64 ? 1.0f : -1.0f;
        births.push_back(
            {.x = Vec3{0.13f * (k % 8) - 0.455f, side * 0.45f, 0.13f * (k / 8 % 8) - 0.455f} + aside,
             .v = {0, -6 * side, 0}});
    }
    world.addParticles(births);
    world.shapes.push_back(wavingShape(wave, size, 0.015f));
    Solver solver(world);
    const auto heightAt = [&](float z, double t) {
        const double s = (0.6 - double(z)) / 1.2;
        return 0.3 * (0.2 + 0.8 * s) * std::sin(2 * std::numbers::pi * (s * 1.2 / 1.5 - t / 0.2));
    };
    std::vector<int> side;  // 0: has been beyond an edge, where it may pass
    for (const ParticleDef& birth : births) side.push_back(birth.x.y > 0 ? 1 : -1);
    int met = 0;
    for (int frame = 0; frame < 24; ++frame) {
        solver.step();
        const std::vector<Vec4> x = positions(world);  // by id
        for (size_t i = 0; i < x.size(); ++i) {
            if (std::abs(x[i].x) > 0.5f || std::abs(x[i].z) > 0.5f) side[i] = 0;
            if (side[i] == 0) continue;
            const double above = side[i] * (x[i].y - heightAt(x[i].z, world.time));
            ASSERT_GT(above, 0.015) << "particle " << i << " in frame " << frame;
            met += above < 0.1;
        }
    }
    EXPECT_GT(met, 50) << "particles touch it";
}

TEST_P(DeformingShapesTest, DoNotDependOnWhenFieldsAreBuilt) {
    const auto run = [&](bool ahead) {
        World world(exec);
        addMaterial(world, water(kSpacing));
        world.addParticles(std::vector<ParticleDef>{{.x = {0, 0.3f, 0}}, {.x = {0.2f, 0.4f, 0.1f}}});
        world.shapes.push_back(
            wavingShape({.amplitude = 0.2f, .period = 0.5f, .across = {0, 1, 0}}, {1, 0.1f, 1}, 0.05f));
        auto solver = std::make_unique<Solver>(world);
        for (int frame = 0; frame < 15; ++frame) {
            if (!ahead) solver = std::make_unique<Solver>(world);  // without the field of the next frame
            solver->step();
        }
        return positions(world);
    };
    const std::vector<Vec4> a = run(true), b = run(false);
    EXPECT_EQ(0, std::memcmp(a.data(), b.data(), a.size() * sizeof(Vec4)));
}

// A loaded state shows the surface of its time, before any frame is computed, and goes on as the run.
TEST_P(DeformingShapesTest, AreWhereTheLoadedStateIs) {
    const Slab slab("loaded", {0, 0.5f, 0});
    const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "deforming.state";
    const auto build = [&](World& world) {
        addMaterial(world, water(kSpacing));
        world.addParticles(std::vector<ParticleDef>{{.x = {0, 0.2f, 0}}});
        world.shapes.push_back(slab.shape(0.05f));
    };
    World world(exec);
    build(world);
    Solver solver(world);
    for (int frame = 0; frame < 30; ++frame) solver.step();
    saveState(world, file);
    World loaded(exec);
    build(loaded);
    const auto topOf = [](const World& w) {
        float top = -1e9f;
        for (const Vec3& v : w.shapes[0].geometry->surface.vertices) top = std::max(top, v.y);
        return top;
    };
    EXPECT_NEAR(topOf(loaded), 0.1f, 1e-4f);
    loadState(loaded, file);
    const double way = 0.5 * loaded.time;  // the files are a second apart
    EXPECT_GT(way, 0.2);
    EXPECT_NEAR(topOf(loaded), 0.1 + way, 1e-4);
    EXPECT_NEAR(volumeDistance(loaded.shapes[0].geometry->volume, {0, float(0.15 + way), 0}), 0.05f, 1e-3f);
    Solver next(loaded);
    for (int frame = 0; frame < 5; ++frame) solver.step(), next.step();
    const std::vector<Vec4> a = positions(world), b = positions(loaded);
    EXPECT_EQ(0, std::memcmp(a.data(), b.data(), a.size() * sizeof(Vec4)));
    std::filesystem::remove(file);
}

FOR_EACH_BACKEND(DeformingShapesTest);

}  // namespace
}  // namespace coalesce::test
