// The method velocity: density and contacts as velocity constraints. Reference: the formulas over all pairs
// in double; conservation laws; hydrostatics; Coulomb's law.
#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>
#include <numbers>

#include "kernels/velocity/density_impulse.h"
#include "sim/contact/shape_contacts.h"
#include "sim/make_bodies.h"
#include "sim/make_cloth.h"
#include "sim/reference_kernel.h"
#include "sim/same_states.h"
#include "sim/velocity/density_impulses.h"
#include "support/each_backend.h"
#include "support/pressures.h"

namespace coalesce::test {
namespace {

using std::numbers::pi;

// Support, weight and Σ |∇_kC|² of a filled lattice, from the definition that its volume fraction is 1.
struct Rest {
    double h, volume, gradients;
};
Rest restOf(const MaterialProperties& m) {
    const double d = m.spacing, h = d * m.supportRatio;
    double weights = 0, squares = 0;
    for (int z = -5; z <= 5; ++z)
        for (int y = -5; y <= 5; ++y)
            for (int x = -5; x <= 5; ++x) {
                const Vec3d p{d * x, d * y, d * z};
                weights += weight(length(p), h);
                squares += dot(weightGradient(p, h), weightGradient(p, h));
            }
    return {h, 1 / weights, squares / (weights * weights)};
}

struct Particle {
    Vec3d x, v;
    double w;
    Rest rest;
};

// One Jacobi iteration from no impulse: μ of every particle, and the velocities after it.
struct Iteration {
    std::vector<double> impulse;
    std::vector<Vec3d> v;
};
Iteration referenceIteration(const std::vector<Particle>& p, double dt, double bias, double epsilon,
                             double omega) {
    const size_t n = p.size();
    Iteration r{std::vector<double>(n), std::vector<Vec3d>(n)};
    for (size_t i = 0; i < n; ++i) {
        double phi = 0, others = 0, rise = 0;
        Vec3d own{};
        for (size_t j = 0; j < n; ++j) {
            const double h = (p[i].rest.h + p[j].rest.h) / 2, V = p[j].rest.volume;
            const Vec3d d = p[i].x - p[j].x;
            phi += V * weight(length(d), h);
            if (j == i) continue;
            const Vec3d g = V * weightGradient(d, h);
            own = own + g;
            others += p[j].w * dot(g, g);
            rise += dot(g, p[i].v - p[j].v);
        }
        const double c = phi - 1;
        const double b = (c > 0 ? bias * std::min(c, 4.0) : c) / dt;
        const double share = omega / std::max(phi, 1.0);
        r.impulse[i] = std::max(
            0.0, share * (rise + b) / (p[i].w * (dot(own, own) + epsilon * p[i].rest.gradients) + others));
    }
    for (size_t i = 0; i < n; ++i) {
        Vec3d sum{};
        for (size_t j = 0; j < n; ++j) {
            if (j == i) continue;
            const double h = (p[i].rest.h + p[j].rest.h) / 2;
            sum = sum + (r.impulse[i] * p[j].rest.volume + r.impulse[j] * p[i].rest.volume) *
                            weightGradient(p[i].x - p[j].x, h);
        }
        r.v[i] = p[i].v - p[i].w * sum;
    }
    return r;
}

class VelocityLevel : public EachBackend {
protected:
    static void useMethod(World& world) { world.parameters.solver.method = Method::velocity; }
};

TEST_P(VelocityLevel, OneIterationEqualsTheFormulasOverAllPairs) {
    // squeezed to a third of its size the block has φ above 20, where the bias grows no more
    for (const auto& [materials, squeeze] : {std::pair{1u, 1.0f}, {2u, 1.0f}, {1u, 0.3f}})
        for (const VelocityPass pass : {VelocityPass::biased, VelocityPass::relax}) {
            World world(exec);
            useMethod(world);
            addMaterial(world, water(0.05f));
            if (materials > 1) {
                MaterialProperties m = water(0.06f);
                m.density = 2500;
                addMaterial(world, m);
            }
            std::vector<ParticleDef> block = unevenBlock(materials, 21);
            for (ParticleDef& particle : block) particle.x = squeeze * particle.x;
            world.addParticles(block);
            OpenWorld open(world);
            DensityConstraint density(exec);
            ShapeContacts shapes(exec);
            DensityImpulses impulses(exec);
            density.prepare(open.step);
            shapes.find(open.step);
            // a relax pass goes on with the impulses of the biased one: here none
            impulses.prepare(open.step, density, shapes, VelocityPass::biased);
            impulses.prepare(open.step, density, shapes, pass);
            std::vector<Particle> p;
            const std::vector<Vec4> x = world.particles.x.download(), v = world.particles.v.download();
            const std::vector<uint32_t> phase = world.particles.phase.download();
            for (size_t i = 0; i < x.size(); ++i)
                p.push_back({toDouble(x[i]), toDouble(v[i]), x[i].w,
                             restOf(world.materials[materialOf(phase[i])].properties)});
            const Parameters& parameters = world.parameters;
            const double bias = pass == VelocityPass::biased ? double{parameters.velocity.bias} : 0;
            const Iteration expected = referenceIteration(p, open.step.dt, bias, parameters.fluid.relaxation,
                                                          parameters.fluid.overRelaxation);
            impulses.solve(open.step, density, pass);

            std::vector<float> impulse(x.size());
            exec.copyToHost(impulse.data(), impulses.impulses().data, impulse.size() * sizeof(float));
            const std::vector<Vec4> after = world.particles.v.download();
            double largest = 0, fastest = 0;
            int active = 0;
            for (size_t i = 0; i < p.size(); ++i) {
                largest = std::max(largest, expected.impulse[i]);
                fastest = std::max(fastest, length(expected.v[i]));
                active += expected.impulse[i] > 0;
            }
            ASSERT_GT(active, 30);
            if (squeeze == 1) {
                ASSERT_LT(active, 330);  // and the clamp acts
            }
            // sums of 40 terms in float, and differences of velocities that nearly cancel
            for (size_t i = 0; i < p.size(); ++i) {
                ASSERT_NEAR(impulse[i], expected.impulse[i], 2e-5 * largest)
                    << "slot " << i << " of " << materials << " materials";
                ASSERT_LT(length(toDouble(after[i]) - expected.v[i]), 2e-5 * fastest) << "slot " << i;
            }
        }
}

// What can be told of a world without any constant of the solver.
double energyOf(const World& world, double gravity) {
    double sum = 0;
    const std::vector<Vec4> x = positions(world), v = velocities(world);
    for (size_t i = 0; i < x.size(); ++i)
        sum += (0.5 * dot(toDouble(v[i]), toDouble(v[i])) + gravity * x[i].y) / x[i].w;
    return sum;
}
double topOf(const World& world) {
    double top = -1e9;
    for (const Vec4& x : positions(world)) top = std::max(top, double{x.y});
    return top;
}

void addTank(World& world, Vec3 size) {
    Shape tank;
    tank.name = "tank", tank.kind = ShapeKind::box, tank.container = true;
    tank.position = 0.5f * size, tank.halfExtents = 0.5f * size;
    world.shapes.push_back(tank);
}

// Momentum after 200 frames without gravity: liquids of different resolution, grains and cloth that collide.
TEST_P(VelocityLevel, MomentumIsKept) {
    World world(exec);
    useMethod(world);
    world.parameters.world.gravity = {0, 0, 0};
    addMaterial(world, water(0.05f));
    MaterialProperties oil = water(0.06f);
    oil.density = 600;
    addMaterial(world, oil);
    MaterialProperties sand = solid(MaterialKind::grains, 0.05f, 0.5f);
    sand.restitution = 0.4f;
    addMaterial(world, sand);
    addMaterial(world, cloth(0.05f, 0, 0));
    world.addParticles(unevenBlock(2, 21));
    addBlock(world,
             {.low = {0.5f, 0, 0}, .nx = 3, .ny = 4, .nz = 4, .material = 2, .velocity = {-2, 0.1f, 0}});
    addCloth(world, {.position = {0.2f, 0.45f, 0.2f}, .material = 3, .velocity = {0, -0.5f, 0}});
    Solver solver(world);
    const Momenta start = momentaOf(world);
    stepFrames(solver, 200);
    const Momenta end = momentaOf(world);
    EXPECT_LT(length(end.linear - start.linear), 1e-5 * start.speed);
}

// The same with a rigid and a soft body. Sums over a body in float, forty times a substep, and the rounding
// of the positions on which shape matching acts leave more: 2e-5.
TEST_P(VelocityLevel, MomentumOfBodiesIsKept) {
    World world(exec);
    useMethod(world);
    world.parameters.world.gravity = {0, 0, 0};
    addMaterial(world, water(0.05f));
    addMaterial(world, solid(MaterialKind::rigid, 0.05f, 0.4f));
    addMaterial(world, solid(MaterialKind::soft, 0.05f, 0.4f));
    addBlock(world, {.low = {0, 0, 0}, .nx = 5, .ny = 5, .nz = 5, .velocity = {1, 0, 0}});
    addBody(world, {.position = {0.45f, 0.12f, 0.1f},
                    .material = 1,
                    .velocity = {0, 0, 0.2f},
                    .angularVelocity = {1, 2, 3}});
    addBody(world, {.position = {0.1f, 0.5f, 0.1f},
                    .nx = 4,
                    .material = 2,
                    .velocity = {0, -1, 0},
                    .clusterSpacing = 0.1f});
    Solver solver(world);
    const Momenta start = momentaOf(world);
    stepFrames(solver, 200);
    const Momenta end = momentaOf(world);
    EXPECT_LT(length(end.linear - start.linear), 1e-4 * start.speed);
    double apart = 0;
    for (const Vec4& x : positions(world)) apart = std::max(apart, length(toDouble(x)));
    EXPECT_LT(apart, 10) << "something exploded";
}

TEST_P(VelocityLevel, ColumnAtRestStandsAndCarriesItsWeight) {
    for (const bool planar : {false, true}) {
        World world(exec);
        useMethod(world);
        world.parameters.solver.planar = planar;
        world.parameters.solver.substeps = 4;
        MaterialProperties m = water(0.05f);
        if (planar) m.supportRatio = 3;
        m.viscosity = 0.05f;
        addMaterial(world, m);
        addTank(world, {0.4f, 1.5f, planar ? 1.0f : 0.4f});
        if (planar)
            addBlock(world, {.low = {0, 0, 0.475f}, .nx = 8, .ny = 16, .nz = 1});
        else
            addBlock(world, {.nx = 8, .ny = 16, .nz = 8});
        Solver solver(world);
        solver.watchPressure();
        const double start = energyOf(world, 9.81), height = topOf(world);
        double mostEnergy = start;
        for (int frame = 0; frame < 120; ++frame) {
            solver.step();
            mostEnergy = std::max(mostEnergy, energyOf(world, 9.81));
        }
        EXPECT_NEAR(topOf(world), height, 0.03 * height) << (planar ? "2D" : "3D");
        EXPECT_LT(mostEnergy, start * (1 + 1e-3)) << (planar ? "2D" : "3D");
        // hydrostatic pressure of the layers, as a mean over half a second: p = ρ g (H − y), fitted through 0
        double products = 0, squares = 0;
        for (int frame = 0; frame < 30; ++frame) {
            solver.step();
            const std::vector<double> p = pressures(solver, world);
            const std::vector<Vec4> x = world.particles.x.download();
            for (size_t i = 0; i < p.size(); ++i) {
                const double depth = 1000 * 9.81 * (height + 0.025 - x[i].y);
                products += depth * p[i], squares += depth * depth;
            }
        }
        // Σλ overestimates it, in a plane by up to 15 %, with the method position too
        EXPECT_NEAR(products / squares, 1, planar ? 0.16 : 0.1) << (planar ? "2D" : "3D");
    }
}

// More iterations compress less, and one is not far off.
TEST_P(VelocityLevel, IterationsAreComparable) {
    std::vector<double> heights;
    for (const int iterations : {1, 2, 4, 16}) {
        World world(exec);
        useMethod(world);
        world.parameters.solver.substeps = 4;
        world.parameters.solver.iterations = iterations;
        addMaterial(world, water(0.05f));
        addTank(world, {0.4f, 1.5f, 0.4f});
        addBlock(world, {.nx = 8, .ny = 16, .nz = 8});
        Solver solver(world);
        stepFrames(solver, 90);
        double sum = 0;
        for (const Vec4& x : positions(world)) sum += x.y;
        heights.push_back(sum / double(world.count()));
    }
    for (size_t k = 1; k < heights.size(); ++k) EXPECT_GT(heights[k], heights[k - 1] - 1e-3) << k;
    EXPECT_GT(heights[0], 0.85 * heights[3]);
    EXPECT_GT(heights[2], 0.97 * heights[3]);
}

void buildMixture(World& world) {
    world.parameters.solver.method = Method::velocity;
    MaterialProperties m = water(0.05f);
    m.viscosity = 0.02f;
    addMaterial(world, m);
    MaterialProperties sand = solid(MaterialKind::grains, 0.05f, 0.5f);
    sand.restitution = 0.3f;
    addMaterial(world, sand);
    addMaterial(world, solid(MaterialKind::rigid, 0.05f, 0.4f));
    addMaterial(world, cloth(0.05f, 0, 0));
    addTank(world, {0.8f, 1.5f, 0.4f});
    Shape paddle;
    paddle.name = "paddle", paddle.kind = ShapeKind::box;
    paddle.position = {0.55f, 0.1f, 0.2f}, paddle.halfExtents = {0.15f, 0.02f, 0.15f};
    paddle.angularVelocity = {0, 0, 4};
    world.shapes.push_back(paddle);
    addBlock(world, {.low = {0, 0, 0}, .nx = 7, .ny = 9, .nz = 8, .jitter = 0.05f});
    addBlock(world, {.low = {0.5f, 0.4f, 0.1f}, .nx = 4, .ny = 4, .nz = 4, .material = 1, .jitter = 0.1f});
    addBody(world, {.position = {0.2f, 0.7f, 0.2f}, .material = 2, .angularVelocity = {0, 0, 3}});
    addCloth(world, {.position = {0.45f, 0.9f, 0.2f}, .nx = 7, .nz = 7, .material = 3});
}

TEST(VelocityLevelBits, EqualOnEveryMachineAndInAnyStorageOrder) {
    expectSameStatesOnEveryMachine(30, buildMixture);
    Exec exec({.backend = "cpu", .threads = 2});
    const auto hashAfter = [&](uint64_t seed, int capacity, bool grows) {
        World world(exec);
        buildMixture(world);
        if (seed > 0) shuffleStorage(world, seed);
        if (capacity > 0) world.parameters.neighbors.capacity = capacity;
        Solver solver(world);
        int redone = 0;
        for (int f = 0; f < 30; ++f) redone += solver.step().redone;
        EXPECT_EQ(redone > 0, grows);
        return stateHash(world);
    };
    const uint64_t expected = hashAfter(0, 0, false);
    EXPECT_EQ(hashAfter(7, 0, false), expected);
    EXPECT_EQ(hashAfter(0, 2, true), expected);  // lists that are too short grow
}

TEST_P(VelocityLevel, SavedFileContinuesBitwise) {
    const std::filesystem::path file = std::filesystem::path(::testing::TempDir()) / "velocity_level.state";
    World world(exec);
    buildMixture(world);
    Solver solver(world);
    stepFrames(solver, 15);
    saveState(world, file);
    stepFrames(solver, 15);

    World other(exec);
    buildMixture(other);
    loadState(other, file);
    Solver fresh(other);
    stepFrames(fresh, 15);
    EXPECT_EQ(stateHash(other), stateHash(world));
    std::filesystem::remove(file);
}

// A body on a ramp slides with g (sin a − μ cos a), or stays below the angle of friction.
TEST_P(VelocityLevel, BodiesOnARampFollowCoulombsLaw) {
    const double angle = 25 * pi / 180;
    for (const float friction : {0.0f, 0.3f, 0.6f})
        for (const MaterialKind kind : {MaterialKind::grains, MaterialKind::rigid}) {
            World world(exec);
            useMethod(world);
            world.parameters.world.gravity = {float(9.81 * std::sin(angle)), float(-9.81 * std::cos(angle)),
                                              0};
            addMaterial(world, solid(kind, 0.05f, friction));
            addFloor(world);
            if (kind == MaterialKind::grains)
                addAt(world, {0, 0.025f, 0});
            else
                addBody(world, {.position = {0, 0.05f, 0}, .nx = 6, .ny = 2, .nz = 6});
            Solver solver(world);
            stepFrames(solver, 30);
            const double acceleration =
                std::max(0.0, 9.81 * (std::sin(angle) - double{friction} * std::cos(angle)));
            double speed = 0;
            for (const Vec4& v : velocities(world)) speed += v.x / double(world.count());
            EXPECT_NEAR(speed, 0.5 * acceleration, 0.02) << friction << (kind == MaterialKind::rigid);
        }
}

// A ball of restitution e returns to e² of its height.
TEST_P(VelocityLevel, BallsRebound) {
    for (const float e : {0.0f, 0.5f, 1.0f}) {
        World world(exec);
        useMethod(world);
        MaterialProperties m = solid(MaterialKind::grains, 0.1f);
        m.restitution = e;
        addMaterial(world, m);
        addFloor(world);
        addAt(world, {0, 1.05f, 0});
        Solver solver(world);
        double top = 0;
        for (int frame = 0; frame < 70; ++frame) {
            solver.step();
            const Vec4 x = positions(world)[0], v = velocities(world)[0];
            if (frame > 30 && v.y >= 0) top = std::max(top, x.y - 0.05);
        }
        EXPECT_NEAR(top, double{e} * e, 0.02) << e;
    }
}

// A rigid body in free flight keeps its spin exactly as long as nothing touches it.
TEST_P(VelocityLevel, RigidBodySpins) {
    World world(exec);
    useMethod(world);
    world.parameters.world.gravity = {0, 0, 0};
    addMaterial(world, solid(MaterialKind::rigid, 0.05f));
    addBody(world, {.nx = 5, .ny = 3, .nz = 4, .angularVelocity = {0, 10, 0}});
    Solver solver(world);
    const Momenta start = momentaOf(world);
    stepFrames(solver, 120);
    const Momenta end = momentaOf(world);
    EXPECT_LT(length(end.angular - start.angular), 2e-3 * length(start.angular));
}

FOR_EACH_BACKEND(VelocityLevel);

}  // namespace
}  // namespace coalesce::test
