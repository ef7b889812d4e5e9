// The density constraint. Reference: the formulas over all pairs in double.
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

#include "kernels/fluid/density_constraint.h"
#include "sim/contact/shape_contacts.h"
#include "sim/fluid/density.h"
#include "sim/make_world.h"
#include "sim/reference_fluid.h"
#include "support/each_backend.h"
#include "support/pressures.h"

namespace coalesce::test {
namespace {

using std::numbers::pi;

TEST_P(Liquid, LatticeHasVolumeFractionOne) {
    for (const float ratio : {1.2f, 1.5f, 2.0f, 2.5f, 3.3f}) {
        MaterialProperties m = water(0.04f);
        m.supportRatio = ratio;
        m.density = 1234;
        const MaterialConstants constants = materialConstants(m);
        const Rest rest = restOf(m);
        double phi = 0;
        for (int z = -5; z <= 5; ++z)
            for (int y = -5; y <= 5; ++y)
                for (int x = -5; x <= 5; ++x)
                    phi += constants.volume * weight(0.04 * std::sqrt(x * x + y * y + z * z), rest.h);
        EXPECT_NEAR(phi, 1, 1e-6) << ratio;
        EXPECT_NEAR(constants.inverseMass * rest.mass, 1, 1e-6) << ratio;
        EXPECT_NEAR(constants.denominator / rest.denominator, 1, 1e-6) << ratio;
        EXPECT_NEAR(particleMass(m) / rest.mass, 1, 1e-6) << ratio;
    }
    // and the solver sees it: φ, noted at the end of a substep, of the particle in the middle
    World world(exec);
    world.parameters.world.gravity = {0, 0, 0};
    addMaterial(world, water(0.05f));
    addBlock(world, {.nx = 7, .ny = 7, .nz = 7});
    Solver solver(world);
    solver.step();
    EXPECT_NEAR(velocities(world)[171].w, 1, 1e-5);
}

// λ itself, from the kernel as it stands, called one particle at a time.
TEST(LiquidKernel, LambdaEqualsTheFormulaOverAllPairs) {
    Exec exec({.backend = "cpu", .threads = 1});
    for (const Density constraint : {Density::unilateral, Density::bilateral}) {
        World world(exec);
        addMaterial(world, water(0.05f));
        addBlock(world, {.nx = 6, .ny = 6, .nz = 6, .jitter = 0.3f});
        world.parameters.fluid.constraint = constraint;
        OpenWorld open(world);
        const size_t n = world.count();
        Buffer<Vec4> xLambda(exec, n);
        const MaterialConstants& m = open.device.materials.host()[0];
        const SolveDensityLambda<true> kernel{
            .xStar = open.device.xStar.view(),
            .wall = open.device.wall.view(),
            .neighbors = open.neighbors.lists(),
            .pairs = {m.support, m.volume, 0, m.gradientScale, m.denominator / m.inverseMass, m.attraction,
                      smoothing(m.support)},
            .options = {.epsilon = 0.05f,
                        .denominator = m.denominator,
                        .regularized = 0,
                        .omega = world.parameters.fluid.overRelaxation,
                        .bilateral = constraint == Density::bilateral},
            .active = {},
            .target = {},
            .xLambda = xLambda.view()};
        for (size_t i = 0; i < n; ++i) kernel(static_cast<int>(i));
        std::vector<Particle> p;
        const Rest rest = restOf(world.materials[0].properties);
        for (const Vec4& x : world.particles.x.download()) p.push_back({toDouble(x), x.w, rest});
        const Iteration expected = referenceIteration(p, world.parameters.fluid);
        double largest = 0;
        for (const double l : expected.lambda) largest = std::max(largest, std::abs(l));
        int pushed = 0, pulled = 0;
        const std::vector<Vec4> solved = xLambda.download();
        for (size_t i = 0; i < n; ++i) {
            // a sum of 30 terms and a quotient, in float
            ASSERT_NEAR(solved[i].w, expected.lambda[i], 5e-6 * largest) << "slot " << i;
            pushed += expected.lambda[i]<0, pulled += expected.lambda[i]> 0;
        }
        EXPECT_GT(pushed, 10);
        EXPECT_EQ(pulled > 10, constraint == Density::bilateral);
    }
}

TEST_P(Liquid, OneIterationEqualsTheFormulasOverAllPairs) {
    for (const uint32_t materials : {1u, 3u})
        for (const Density constraint : {Density::unilateral, Density::bilateral})
            for (const Stiffness stiffness : {Stiffness::relaxed, Stiffness::regularized})
                for (const float tensile : {0.0f, 0.1f}) {
                    SCOPED_TRACE(fmt::format("{} materials, constraint {}, stiffness {}, tensile {}",
                                             materials, static_cast<int>(constraint),
                                             static_cast<int>(stiffness), tensile));
                    World world(exec);
                    addMaterial(world, water(0.05f));
                    if (materials > 1) {
                        // four times as heavy, and two other resolutions
                        MaterialProperties heavy = water(0.05f);
                        heavy.density = 4000;
                        addMaterial(world, heavy);
                        MaterialProperties coarse = water(0.06f);
                        coarse.supportRatio = 2.2f;
                        addMaterial(world, coarse);
                    }
                    addUneven(world, materials);
                    world.parameters.fluid.constraint = constraint;
                    world.parameters.fluid.stiffness = stiffness;
                    world.parameters.fluid.tensile = tensile;
                    world.parameters.fluid.overRelaxation = 0.9f;
                    world.parameters.fluid.lightIterations = 0;  // one iteration, of all liquids
                    expectOneIteration(world);
                }
}

// Grains among the liquid: they count in its density with a share s of their volume, are pushed by it, and
// have no density of their own.  [UPP14] eq. 27
TEST_P(Liquid, SolidsContributeToDensity) {
    for (const float share : {0.0f, 0.6f, 1.0f}) {
        World world(exec);
        addMaterial(world, water(0.05f));
        MaterialProperties sand = water(0.04f);
        sand.kind = MaterialKind::grains, sand.density = 2500;
        addMaterial(world, sand);
        addUneven(world, 2);
        world.parameters.fluid.constraint = Density::bilateral;
        world.parameters.fluid.solidDensity = share;
        OpenWorld open(world);
        DensityConstraint density(exec);
        density.prepare(open.step);
        density.solve(open.step);
        const std::vector<uint32_t> phase = world.particles.phase.download();
        std::vector<Particle> p = particlesOf(open);
        for (size_t i = 0; i < p.size(); ++i)
            if (materialOf(phase[i]) == 1) p[i].solid = true, p[i].rest.volume *= double{share};
        const Iteration expected = referenceIteration(p, world.parameters.fluid);
        const std::vector<Vec4> moved = open.device.xStar.download();
        double largest = 0, solids = 0;
        for (size_t i = 0; i < p.size(); ++i) {
            largest = std::max(largest, length(expected.delta[i]));
            if (p[i].solid) solids = std::max(solids, length(expected.delta[i]));
        }
        ASSERT_GT(largest, 1e-4);
        EXPECT_EQ(solids > 1e-6, share > 0);
        for (size_t i = 0; i < p.size(); ++i)
            ASSERT_LT(length(toDouble(moved[i]) - p[i].x - expected.delta[i]), 6e-8 + 4e-6 * largest)
                << "slot " << i << ", share " << share;
    }
}

TEST_P(Liquid, TensileTermDependsOnItsDistanceAndPower) {
    for (const auto& [distance, power] : {std::pair{0.0f, 1}, {0.3f, 2}, {0.5f, 6}}) {
        World world(exec);
        addMaterial(world, water(0.05f));
        addUneven(world, 1);
        world.parameters.fluid.tensile = 0.3f;
        world.parameters.fluid.tensileDistance = distance;
        world.parameters.fluid.tensilePower = power;
        expectOneIteration(world);
    }
}

TEST_P(Liquid, AttractionAllowsNegativeLambdaAndKeepsParticlesApart) {
    for (const uint32_t materials : {1u, 3u})
        for (const float kappa : {0.05f, 0.4f, 1.0f}) {
            SCOPED_TRACE(fmt::format("{} materials, kappa {}", materials, kappa));
            World world(exec);
            MaterialProperties m = water(0.05f);
            m.tension = kappa;
            addMaterial(world, m);
            m.density = 4000, m.tension = 0;
            if (materials > 1) addMaterial(world, m);
            m.spacing = 0.06f, m.tension = 0.5f * kappa;
            if (materials > 1) addMaterial(world, m);
            addUneven(world, materials);
            expectOneIteration(world);
        }
}

// Where the artificial pressure would grow without limit towards a pair's center, it once threw such a pair 9 d apart.
TEST_P(Liquid, AttractionDoesNotThrowCoincidentParticles) {
    World world(exec);
    world.parameters.world.gravity = {0, 0, 0};
    MaterialProperties m = water(0.05f);
    m.tension = 1;
    addMaterial(world, m);
    addBlock(world, {.nx = 7, .ny = 7, .nz = 7});
    auto x = world.particles.x.download();
    const Vec4 middle = x[171];
    x[172] = {middle.x + 1e-3f, middle.y, middle.z, x[172].w};
    world.particles.x.upload(x);
    world.parameters.solver.substeps = 4;
    Solver solver(world);
    double fastest = 0;
    for (int frame = 0; frame < 30; ++frame) {
        solver.step();
        for (const Vec4& v : velocities(world)) fastest = std::max(fastest, length(toDouble(v)));
    }
    EXPECT_GT(fastest, 0.1) << "they part";
    EXPECT_LT(fastest, 0.05 * 240) << "a spacing in a substep";
}

// ---- walls ----

// ∫ of the kernel over a plane at distance s, and over the half space beyond it: midpoint sums.
double hiddenSlope(double s, double h) {
    const int steps = 400;
    const double rim = std::sqrt(std::max(h * h - s * s, 0.0));
    double sum = 0;
    for (int k = 0; k < steps; ++k) {
        const double rho = rim * (k + 0.5) / steps;
        sum += rim / steps * 2 * pi * rho * weight(std::sqrt(rho * rho + s * s), h);
    }
    return sum;
}
double hiddenShare(double s, double h) {
    const int steps = 400;
    double sum = 0;
    for (int k = 0; k < steps && s < h; ++k)
        sum += (h - s) / steps * hiddenSlope(s + (h - s) * (k + 0.5) / steps, h);
    return sum;
}
// How much farther a wall must be so that a lattice flush with it, its first layer at d/2, has volume
// fraction 1.
double wallShift(const MaterialProperties& m) {
    const Rest rest = restOf(m);
    double behind = 0;
    for (int y = 1; y <= 5; ++y)
        for (int z = -5; z <= 5; ++z)
            for (int x = -5; x <= 5; ++x)
                behind += rest.volume * weight(m.spacing * std::sqrt(x * x + y * y + z * z), rest.h);
    double low = 0, high = rest.h;
    for (int step = 0; step < 40; ++step) {
        const double middle = (low + high) / 2;
        (hiddenShare(middle, rest.h) > behind ? low : high) = middle;
    }
    return low - double{m.spacing} / 2;
}

TEST_P(Liquid, WallsContributeAsFilledHalfSpaces) {
    const float d = 0.05f, h = 0.1f;
    World world(exec);
    addMaterial(world, water(d));
    // distances of centers from the floor, away from and near a second wall at x = 0
    const float heights[] = {0.02f, 0.025f, 0.04f, 0.06f, 0.09f, 0.11f};
    for (const float y : heights) addAt(world, {10, y, 0});
    for (const float y : heights) addAt(world, {0.035f, y, 0.4f});
    addFloor(world);
    addPlane(world, {0, 0, 0}, {1, 0, 0});
    OpenWorld open(world);
    ShapeContacts contacts(exec);
    contacts.find(open.step);
    contacts.addWallDensity(open.step);
    const std::vector<Vec4> wall = byId(world, open.device.wall);
    const double shift = wallShift(world.materials[0].properties);
    EXPECT_LT(std::abs(shift), 0.2 * d);
    for (int k = 0; k < 12; ++k) {
        const double y = heights[k % 6] + shift, x = k < 6 ? 1 : 0.035 + shift;
        const double floorShare = hiddenShare(y, h), floorSlope = hiddenSlope(y, h);
        const double sideShare = hiddenShare(x, h), sideSlope = hiddenSlope(x, h);
        EXPECT_NEAR(wall[k].w, 1 - (1 - floorShare) * (1 - sideShare), 5e-6) << k;
        // φ = 1 − Π(1 − Φ_k) grows towards the walls
        EXPECT_NEAR(wall[k].y, -floorSlope * (1 - sideShare), 4e-5 / h) << k;
        EXPECT_NEAR(wall[k].x, -sideSlope * (1 - floorShare), 4e-5 / h) << k;
        EXPECT_EQ(wall[k].z, 0) << k;
    }
}

TEST_P(Liquid, OneIterationAtAWallEqualsTheFormulas) {
    World world(exec);
    addMaterial(world, water(0.05f));
    addUneven(world, 1);
    addFloor(world, -0.02f);
    OpenWorld open(world);
    ShapeContacts contacts(exec);
    DensityConstraint density(exec);
    contacts.find(open.step);
    contacts.addWallDensity(open.step);
    density.prepare(open.step);
    density.solve(open.step);
    std::vector<Particle> p = particlesOf(open);
    double largest = 0;
    const double shift = wallShift(world.materials[0].properties);
    for (Particle& a : p) {
        const double s = a.x.y() + double{0.02f} + shift;
        if (s >= a.rest.h) continue;
        a.wall = hiddenShare(s, a.rest.h);
        a.wallGradient = {0, -hiddenSlope(s, a.rest.h), 0};
    }
    const Iteration expected = referenceIteration(p, world.parameters.fluid);
    for (const Vec3d& d : expected.delta) largest = std::max(largest, length(d));
    const std::vector<Vec4> moved = open.device.xStar.download();
    for (size_t i = 0; i < p.size(); ++i)
        ASSERT_LT(length(toDouble(moved[i]) - p[i].x - expected.delta[i]), 6e-8 + 6e-6 * largest)
            << "slot " << i;
}

// ---- in a plane ----

// One layer of particles in a basin of the plane: its lattice is at rest density in the middle and at the
// walls, keeps its z, whatever gravity says, and feels no wall before or behind.
TEST_P(Liquid, PlanarLiquidStaysInItsPlane) {
    World world(exec);
    world.parameters.solver.planar = true;
    world.parameters.world.gravity = {0, -9.81f, 3};
    MaterialProperties m = water(0.05f);
    m.viscosity = 0.1f;
    addMaterial(world, m);
    Shape tank;
    tank.kind = ShapeKind::box, tank.container = true;
    tank.halfExtents = {0.25f, 1, 0.06f}, tank.position = {0.25f, 1, 0.3f};
    world.shapes.push_back(tank);
    addBlock(world, {.low = {0, 0, 0.275f}, .nx = 10, .ny = 10, .nz = 1});
    for (const Vec4& x : positions(world))
        EXPECT_NEAR(1 / x.w, 1000 * 0.05 * 0.05, 1e-5);  // per meter of depth
    Solver solver(world);
    solver.watchPressure();
    solver.step();
    // all but the two layers at the surface; gravity has pressed them by less than a hundredth
    const std::vector<Vec4> x = positions(world), v = velocities(world);
    for (size_t i = 0; i < 80; ++i) EXPECT_NEAR(v[i].w, 1, 0.015) << i;
    for (const Vec4& p : x) EXPECT_EQ(p.z, 0.275f + 0.5f * 0.05f);
    stepFrames(solver, 120);
    for (const Vec4& p : positions(world)) EXPECT_EQ(p.z, 0.275f + 0.5f * 0.05f);
    // the floor bears the weight of a meter of depth: 250 kg/m
    EXPECT_NEAR(world.shapeReports[0].force.y, -9.81 * 250, 0.1 * 9.81 * 250);
    const std::vector<double> pressure = pressures(solver, world);
    const std::vector<Vec4> stored = world.particles.x.download();
    double below = 0, count = 0;
    for (size_t i = 0; i < stored.size(); ++i)
        if (stored[i].y < 0.1f) below += pressure[i], count += 1;
    EXPECT_NEAR(below / count, 1000 * 9.81 * 0.45, 0.15 * 1000 * 9.81 * 0.45);
}

// ---- whole frames ----

// A single fine and light particle far away must not change how stiff a pool is.
TEST_P(Liquid, MaterialsDoNotSoftenEachOther) {
    const auto levelOf = [&](bool withFine) {
        World world(exec);
        addMaterial(world, water(0.1f));
        MaterialProperties fine = water(0.02f);
        fine.density = 250;
        if (withFine) addMaterial(world, fine);
        Shape tank;
        tank.kind = ShapeKind::box;
        tank.container = true;
        tank.position = {0.3f, 1, 0.3f};
        tank.halfExtents = {0.3f, 1, 0.3f};
        world.shapes.push_back(tank);
        std::vector<ParticleDef> births;
        for (int k = 0; k < 6 * 6 * 6; ++k)
            births.push_back(
                {.x = {0.05f + 0.1f * (k % 6), 0.05f + 0.1f * (k / 6 % 6), 0.05f + 0.1f * (k / 36)}});
        if (withFine) births.push_back({.x = {0.3f, 1.9f, 0.3f}, .material = 1, .inverseMass = 0});
        world.addParticles(births);
        Solver solver(world);
        for (int frame = 0; frame < 60; ++frame) solver.step();
        double sum = 0;
        const std::vector<Vec4> x = positions(world);
        for (int k = 0; k < 216; ++k) sum += x[k].y / 216;
        return sum;
    };
    EXPECT_NEAR(levelOf(true), levelOf(false), 0.002);
}

// A floor under a tank hides what the tank's own bottom hides already.
TEST_P(Liquid, CoincidentWallsCountOnce) {
    const auto phiAtTheWall = [&](bool twice) {
        World world(exec);
        world.parameters.world.gravity = {0, 0, 0};
        addMaterial(world, water(0.1f));
        Shape floor;
        world.shapes.push_back(floor);
        if (twice) world.shapes.push_back(floor);
        world.addParticles(std::vector<ParticleDef>{{.x = {0, 0.05f, 0}}});
        Solver solver(world);
        solver.step();
        return velocities(world)[0].w;
    };
    EXPECT_GT(phiAtTheWall(false), 0.3f);
    EXPECT_EQ(phiAtTheWall(true), phiAtTheWall(false));
}

// One liquid; two of density 1:4; and three of densities to 10:1, two spacings and several viscosities.
TEST_P(Liquid, ConservesMomentumOfAnIsolatedBlob) {
    for (const uint32_t materials : {1u, 2u, 3u}) {
        World world(exec);
        world.parameters.world.gravity = {0, 0, 0};
        for (uint32_t k = 0; k < materials; ++k) {
            MaterialProperties m = water(k == 2 ? 0.04f : 0.05f);
            m.density = k == 0 ? 1000 : materials == 2 ? 4000 : k == 1 ? 10000 : 5000;
            m.viscosity = k == 0 ? 0.1f : k == 1 ? 0.7f : 4;
            addMaterial(world, m);
        }
        addUneven(world, materials);
        const std::vector<uint32_t> phase = byId(world, world.particles.phase);
        const float heldMass = particleMass(world.materials[materialOf(phase[100])].properties);
        setById(world, world.particles.x, 100,
                vec4(xyz(positions(world)[100]), 1 / heldMass));  // none pinned
        const auto momentum = [&] {
            Vec3d sum;
            const std::vector<Vec4> x = positions(world), v = velocities(world);
            for (size_t i = 0; i < v.size(); ++i) sum = sum + 1 / double{x[i].w} * toDouble(v[i]);
            return sum;
        };
        const Vec3d before = momentum();
        double scale = 0;  // Σ m |v|
        const std::vector<Vec4> x = positions(world), v = velocities(world);
        for (size_t i = 0; i < v.size(); ++i) scale += length(toDouble(v[i])) / x[i].w;
        Solver solver(world);
        stepFrames(solver, 50);  // 100 substeps
        const double drift = length(momentum() - before) / scale;
        RecordProperty("momentum_drift_of_" + std::to_string(materials), std::to_string(drift));
        // v = (x* − x)/dt carries the rounding of positions near 2 m, 1e-7 m · 120/s, as noise of either sign
        EXPECT_LT(drift, 1e-5) << materials << " materials";
    }
}

TEST_P(Liquid, DensityErrorDecreasesWithIterations) {
    // a column that lands: mean compression over the frames of the impact
    double last = 1e9;
    for (const int iterations : {1, 2, 5, 10, 100}) {
        World world(exec);
        world.parameters.solver.iterations = iterations;
        addMaterial(world, water(0.05f));
        addBlock(world, {.low = {0, 0.1f, 0}, .nx = 7, .ny = 14, .nz = 7, .velocity = {0, -2, 0}});
        addFloor(world);
        Solver solver(world);
        double error = 0;
        for (int frame = 0; frame < 15; ++frame) {
            solver.step();
            for (const Vec4& v : velocities(world)) error += std::max(0.0f, v.w - 1) / 15 / world.count();
        }
        EXPECT_LT(error, last) << iterations << " iterations";
        RecordProperty("density_error_at_" + std::to_string(iterations), std::to_string(error));
        last = error;
    }
    EXPECT_LT(last, 0.01);
}

FOR_EACH_BACKEND(Liquid);

}  // namespace
}  // namespace coalesce::test
