// Viscosity against strain. Reference: the pairs of [WKBB18] in double, and Eigen's direct solver.
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

// 2 (D + 2), corrected for the neighbors of the rest lattice in space, and for the volume of its cell.
double perStrain(const MaterialProperties& m) {
    const double d = m.spacing, h = d * m.supportRatio, volume = restOf(m).volume;
    double sum = 0;
    for (int z = -5; z <= 5; ++z)
        for (int y = -5; y <= 5; ++y)
            for (int x = -5; x <= 5; ++x) {
                const Vec3d p{d * x, d * y, d * z};
                const double r = length(p);
                sum += volume * length(weightGradient(p, h)) * r * r * r / (r * r + 0.01 * h * h);
            }
    return 30 / sum * d * d * d / volume;
}

TEST_P(Liquid, StrainViscosityEqualsADenseSolve) {
    for (const uint32_t materials : {1u, 2u, 3u}) {
        World world(exec);
        world.parameters.fluid.strainTolerance = 1e-6f;
        world.parameters.fluid.strainIterations = 500;
        MaterialProperties m = water(0.05f);
        m.strainViscosity = 0.2f;
        addMaterial(world, m);
        m.spacing = 0.06f, m.density = 3000, m.strainViscosity = 0.02f;
        if (materials > 1) addMaterial(world, m);
        // a third that is not viscous neither drags nor is dragged
        m.strainViscosity = 0;
        if (materials > 2) addMaterial(world, m);
        addUneven(world, materials);
        OpenWorld open(world);
        const std::vector<Particle> p = particlesOf(open);
        const std::vector<uint32_t> phase = world.particles.phase.download();
        std::vector<Vec3d> v;
        for (const Vec4& a : world.particles.v.download()) v.push_back(toDouble(a));

        const auto n = static_cast<Eigen::Index>(p.size());
        std::vector<double> g;
        for (const uint32_t one : phase) {
            const MaterialProperties& of = world.materials[materialOf(one)].properties;
            g.push_back(perStrain(of) * double{of.strainViscosity} * double{of.density} *
                        double{open.step.dt});
        }
        Eigen::MatrixXd A = Eigen::MatrixXd::Zero(3 * n, 3 * n);
        Eigen::VectorXd b = Eigen::VectorXd::Zero(3 * n);
        for (Eigen::Index i = 0; i < n; ++i) {
            const Particle& mine = p[static_cast<size_t>(i)];
            const double mass = mine.w > 0 ? 1 / mine.w : 1;
            A.block<3, 3>(3 * i, 3 * i) += mass * Mat3d::Identity();
            if (mine.w == 0) continue;
            for (Eigen::Index j = 0; j < n; ++j) {
                const Particle& other = p[static_cast<size_t>(j)];
                const double gi = g[static_cast<size_t>(i)], gj = g[static_cast<size_t>(j)];
                if (i == j || gi * gj == 0) continue;
                const Vec3d d = mine.x - other.x;
                const double h = (mine.rest.h + other.rest.h) / 2, r = length(d);
                const double k = 2 * gi * gj / (gi + gj) * mine.rest.volume * other.rest.volume *
                                 length(weightGradient(d, h)) / (r * (r * r + 0.01 * h * h));
                const Mat3d block = k * eigen(d) * eigen(d).transpose();
                A.block<3, 3>(3 * i, 3 * i) += block;
                if (other.w > 0) A.block<3, 3>(3 * i, 3 * j) -= block;
                b.segment<3>(3 * i) -= block * eigen(v[static_cast<size_t>(i)] - v[static_cast<size_t>(j)]);
            }
        }
        const Eigen::VectorXd change = A.ldlt().solve(b);

        DensityConstraint density(exec);
        density.prepare(open.step);
        Viscosity(exec).resistStrain(open.step, density);
        const std::vector<Vec4> ours = world.particles.v.download();
        double largest = 0;
        for (size_t i = 0; i < p.size(); ++i) {
            const Eigen::Vector3d expected = change.segment<3>(3 * static_cast<Eigen::Index>(i));
            largest = std::max(largest, expected.norm());
            // changes of some 3 m/s; float rounding of the products stays in the residual
            ASSERT_LT((eigen(toDouble(ours[i]) - v[i]) - expected).norm(), 2e-4) << "slot " << i;
        }
        EXPECT_GT(largest, 1);
    }
}

// Both momenta at any tolerance: after one iteration they are what they were, while energy falls.
TEST_P(Liquid, StrainViscosityConservesBothMomenta) {
    World world(exec);
    world.parameters.fluid.strainIterations = 1;
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
    Viscosity(exec).resistStrain(open.step, density);
    const Momenta after = momentaOf(world);
    const std::vector<Vec4> last = velocities(world);
    double energyBefore = 0, energyAfter = 0;
    for (size_t i = 0; i < x.size(); ++i) {
        energyBefore += dot(toDouble(first[i]), toDouble(first[i])) / double{x[i].w};
        energyAfter += dot(toDouble(last[i]), toDouble(last[i])) / double{x[i].w};
    }
    EXPECT_LT(length(after.linear - before.linear), 1e-6 * before.speed);
    EXPECT_LT(length(after.angular - before.angular), 1e-6 * before.spin);
    EXPECT_LT(energyAfter, 0.9 * energyBefore);
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
    EXPECT_GT(strain, 0.97 * without);
    EXPECT_LT(xsph, 0.5 * without);
}

}  // namespace
}  // namespace coalesce::test
