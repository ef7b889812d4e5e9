// Surface tension and adhesion: forces and impulses. Reference: Akinci, Akinci & Teschner 2013, retyped and
// summed over all pairs in double. What drops do is in test_drops.cpp.
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <numbers>

#include "kernels/fluid/pairwise_tension.h"
#include "sim/drops.h"
#include "sim/make_bodies.h"
#include "sim/reference_kernel.h"
#include "sim/same_states.h"
#include "support/each_backend.h"

namespace coalesce::test {
namespace {

using std::numbers::pi;

// [AAT13] eq. 2
double cohesionOf(double r, double h) {
    const double factor = 32 / (pi * std::pow(h, 9)), a = std::pow(h - r, 3) * std::pow(r, 3);
    if (2 * r > h && r <= h) return factor * a;
    if (r > 0 && 2 * r <= h) return factor * (2 * a - std::pow(h, 6) / 64);
    return 0;
}
// [AAT13] eq. 7
double adhesionOf(double r, double h) {
    if (!(2 * r > h && r <= h)) return 0;
    return 0.007 / std::pow(h, 3.25) * std::pow(std::max(0.0, -4 * r * r / h + 6 * r - 2 * h), 0.25);
}

TEST(TensionKernels, MatchThePaper) {
    for (const double h : {0.02, 0.1, 3.0})
        for (double q = 0.005; q < 1.2; q += 0.005) {
            const double r = q * h, C = 32 / (pi * h * h * h) * cohesionShape(static_cast<float>(q));
            const double A = 0.007 * std::pow(2, 0.25) / (h * h * h) * adhesionShape(static_cast<float>(q));
            // at its largest C is 1/64 of its factor
            EXPECT_NEAR(C, cohesionOf(r, h), 1e-6 * cohesionOf(h / 2, h)) << q;
            // the fourth root of a rounding near its zeros at h/2 and h
            EXPECT_NEAR(A, adhesionOf(r, h), 2e-2 * adhesionOf(0.75 * h, h)) << q;
            if (q > 0.52 && q < 0.98) {
                EXPECT_NEAR(A, adhesionOf(r, h), 1e-5 * adhesionOf(0.75 * h, h)) << q;
            }
        }
}

// The wall's pull against what it stands for: the sum of A over a half space that is full of particles.
TEST(TensionKernels, WallEqualsHalfSpace) {
    constexpr double step = 0.002;
    for (const double q : {0.0, 0.1, 0.25, 0.4, 0.5, 0.6, 0.75, 0.9, 0.99}) {
        // rings around the normal, at the depth z and the distance s from it
        double sum = 0;
        for (double z = q + step / 2; z < 1; z += step)
            for (double s = step / 2; s < 1; s += step) {
                const double u = std::sqrt(z * z + s * s);
                if (u > 0.5 && u < 1)
                    sum += 2 * pi * s * step * step * std::pow((2 * u - 1) * (1 - u), 0.25) * z / u;
            }
        EXPECT_NEAR(adhesionOfHalfSpace(static_cast<float>(q)), sum, 1e-3) << q;
    }
    EXPECT_EQ(adhesionOfHalfSpace(1.0f), 0);
    EXPECT_EQ(adhesionOfHalfSpace(1.7f), 0);
    EXPECT_NEAR(adhesionOfHalfSpace(0.49999f), adhesionOfHalfSpace(0.50001f), 2e-4);
}

// σ is what the forces amount to at the face of a lattice: of a slab, 6 x 6 spacings and periodic, the stress
// along the face less that across it, per face. And parting it from a wall costs the adhesion.
TEST(TensionConstants, IntegrateToTensionAndWorkOfAdhesion) {
    for (const float ratio : {1.5f, 2.0f, 2.4f}) {
        MaterialProperties m = water(0.04f);
        m.supportRatio = ratio, m.density = 1234, m.surfaceTension = 3, m.adhesion = 2;
        const MaterialConstants c = materialConstants(m);
        const double d = 0.04, h = double{ratio} * d, V = c.volume, mass = 1234 * d * d * d;
        constexpr int N = 6, L = 12;
        std::vector<Vec3d> x;
        for (int i = 0; i < N * N * L; ++i) x.push_back({d * (i % N), d * (i / N % N), d * (i / (N * N))});
        const auto wrapped = [&](size_t i, size_t j) {
            Vec3d s = x[i] - x[j];
            s.x() -= N * d * std::round(s.x() / (N * d)), s.y() -= N * d * std::round(s.y() / (N * d));
            return s;
        };
        std::vector<double> phi(x.size());
        std::vector<Vec3d> n(x.size());
        for (size_t i = 0; i < x.size(); ++i)
            for (size_t j = 0; j < x.size(); ++j) {
                phi[i] += V * weight(length(wrapped(i, j)), h);
                n[i] = n[i] + h * V * weightGradient(wrapped(i, j), h);
            }
        double stress = 0;
        for (size_t i = 0; i < x.size(); ++i)
            for (size_t j = 0; j < x.size(); ++j) {
                const Vec3d s = wrapped(i, j);
                const double r = length(s);
                if (i == j || r >= h) continue;
                const double C = cohesionOf(r, h) * pi * h * h * h / 32;
                const Vec3d a =
                    2 / (phi[i] + phi[j]) *
                    ((-c.cohesionPull * C / r) * s - (c.curvaturePull * V * weight(r, h)) * (n[i] - n[j]));
                stress += 0.5 * mass * (s.z() * a.z() - 0.5 * (s.x() * a.x() + s.y() * a.y()));
            }
        EXPECT_NEAR(stress / (2 * N * N * d * d), 3, 1e-3) << ratio;
        // layers at d/2, 3d/2 … above the wall, each drawn away from it
        double work = 0;
        constexpr int kSteps = 2000;
        for (double from = 0.5 * d; from < h; from += d)
            for (int k = 0; k < kSteps; ++k) {
                const double z = from + (h - from) * (k + 0.5) / kSteps;
                work += mass / (d * d) * c.adhesionPull * adhesionOfHalfSpace(static_cast<float>(z / h)) *
                        (h - from) / kSteps;
            }
        EXPECT_NEAR(work, 2, 2e-3) << ratio;
    }
    MaterialProperties sand = water(0.05f);
    sand.kind = MaterialKind::grains, sand.surfaceTension = sand.adhesion = sand.tension = 1;
    const MaterialConstants none = materialConstants(sand);
    EXPECT_EQ(none.cohesionPull + none.curvaturePull + none.adhesionPull + none.attraction, 0);
}

class Tension : public EachBackend {
protected:
    // two liquids with tension, one without, and grains, all through each other
    void addCloud(World& world) {
        MaterialProperties water = test::water(0.05f), oil = test::water(0.06f), plain = test::water(0.05f),
                           sand = test::water(0.055f);
        water.surfaceTension = 40, water.adhesion = 30;
        oil.surfaceTension = 20, oil.density = 700;
        plain.density = 2000;
        sand.kind = MaterialKind::grains, sand.density = 2500;
        for (const MaterialProperties& m : {water, oil, plain, sand}) addMaterial(world, m);
        std::vector<ParticleDef> births;
        for (int i = 0; i < 400; ++i)
            births.push_back({.x = randomVec3(3, i, 0, 0.33f),
                              .v = randomVec3(4, i, -1, 1),
                              .material = static_cast<uint32_t>(randomBits(5, i) % 4)});
        births[7].inverseMass = 0;
        births[8].inverseMass = 3;  // lighter than its material says
        world.addParticles(births);
    }
};

TEST_P(Tension, ImpulsesEqualTheSumOverAllPairs) {
    World world(exec);
    addCloud(world);
    const double dt = 1.0 / 120;
    OpenWorld open(world, dt);
    const std::vector<Vec4> x = world.particles.x.download(), v = world.particles.v.download();
    const std::vector<uint32_t> phase = world.particles.phase.download();
    const std::vector<Vec3d> found = tensionOf(open, dt);
    const auto of = [&](size_t i) { return open.device.materials.host()[materialOf(phase[i])]; };
    std::vector<Vec3d> n(x.size());
    for (size_t i = 0; i < x.size(); ++i)
        for (size_t j = 0; j < x.size(); ++j)
            if (materialOf(phase[i]) == materialOf(phase[j]))
                n[i] = n[i] + double{of(i).support} * of(i).volume *
                                  weightGradient(toDouble(x[i]) - toDouble(x[j]), of(i).support);
    double largest = 0;
    for (size_t i = 0; i < x.size(); ++i) {
        const MaterialConstants m = of(i);
        Vec3d force;
        for (size_t j = 0; j < x.size(); ++j) {
            const Vec3d s = toDouble(x[i]) - toDouble(x[j]);
            const double r = length(s), h = 0.5 * (double{m.support} + of(j).support);
            if (i == j || r >= h || r == 0) continue;
            if (materialOf(phase[i]) == materialOf(phase[j]) && m.fluid) {
                const double thin = 2 / (double{v[i].w} + v[j].w);
                force = force - thin / m.inverseMass *
                                    ((m.cohesionPull * cohesionOf(r, h) * pi * h * h * h / 32 / r) * s +
                                     (m.curvaturePull * m.volume * weight(r, h)) * (n[i] - n[j]));
            } else if (m.fluid != of(j).fluid) {
                const MaterialConstants liquid = m.fluid ? m : of(j), solid = m.fluid ? of(j) : m;
                const double A = adhesionOf(r, h) * h * h * h / (0.007 * std::pow(2, 0.25));
                force = force - (liquid.adhesionPull / liquid.inverseMass *
                                 std::pow(solid.spacing / solid.support, 3) * A / r) *
                                    s;
            }
        }
        const Vec3d expected = double{x[i].w} * force;
        largest = std::max(largest, length(expected));
        ASSERT_LT(length(found[i] - expected), 2e-5 * (300 + length(expected))) << "slot " << i;
        if (x[i].w > 0 && materialOf(phase[i]) != 2) {
            ASSERT_GT(length(found[i]), 0);
        }
        if (x[i].w == 0 || materialOf(phase[i]) == 2) {
            ASSERT_EQ(length(found[i]), 0);
        }
    }
    EXPECT_GT(largest, 50);  // [m/s²]
}

// Pairs of any kind, of any mass, give and take the same.
TEST_P(Tension, ConservesMomentum) {
    World world(exec);
    addCloud(world);
    setById(world, world.particles.x, 7,
            vec4(xyz(positions(world)[7]), positions(world)[8].w));  // not pinned
    const double dt = 1.0 / 120;
    OpenWorld open(world, dt);
    const std::vector<Vec4> x = world.particles.x.download();
    const std::vector<Vec3d> a = tensionOf(open, dt);
    Vec3d sum;
    double scale = 0;
    for (size_t i = 0; i < x.size(); ++i) sum = sum + 1.0 / x[i].w * a[i], scale += length(a[i]) / x[i].w;
    // velocities of 1 m/s round by 6e-8 m/s, that is 7e-6 m/s² here, of some 30 m/s² each
    EXPECT_LT(length(sum), 1e-6 * scale);
}

// A blob of two liquids in free fall, for a second: rounding only.
TEST_P(Tension, ConservesMomentumOfAnIsolatedBlob) {
    World world(exec);
    world.parameters.world.gravity = {0, 0, 0};
    MaterialProperties light = water(0.05f), heavy = water(0.05f);
    light.surfaceTension = 20, heavy.surfaceTension = 40, heavy.density = 4000;
    light.viscosity = heavy.viscosity = 0;  // XSPH keeps the momentum of equal masses only
    light.tension = heavy.tension = 0.3f;
    addMaterial(world, light);
    addMaterial(world, heavy);
    addBlock(world, {.nx = 6, .ny = 6, .nz = 6, .jitter = 0.1f});
    addBlock(world, {.low = {0.3f, 0.1f, 0}, .nx = 4, .ny = 4, .nz = 6, .material = 1, .jitter = 0.1f});
    Solver solver(world);
    stepFrames(solver, 60);
    Vec3d sum;
    double scale = 0;
    const std::vector<Vec4> x = positions(world), v = velocities(world);
    for (size_t i = 0; i < x.size(); ++i)
        sum = sum + 1.0 / x[i].w * toDouble(v[i]), scale += length(toDouble(v[i])) / x[i].w;
    // v = (x* − x)/dt carries the rounding of positions, some 3e-8 m · 120/s, of either sign in each substep
    double squares = 0;
    for (const Vec4& p : x) squares += 1 / (double{p.w} * p.w);
    EXPECT_LT(length(sum), 5 * 3.6e-6 * std::sqrt(120 * squares));
    EXPECT_LT(length(sum), 1e-4 * scale);
}

// κ of another material must not touch a liquid without it, though it changes the arrays that the loops read.
TEST_P(Tension, ZeroAttractionIsBitwiseTheUnilateralConstraint) {
    std::vector<Vec4> without;
    for (const float kappa : {0.0f, 0.7f}) {
        World world(exec);
        MaterialProperties plain = water(0.05f), other = water(0.07f);
        other.tension = kappa;
        addMaterial(world, plain);
        addMaterial(world, other);
        addFloor(world);
        addBlock(world, {.low = {0, 0.2f, 0}, .jitter = 0.2f});
        addBlock(world, {.low = {5, 0.2f, 0}, .nx = 3, .ny = 3, .nz = 3, .material = 1});
        Solver solver(world);
        stepFrames(solver, 20);
        std::vector<Vec4> x = positions(world);
        const std::vector<Vec4> far(x.begin() + 512, x.end());
        x.resize(512);
        if (kappa == 0)
            without = x;
        else
            for (size_t i = 0; i < x.size(); ++i)
                ASSERT_EQ(0, std::memcmp(&x[i], &without[i], sizeof x[i])) << i;
    }
}

// A shape feels what it pulls: drawn up to a plate above it, liquid weighs on the plate.
TEST_P(Tension, ShapeLoadIncludesAdheringLiquid) {
    World world(exec);
    world.parameters.world.gravity = {0, -1, 0};
    MaterialProperties m = water(0.05f);
    m.surfaceTension = 60, m.adhesion = 120, m.viscosity = 0.5f;
    addMaterial(world, m);
    addPlane(world, {0, 0, 0}, {0, -1, 0});
    addDrop(world, {.radius = 4, .center = {0, 0.1f, 0}, .from = -2});
    std::vector<uint32_t> above;
    const std::vector<Vec4> x = positions(world);
    for (size_t i = 0; i < x.size(); ++i)
        if (x[i].y > -0.02f) above.push_back(static_cast<uint32_t>(i));
    world.removeParticles(above);
    Solver solver(world);
    double mean = 0;
    stepFrames(solver, 120);
    for (int f = 0; f < 60; ++f) {
        solver.step();
        mean += world.shapeReports[0].force.y / 60;
    }
    const double weight = static_cast<double>(world.count()) * 1000 * std::pow(0.05, 3) * 1;
    for (const Vec4& p : positions(world)) ASSERT_GT(p.y, -0.4f);
    EXPECT_NEAR(mean / weight, -1, 0.05);
}

TEST_P(Tension, BitwiseEqualAcrossBackends) {
    expectSameStatesOnEveryMachine(10, [&](World& world) {
        addCloud(world);
        addFloor(world, -0.05f);
    });
}

FOR_EACH_BACKEND(Tension);

}  // namespace
}  // namespace coalesce::test
