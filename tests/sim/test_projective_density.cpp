// Density constraints of projective dynamics: nearest points in double, bulk modulus, a column at rest.
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

#include "kernels/projective/project_density.h"
#include "sim/make_world.h"
#include "support/each_backend.h"
#include "support/small_scene.h"

namespace coalesce::test {
namespace {

using std::numbers::pi;

double weight(double r, double h) {
    return r < h ? 15 / (pi * std::pow(h, 6)) * std::pow(h - r, 3) : 0;
}
Vec3d weightGradient(Vec3d d, double h) {
    const double r = length(d);
    return r < h && r > 0 ? (-45 / (pi * std::pow(h, 6)) * (h - r) * (h - r) / r) * d : Vec3d{};
}

// A particle (the first point) and its neighbors; C of the particle and its gradient with respect to all.
struct Neighborhood {
    std::vector<Vec3d> x;
    double h, V;

    double constraint(const std::vector<Vec3d>& p) const {
        double phi = -1;
        for (const Vec3d& q : p) phi += V * weight(length(p[0] - q), h);
        return phi;
    }
    std::vector<Vec3d> gradient(const std::vector<Vec3d>& p) const {
        std::vector<Vec3d> g(p.size());
        for (size_t k = 1; k < p.size(); ++k) {
            g[k] = -V * weightGradient(p[0] - p[k], h);
            g[0] = g[0] - g[k];
        }
        return g;
    }
    // The point nearest to x on C = 0, with gradients that follow it: the fixed point satisfies
    // p = x − λ ∇C(p), C(p) = 0.
    std::vector<Vec3d> nearest() const {
        std::vector<Vec3d> p = x;
        for (int step = 0; step < 1000; ++step) {
            const std::vector<Vec3d> g = gradient(p);
            double error = constraint(p), squares = 0;
            for (size_t k = 0; k < p.size(); ++k) error += dot(g[k], x[k] - p[k]), squares += dot(g[k], g[k]);
            // half steps: full ones may circle where C bends strongly
            for (size_t k = 0; k < p.size(); ++k) p[k] = 0.5 * (p[k] + x[k] - (error / squares) * g[k]);
        }
        return p;
    }
};
double distance(const std::vector<Vec3d>& a, const std::vector<Vec3d>& b) {
    double sum = 0;
    for (size_t k = 0; k < a.size(); ++k) sum += dot(a[k] - b[k], a[k] - b[k]);
    return std::sqrt(sum);
}

// Fifty random neighborhoods, squeezed by up to a tenth: the projection onto C = 0 along frozen gradients
// lies on the constraint, and next to the nearest point.
TEST(ProjectiveDensity, ProjectionIsNextToTheNearestPoint) {
    Exec exec({.backend = "cpu", .threads = 1});
    constexpr float kD = 0.05f;
    for (int sample = 0; sample < 50; ++sample) {
        World world(exec);
        addMaterial(world, water(kD));
        addBlock(world, {.nx = 5, .ny = 5, .nz = 5, .jitter = 0.15f, .seed = uint64_t(sample) + 1});
        // squeeze towards the middle
        const float squeeze = 0.999f - 0.03f * randomUnit(7, sample);
        std::vector<Vec4> x = world.particles.x.download();
        for (Vec4& p : x) p = vec4(squeeze * xyz(p), p.w);
        world.particles.x.upload(x);
        OpenWorld open(world);
        const MaterialConstants& m = open.device.hostMaterials[0];
        Buffer<Vec4> xLambda(exec, world.count());
        Buffer<float> error(exec, world.count());
        const ProjectDensity<true> kernel{
            .xStar = open.device.xStar.view(),
            .wall = open.device.wall.view(),
            .neighbors = open.neighbors.lists(),
            .pairs = {m.support, m.volume, 0, m.gradientScale, m.denominator / m.inverseMass, m.attraction,
                      smoothing(m.support)},
            .weights = {1, 1},  // Λ = −λ
            .newtonSteps = 8,
            .tolerance = 1e-6f,
            .xLambda = xLambda.view(),
            .error = error.view(),
            .energy = {}};
        for (size_t i = 0; i < world.count(); ++i) kernel(static_cast<int>(i));

        // the particle in the middle
        size_t center = 0;
        const Vec3d middle = 2.5 * double{squeeze * kD} * Vec3d{1, 1, 1};
        x = open.device.xStar.download();
        for (size_t i = 0; i < x.size(); ++i)
            if (length(toDouble(x[i]) - middle) < length(toDouble(x[center]) - middle)) center = i;
        Neighborhood around{{toDouble(x[center])}, double{m.support}, double{m.volume}};
        for (const int j : open.listOf(center)) around.x.push_back(toDouble(x[j]));
        const double c = around.constraint(around.x), lambda = -double{xLambda.download()[center].w};
        ASSERT_NEAR(error.download()[center], std::max(c, 0.0), 2e-5) << sample;
        if (c <= 0) {
            EXPECT_EQ(lambda, 0) << sample;
            continue;
        }
        const std::vector<Vec3d> g = around.gradient(around.x);
        std::vector<Vec3d> projected = around.x;
        for (size_t k = 0; k < g.size(); ++k) projected[k] = projected[k] - lambda * g[k];
        EXPECT_NEAR(around.constraint(projected), 0, 2e-5) << sample << ": C was " << c;
        const std::vector<Vec3d> nearest = around.nearest();
        ASSERT_NEAR(around.constraint(nearest), 0, 1e-9);
        // frozen gradients: the way is off by about its share C, and hardly longer
        const double way = distance(around.x, nearest);
        EXPECT_LT(distance(projected, nearest), (0.005 + 1.2 * c) * way) << sample << ": C was " << c;
        EXPECT_GT(distance(around.x, projected), 0.9999 * way) << sample << ": C was " << c;
        EXPECT_LT(distance(around.x, projected), (1 + 2 * c * c) * way) << sample << ": C was " << c;
    }
}

// The energy that a compressed cell stores is that of its bulk modulus.
TEST(ProjectiveDensity, WeightIsTheBulkModulus) {
    MaterialProperties m = water(0.05f);
    m.bulkModulus = 3e6f;
    const MaterialConstants constants = materialConstants(m);
    // w C²/(2 |∇C|²) = ½ K V C²
    const double squares = constants.denominator / constants.inverseMass;
    EXPECT_NEAR(constants.densityWeight / squares / (3e6 * std::pow(0.05, 3)), 1, 1e-5);
}

class ProjectiveColumn : public EachBackend {};

// Kinetic and potential energy [J].
double energyOf(const World& world) {
    double sum = 0;
    const std::vector<Vec4> x = positions(world), v = velocities(world);
    for (size_t i = 0; i < x.size(); ++i)
        if (x[i].w > 0)
            sum += (0.5 * dot(toDouble(v[i]), toDouble(v[i])) + 9.81 * double{x[i].y}) / double{x[i].w};
    return sum;
}

// A column in a tank of its width settles: it is never too dense, at no time it gains energy, and the tank
// carries its weight.
TEST_P(ProjectiveColumn, SettlesWithoutGainOfEnergy) {
    constexpr float kD = 0.05f;
    World world(exec);
    MaterialProperties m = water(kD);
    m.bulkModulus = 4.7e7f;
    addMaterial(world, m);
    addBlock(world, {.nx = 6, .ny = 16, .nz = 6});
    addFloor(world);
    addPlane(world, {0, 0, 0}, {1, 0, 0}), addPlane(world, {0.3f, 0, 0}, {-1, 0, 0});
    addPlane(world, {0, 0, 0}, {0, 0, 1}), addPlane(world, {0, 0, 0.3f}, {0, 0, -1});
    world.parameters.solver.method = Method::projective;
    world.parameters.projective.iterations = 30;
    world.parameters.solver.frameRate = 100;
    world.parameters.solver.substeps = 2;
    Solver solver(world);
    const double before = energyOf(world);
    double weightSum = 0, carried = 0;
    for (const Vec4& x : positions(world)) weightSum += 9.81 / double{x.w};
    for (int f = 0; f < 100; ++f) {
        solver.step();
        EXPECT_LE(energyOf(world) - before, 1e-3 * before) << f;
        if (f >= 50) carried -= double{world.shapeReports[0].force.y} / 50;
    }
    double densest = 0;
    for (const Vec4& v : velocities(world)) densest = std::max(densest, double{v.w} - 1);
    // ρ g H/K = 1.7e-4; rounds end before the last wave is gone
    EXPECT_LT(densest, 2e-3);
    EXPECT_NEAR(carried, weightSum, 0.03 * weightSum);
}

FOR_EACH_BACKEND(ProjectiveColumn);

}  // namespace
}  // namespace coalesce::test
