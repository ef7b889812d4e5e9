// Viscosity against the rate of strain. Reference: the pairs of [WKBB18] in double, and Eigen's direct solver.
#include <Eigen/Cholesky>
#include <Eigen/Dense>
#include <cmath>
#include <gtest/gtest.h>

#include "sim/drops.h"
#include "sim/fluid/viscosity.h"
#include "sim/make_bodies.h"
#include "sim/make_world.h"
#include "sim/reference_fluid.h"
#include "support/each_backend.h"

namespace coalesce::test {
namespace {

using Mat3d = Eigen::Matrix3d;

Eigen::Vector3d eigen(Vec3d a) {
    return {a.x(), a.y(), a.z()};
}

// 2 (D + 2), corrected for the neighbors of the rest lattice, and for the volume of its cell. In a plane lengths
// across it count as 1 m, and the weights are those of the kernel in space.
double perStrain(const MaterialProperties& m, bool planar) {
    const double d = m.spacing, h = d * m.supportRatio;
    double sum = 0, weights = 0;
    for (int z = planar ? 0 : -5; z <= (planar ? 0 : 5); ++z)
        for (int y = -5; y <= 5; ++y)
            for (int x = -5; x <= 5; ++x) {
                const Vec3d p{d * x, d * y, d * z};
                const double r = length(p);
                weights += weight(r, h);
                sum += length(weightGradient(p, h)) * r * r * r / (r * r + 0.01 * h * h);
            }
    return (planar ? 16 : 30) / sum * weights * weights * d * d * (planar ? 1 : d);
}

// 17² particles in the plane z = 0, displaced, with random velocities.
std::vector<ParticleDef> unevenLayer() {
    std::vector<ParticleDef> births;
    for (int i = 0; i < 17 * 17; ++i) {
        Vec3 jitter = 0.01f * randomVec3(3, i, -1, 1), v = randomVec3(4, i, -2, 2);
        jitter.z = v.z = 0;
        births.push_back({.x = Vec3{0.05f * (i % 17), 0.05f * (i / 17), 0} + jitter, .v = v});
    }
    return births;
}

// As many liquids, two of them viscous, then grains: what is not viscous neither drags nor is dragged.
TEST_P(Liquid, StrainViscosityEqualsADenseSolve) {
    for (const uint32_t materials : {0u, 1u, 2u, 3u, 4u}) {
        const bool planar = materials == 0;
        World world(exec);
        world.parameters.solver.planar = planar;
        world.parameters.fluid.strainTolerance = 1e-6f;
        world.parameters.fluid.strainIterations = 500;
        MaterialProperties m = water(0.05f);
        m.strainViscosity = 0.2f;
        addMaterial(world, m);
        m.spacing = 0.06f, m.density = 3000, m.strainViscosity = 0.02f;
        if (materials > 1) addMaterial(world, m);
        m.strainViscosity = 0;
        if (materials > 2) addMaterial(world, m);
        m.kind = MaterialKind::grains, m.spacing = 0.05f;
        if (materials > 3) addMaterial(world, m);
        if (planar)
            world.addParticles(unevenLayer());
        else
            addUneven(world, materials);
        OpenWorld open(world);
        const std::vector<uint32_t> phase = world.particles.phase.download();
        const std::vector<Vec4> x = world.particles.x.download();
        std::vector<Vec3d> v;
        for (const Vec4& a : world.particles.v.download()) v.push_back(toDouble(a));

        const auto n = static_cast<Eigen::Index>(x.size());
        std::vector<double> g, volume, h;
        for (const uint32_t one : phase) {
            const MaterialProperties& of = world.materials[materialOf(one)].properties;
            g.push_back(of.kind == MaterialKind::grains ? 0
                                                        : perStrain(of, planar) * double{of.strainViscosity} *
                                                              double{of.density} * double{open.step.dt});
            h.push_back(double{of.spacing} * double{of.supportRatio});
            volume.push_back(double{open.device.materials.host()[materialOf(one)].volume});
        }
        Eigen::MatrixXd A = Eigen::MatrixXd::Zero(3 * n, 3 * n);
        Eigen::VectorXd b = Eigen::VectorXd::Zero(3 * n);
        for (Eigen::Index r = 0; r < n; ++r) {
            const auto i = static_cast<size_t>(r);
            A.block<3, 3>(3 * r, 3 * r) += (x[i].w > 0 ? 1 / double{x[i].w} : 1) * Mat3d::Identity();
            if (x[i].w == 0) continue;
            for (Eigen::Index c = 0; c < n; ++c) {
                const auto j = static_cast<size_t>(c);
                if (i == j || g[i] * g[j] == 0) continue;
                const Vec3d d = toDouble(x[i]) - toDouble(x[j]);
                const double support = (h[i] + h[j]) / 2, far = length(d);
                const double k = 2 * g[i] * g[j] / (g[i] + g[j]) * volume[i] * volume[j] *
                                 length(weightGradient(d, support)) /
                                 (far * (far * far + 0.01 * support * support));
                const Mat3d block = k * eigen(d) * eigen(d).transpose();
                A.block<3, 3>(3 * r, 3 * r) += block;
                if (x[j].w > 0) A.block<3, 3>(3 * r, 3 * c) -= block;
                b.segment<3>(3 * r) -= block * eigen(v[i] - v[j]);
            }
        }
        const Eigen::VectorXd change = A.ldlt().solve(b);

        DensityConstraint density(exec);
        density.prepare(open.step);
        Viscosity(exec).applyStrainViscosity(open.step, density);
        const std::vector<Vec4> ours = world.particles.v.download();
        double largest = 0;
        for (size_t i = 0; i < x.size(); ++i) {
            const Eigen::Vector3d expected = change.segment<3>(3 * static_cast<Eigen::Index>(i));
            largest = std::max(largest, expected.norm());
            // changes of some 3 m/s; float rounding of the products stays in the residual
            ASSERT_LT((eigen(toDouble(ours[i]) - v[i]) - expected).norm(), 2e-4)
                << materials << " materials, slot " << i;
        }
        EXPECT_GT(largest, 1);
    }
}

// The constant without a lattice: neighbors at random, evenly in all directions, have the force of the continuum,
// μ ∇²v V = 20 μ V for v = (10 y², 0, 0), in the mean over many surroundings. In so short a step there is little to
// solve.
TEST_P(Liquid, StrainViscosityHasItsValueInADisorderedLiquid) {
    if (exec.onCuda()) return;  // 30 worlds
    double force = 0, expected = 0;
    for (uint64_t seed = 0; seed < 30; ++seed) {
        World world(exec);
        MaterialProperties m = water(0.05f);
        m.supportRatio = 3.3f, m.strainViscosity = 1;
        addMaterial(world, m);
        std::vector<ParticleDef> births;
        const int n = 20 * 20 * 20;
        for (int i = 0; i < n; ++i) {
            const Vec3 x = randomVec3(seed, static_cast<uint64_t>(i), -0.5f, 0.5f);
            births.push_back({.x = x, .v = {10 * x.y * x.y, 0, 0}});
        }
        world.addParticles(births);
        OpenWorld open(world, 1e-5);
        DensityConstraint density(exec);
        density.prepare(open.step);
        Viscosity(exec).applyStrainViscosity(open.step, density);
        const std::vector<Vec4> x = positions(world), v = velocities(world);
        for (size_t i = 0; i < x.size(); ++i) {
            if (std::max({std::abs(x[i].x), std::abs(x[i].y), std::abs(x[i].z)}) > 0.5f - 0.17f) continue;
            force += double{v[i].x} - double{births[i].v.x};
            expected += 20 * 1e-5;
        }
    }
    RecordProperty("overContinuum", fmt::format("{:.3f}", force / expected));
    EXPECT_NEAR(force / expected, 1, 0.1);
}

// Both momenta at any tolerance: after any number of iterations they are what they were, while energy falls.
TEST_P(Liquid, StrainViscosityConservesBothMomenta) {
    for (const int iterations : {1, 5, 100}) {
        World world(exec);
        world.parameters.fluid.strainIterations = iterations;
        world.parameters.fluid.strainTolerance = 1e-6f;
        for (const auto& [spacing, density, viscosity] :
             {std::tuple{0.05f, 1000.0f, 0.4f}, {0.05f, 10000.0f, 0.1f}, {0.06f, 800.0f, 6.0f}}) {
            MaterialProperties m = water(spacing);
            m.density = density, m.strainViscosity = viscosity;
            addMaterial(world, m);
        }
        world.addParticles(unevenBlock(3, 11));
        OpenWorld open(world);
        const Momenta before = momentaOf(world);
        const std::vector<Vec4> x = positions(world), first = velocities(world);
        DensityConstraint density(exec);
        density.prepare(open.step);
        Viscosity(exec).applyStrainViscosity(open.step, density);
        const Momenta after = momentaOf(world);
        const std::vector<Vec4> last = velocities(world);
        double energyBefore = 0, energyAfter = 0;
        for (size_t i = 0; i < x.size(); ++i) {
            energyBefore += dot(toDouble(first[i]), toDouble(first[i])) / double{x[i].w};
            energyAfter += dot(toDouble(last[i]), toDouble(last[i])) / double{x[i].w};
        }
        EXPECT_LT(length(after.linear - before.linear), 2e-6 * before.speed) << iterations;
        EXPECT_LT(length(after.angular - before.angular), 2e-6 * before.spin) << iterations;
        EXPECT_LT(energyAfter, 0.9 * energyBefore);
    }
}

// A velocity that is not finite stays where it is: its neighbors, too, keep what they have, and others are solved.
TEST_P(Liquid, StrainViscosityDoesNotSpreadWhatIsNotFinite) {
    World world(exec);
    MaterialProperties m = water(0.05f);
    m.strainViscosity = 1;
    addMaterial(world, m);
    world.addParticles(unevenBlock(1, 11));
    setById(world, world.particles.v, 171, {std::numeric_limits<float>::quiet_NaN(), 0, 0, 0});
    OpenWorld open(world);
    const std::vector<Vec4> before = velocities(world);
    DensityConstraint density(exec);
    density.prepare(open.step);
    Viscosity(exec).applyStrainViscosity(open.step, density);
    const std::vector<Vec4> after = velocities(world);
    size_t changed = 0;
    for (size_t i = 0; i < after.size(); ++i) {
        if (i != 171) {
            EXPECT_TRUE(isFinite(xyz(after[i]))) << i;
        }
        changed += length(xyz(after[i]) - xyz(before[i])) > 1e-3f;
    }
    EXPECT_GT(changed, 200u);
}

// Iterations that are too few are told, and the viscosity does not blow up.
TEST_P(Liquid, StrainViscositySaysWhatIsNotSolved) {
    for (const int iterations : {2, 100}) {
        World world(exec);
        world.parameters.fluid.strainIterations = iterations;
        MaterialProperties m = water(0.05f);
        m.strainViscosity = 2;
        addMaterial(world, m);
        world.addParticles(unevenBlock(1, 11));
        Solver solver(world);
        const Status status = solver.step();
        const float tolerance = world.parameters.fluid.strainTolerance;
        EXPECT_EQ(world.strainViscosity.breakdowns, 0u);
        EXPECT_EQ(world.strainViscosity.solves, status.substeps);
        EXPECT_EQ(status.strainResidual > tolerance, iterations == 2);
        EXPECT_EQ(status.message().find("strainViscosity was solved to a residual") != std::string::npos,
                  iterations == 2)
            << status.message();
    }
}

// A drop that turns as a whole keeps turning, however thick it is; XSPH brakes it like shear.
TEST_P(Liquid, StrainViscosityLeavesRotationFree) {
    const auto spinLeft = [&](float strain, float xsph) {
        World world(exec);
        world.parameters.world.gravity = {0, 0, 0};
        world.parameters.solver.substeps = 4;
        MaterialProperties m = water(0.05f);
        m.strainViscosity = strain, m.kinematicViscosity = xsph, m.viscosity = 0, m.tension = 1;
        addMaterial(world, m);
        addDrop(world, {.radius = 5});
        std::vector<Vec4> v = velocities(world);
        const std::vector<Vec4> x = positions(world);
        for (uint32_t id = 0; id < v.size(); ++id) {
            const Vec3d turned = cross(Vec3d{0, 2, 0}, toDouble(x[id]));
            setById(world, world.particles.v, id,
                    {static_cast<float>(turned.x()), static_cast<float>(turned.y()),
                     static_cast<float>(turned.z()), 0});
        }
        const Vec3d before = momentaOf(world).angular;
        Solver solver(world);
        stepFrames(solver, 30);
        return length(momentaOf(world).angular) / length(before);
    };
    const double without = spinLeft(0, 0), strain = spinLeft(1, 0), xsph = spinLeft(0, 1);
    RecordProperty("withoutStrainXsph", fmt::format("{:.3f} {:.3f} {:.3f}", without, strain, xsph));
    EXPECT_GT(without, 0.98);
    EXPECT_GT(strain, 0.97 * without);
    EXPECT_LT(xsph, 0.5 * without);
}

}  // namespace
}  // namespace coalesce::test
