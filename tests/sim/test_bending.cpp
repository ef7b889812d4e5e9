// Bending of cloth by the angles between its triangles. References: finite differences, statics of a
// cantilever.
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <numbers>

#include "kernels/cloth/dihedral_bend.h"
#include "sim/cloth_suite.h"
#include "sim/make_bodies.h"
#include "sim/make_cloth_meshes.h"
#include "sim/world/body_factory.h"
#include "support/each_backend.h"

namespace coalesce::test {
namespace {

// What the angle between the triangles a b p and b a q lacks to straight, positive where p × q goes along the
// edge: from the directions of p and q across the edge.
double foldOf(Vec3d a, Vec3d b, Vec3d p, Vec3d q) {
    const Vec3d e = 1 / length(b - a) * (b - a);
    const auto across = [&](Vec3d d) { return d - dot(d, e) * e; };
    const Vec3d u = across(p - a), v = across(q - a);
    const double sine = dot(cross(u, v), e), fold = std::numbers::pi - std::atan2(std::abs(sine), dot(u, v));
    return sine > 0 ? fold : -fold;
}

// One step of the kernel with stiffness 1 moves each corner by w λ ∇C; the references are central differences
// of 2 sin(θ/2).
TEST(DihedralBend, GradientsMatchFiniteDifferencesOfTheAngle) {
    Exec exec({.backend = "cpu"});
    for (uint64_t k = 0; k < 200; ++k) {
        // any two triangles that are not slivers, up to 140 degrees from flat
        std::vector<Vec4> x(4);
        double fold = 0;
        const std::array<float, 4> w{1, 2, k % 2 == 0 ? 0.0f : 0.5f, 1};
        for (uint64_t attempt = 0;; ++attempt) {
            for (size_t i = 0; i < 4; ++i) x[i] = vec4(randomVec3(k, 4 * attempt + i, -1, 1), w[i]);
            const auto height = [&](const Vec4& p) {
                return length(cross(toDouble(p) - toDouble(x[0]), toDouble(p) - toDouble(x[1]))) /
                       length(toDouble(x[1]) - toDouble(x[0]));
            };
            if (length(toDouble(x[1]) - toDouble(x[0])) < 0.3 || height(x[2]) < 0.3 || height(x[3]) < 0.3)
                continue;
            fold = foldOf(toDouble(x[0]), toDouble(x[1]), toDouble(x[2]), toDouble(x[3]));
            if (std::abs(fold) < 2.4) break;
        }
        const float rest = static_cast<float>(2 * std::sin(fold / 2)) - 0.25f;
        Buffer<DihedralBend> bend(exec);
        Buffer<uint32_t> color(exec), slotOf(exec);
        Buffer<SpringParams> params(exec);
        Buffer<float> lambda(exec);
        Buffer<Vec4> xStar(exec);
        bend.upload(std::vector<DihedralBend>{{0, 1, 2, 3, rest, 0}});
        color.upload(std::vector<uint32_t>{0});
        slotOf.upload(std::vector<uint32_t>{0, 1, 2, 3});
        params.upload(std::vector<SpringParams>{{1, 0}});
        lambda.upload(std::vector<float>{0});
        xStar.upload(x);
        SolveBendsOfColor{bend.view(),   color.view(),  params.view(),
                          slotOf.view(), lambda.view(), xStar.view()}(0);
        const std::vector<Vec4> moved = xStar.download();
        const double change = lambda.download()[0];
        EXPECT_LT(change, 0);  // to a smaller angle
        for (size_t i = 0; i < 4; ++i) {
            Vec3d gradient;
            for (const Vec3d& axis : {Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}}) {
                const auto at = [&](double step) {
                    std::array<Vec3d, 4> y;
                    for (size_t j = 0; j < 4; ++j) y[j] = toDouble(x[j]);
                    y[i] = y[i] + step * axis;
                    return 2 * std::sin(foldOf(y[0], y[1], y[2], y[3]) / 2);
                };
                gradient = gradient + (at(1e-5) - at(-1e-5)) / 2e-5 * axis;
            }
            // the gradient is at most 1/0.3 here, and moves of 1e-2 are rounded at 1e-7
            const Vec3d expected = double{w[i]} * change * gradient;
            EXPECT_LT(length(toDouble(moved[i]) - toDouble(x[i]) - expected), 2e-6 + 1e-4 * length(expected))
                << k << ' ' << i;
        }
    }
}

// The folds of all edges between two triangles now, in the order of the edges.
std::vector<double> foldsNow(const World& world, const ClothMesh& cloth) {
    const std::vector<Vec4> x = placesByRow(world);
    std::map<std::array<uint32_t, 2>, std::array<uint32_t, 3>> first;
    std::map<std::array<uint32_t, 2>, double> folds;
    for (const Triangle& t : cloth.triangles)
        for (size_t k = 0; k < 3; ++k) {
            const uint32_t a = t[k], b = t[(k + 1) % 3], across = t[(k + 2) % 3];
            const std::array edge{std::min(a, b), std::max(a, b)};
            if (const auto [it, isNew] = first.try_emplace(edge, std::array{a, b, across}); !isNew)
                folds[edge] = foldOf(toDouble(x[it->second[0]]), toDouble(x[it->second[1]]),
                                     toDouble(x[it->second[2]]), toDouble(x[across]));
        }
    std::vector<double> all;
    for (const auto& [edge, fold] : folds) all.push_back(fold);
    return all;
}

MaterialProperties bentByAngle() {
    MaterialProperties m = cloth(kD);
    m.bending = Bending::dihedral;
    return m;
}

// Half of the strip stands upright. Its crease opens; without bending it stays.
TEST_P(Cloth, DihedralBendingFlattensAFoldedStrip) {
    for (const bool bends : {true, false}) {
        World world(exec);
        MaterialProperties m = bentByAngle();
        m.bendStiffness = 0;
        m.bendCompliance = bends ? 100.0f : 0.0f;
        addMaterial(world, m);
        world.parameters.world.gravity = {0, 0, 0};
        world.parameters.solver.substeps = 16;
        const ClothMesh cloth = makeGrid(9, 4, kD);
        addCloth(world, cloth, 0.3f);
        std::vector<Vec4> x = world.particles.x.download();
        for (Vec4& p : x)
            if (p.x > 0) p = {0, p.x, p.z, p.w};
        world.particles.x.upload(x);
        const auto largest = [&] {
            double most = 0;
            for (const double fold : foldsNow(world, cloth)) most = std::max(most, std::abs(fold));
            return most;
        };
        ASSERT_NEAR(largest(), std::acos(0.0), 1e-5);
        Solver solver(world);
        stepFrames(solver, 3);
        if (!bends) {
            EXPECT_NEAR(largest(), std::acos(0.0), 1e-3);
            continue;
        }
        // it moves, began at rest, and nothing acts from outside
        const Momenta momenta = momentaOf(world);
        EXPECT_GT(momenta.speed, 1e-4);
        EXPECT_LT(length(momenta.linear),
                  2e-4 * momenta.speed);  // places are rounded at 1e-8 m, steps take 1 ms
        EXPECT_LT(length(momenta.angular), 2e-3 * momenta.spin);
        world.materials[0].properties.damping = 5;
        stepFrames(solver, 180);
        EXPECT_LT(largest(), 0.02);
    }
}

// Its edges are bent at rest. Crumpled, it comes back to them; without bending it stays crumpled.
TEST_P(Cloth, ClosedBoxKeepsItsRestAngles) {
    for (const float stiffness : {1.0f, 0.0f}) {
        World world(exec);
        MaterialProperties m = bentByAngle();
        m.bendStiffness = stiffness;
        m.damping = 2;
        addMaterial(world, m);
        world.parameters.world.gravity = {0, 0, 0};
        const ClothMesh cloth = closedBox(4, kD);
        addCloth(world, cloth, 0.3f, 0, {}, {1, 2, 3});
        const std::vector<double> rest = foldsNow(world, cloth);
        // away from the normals, which look outwards
        EXPECT_NEAR(*std::min_element(rest.begin(), rest.end()), -std::acos(0.0), 1e-4);
        EXPECT_NEAR(*std::max_element(rest.begin(), rest.end()), 0, 1e-4);
        const auto worst = [&] {
            const std::vector<double> now = foldsNow(world, cloth);
            double most = 0;
            for (size_t k = 0; k < now.size(); ++k) most = std::max(most, std::abs(now[k] - rest[k]));
            return most;
        };
        Solver solver(world);
        stepFrames(solver, 10);
        EXPECT_LT(worst(), 1e-3);
        std::vector<Vec4> x = world.particles.x.download();
        for (size_t i = 0; i < x.size(); ++i)
            x[i] = vec4(xyz(x[i]) + randomVec3(3, i, -0.3f * kD, 0.3f * kD), x[i].w);
        world.particles.x.upload(x);
        EXPECT_GT(worst(), 0.5);
        stepFrames(solver, 240);
        if (stiffness > 0)
            EXPECT_LT(worst(), 2e-3);
        else
            EXPECT_GT(worst(), 0.02);
    }
}

// A sheet that is clamped at one side sags under its weight; gives by how much its far end hangs lower [m].
double sagOfCantilever(Exec& exec, const Setting& setting, float compliance) {
    World world(exec);
    MaterialProperties m = bentByAngle();
    m.compliance = m.shearCompliance = 1e-3f;
    m.bendCompliance = compliance;
    m.damping = 4;
    addMaterial(world, m);
    world.parameters.solver.frameRate = static_cast<float>(setting.frameRate);
    world.parameters.solver.substeps = setting.substeps;
    world.parameters.solver.iterations = setting.iterations;
    constexpr uint32_t kNx = 8, kNz = 4;
    addCloth(world, makeGrid(kNx, kNz, kD), 0.3f);
    std::vector<uint32_t> clamped;
    for (uint32_t k = 0; k < kNz; ++k) clamped.insert(clamped.end(), {k * kNx, k * kNx + 1});
    pin(world, clamped);
    Solver solver(world);
    stepFrames(solver, static_cast<int>(3 * setting.frameRate));
    double sag = 0;
    const std::vector<Vec4> x = placesByRow(world);
    for (uint32_t k = 0; k < kNz; ++k) sag -= x[k * kNx + kNx - 1].y / kNz;
    return sag;
}

TEST_P(Cloth, CompliantCantileverSagIsIndependentOfSettings) {
    const double expected = sagOfCantilever(exec, {60, 8, 20}, 10);
    EXPECT_GT(expected, 0.03);
    EXPECT_LT(expected, 0.2);
    for (const Setting& s : {Setting{60, 4, 20}, Setting{60, 2, 60}, Setting{120, 4, 20}, Setting{60, 20, 8}})
        EXPECT_NEAR(sagOfCantilever(exec, s, 10), expected, 0.05 * expected)
            << s.frameRate << " Hz, " << s.substeps << " substeps, " << s.iterations << " iterations";
    // softer cloth hangs lower
    EXPECT_GT(sagOfCantilever(exec, {60, 4, 20}, 20), 1.2 * expected);
}

// Ropes have no triangles: their bends are links, whatever their material says of angles.
TEST_P(Cloth, RopesHaveNoDihedralConstraints) {
    std::vector<float> sag;
    for (const Bending bending : {Bending::distance, Bending::dihedral}) {
        World world(exec);
        MaterialProperties m = rope(kD);
        m.bending = bending;
        m.bendStiffness = 1;
        addMaterial(world, m);
        addCloth(world, makeRope(straight(8, kD)), 0.1f);
        pin(world, std::vector<uint32_t>{0, 1});
        Solver solver(world);
        stepFrames(solver, 30);
        sag.push_back(-placesByRow(world)[7].y);
    }
    EXPECT_EQ(sag[0], sag[1]);
    EXPECT_LT(sag[1], 3 * kD);  // else it hangs straight down
}

}  // namespace
}  // namespace coalesce::test
