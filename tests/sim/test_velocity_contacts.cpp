// The method velocity at shapes: rebounds against the energy of the flight,
// loads against weights, drops and held particles.
#include <cmath>
#include <gtest/gtest.h>

#include "sim/make_bodies.h"
#include "sim/make_world.h"
#include "support/body_states.h"
#include "support/each_backend.h"

namespace coalesce::test {
namespace {

class VelocityContacts : public EachBackend {
protected:
    static void useMethod(World& world) { world.parameters.solver.method = Method::velocity; }
};

// With restitution 1 nothing is lost or gained in five rebounds, from any height. In
// flight the integrator keeps v²/2 + g y − g dt v/2.
TEST_P(VelocityContacts, ElasticReboundsKeepTheirEnergy) {
    for (const float height : {0.3f, 0.47f, 0.8f, 1.0f}) {
        World world(exec);
        useMethod(world);
        MaterialProperties m = solid(MaterialKind::grains, 0.1f);
        m.restitution = 1;
        addMaterial(world, m);
        addFloor(world);
        addAt(world, {0, height + 0.05f, 0});
        const double dt = 1 / (double{world.parameters.solver.frameRate} * world.parameters.solver.substeps);
        Solver solver(world);
        int rebounds = 0;
        double before = 0;
        for (int frame = 0; frame < 400 && rebounds < 5; ++frame) {
            solver.step();
            const double y = positions(world)[0].y - 0.05, v = velocities(world)[0].y;
            const double energy = 0.5 * v * v + 9.81 * y - 0.5 * 9.81 * dt * v;
            if (v <= 0 || before > 0) {
                before = v;
                continue;
            }
            before = v, ++rebounds;
            EXPECT_NEAR(energy / (9.81 * double{height}), 1, 2e-3 * rebounds) << height << " m, " << rebounds;
        }
        EXPECT_EQ(rebounds, 5);
    }
}

// Two grains of unequal mass that collide on a spring: implicit Euler steps of their gap, in double. Undamped
// they part again, critically damped more slowly.
TEST_P(VelocityContacts, SpringsAreOscillatorsOfTheirFrequency) {
    for (const float damping : {0.0f, 0.3f, 1.0f}) {
        World world(exec);
        useMethod(world);
        world.parameters.world.gravity = {0, 0, 0};
        world.parameters.solver.substeps = 8;
        world.parameters.solver.iterations = 40;
        world.parameters.velocity.contactFrequency = 6;
        world.parameters.velocity.contactDamping = damping;
        MaterialProperties m = solid(MaterialKind::grains, 0.1f);
        addMaterial(world, m);
        addAt(world, {0, 1, 0}, {0.3f, 0, 0}, 0, 1.0f);
        addAt(world, {0.11f, 1, 0}, {-0.3f, 0, 0}, 0, 2.0f);
        const double dt = 1 / (double{world.parameters.solver.frameRate} * world.parameters.solver.substeps);
        const double omega = 2 * M_PI * 6;
        Solver solver(world);
        double gap = 0.01, rate = -0.6, least = gap;
        for (int frame = 0; frame < 20; ++frame) {
            solver.step();
            for (int k = 0; k < 8; ++k) {
                if (gap < 0)  // a contact does not pull
                    rate =
                        std::max(rate, (rate - dt * omega * omega * gap) /
                                           (1 + omega * omega * dt * dt + 2 * double{damping} * omega * dt));
                gap += dt * rate;
                least = std::min(least, gap);
            }
            const std::vector<Vec4> x = positions(world), v = velocities(world);
            EXPECT_NEAR(double{x[1].x} - double{x[0].x} - 0.1, gap, 1e-5) << damping << ", frame " << frame;
            EXPECT_NEAR(double{v[0].x} + 0.5 * double{v[1].x}, 0.15, 1e-5) << "momentum";
        }
        EXPECT_LT(least, -0.002);
        if (damping == 0) {
            EXPECT_GT(rate, 0.4);
        }
    }
}

// Springs of contacts give nothing back when others relax; what the liquid gives to bodies in that time remains, whether
// or not there is a round body.
TEST_P(VelocityContacts, SpringsBesideRoundBodiesConserveTheMomentumOfLiquids) {
    World world(exec);
    useMethod(world);
    world.parameters.world.gravity = {0, 0, 0};
    world.parameters.velocity.contactFrequency = 30;
    const float d = 0.08f;
    addMaterial(world, solid(MaterialKind::rigid, d));
    MaterialProperties liquid = water(d);
    addMaterial(world, liquid);
    addBlock(
        world,
        {.low = {-0.7f, -0.4f, -0.4f}, .nx = 8, .ny = 10, .nz = 10, .material = 1, .velocity = {2, 0, 0}});
    addBody(world, {.position = {0.3f, 0, 0}, .nx = 5, .ny = 5, .nz = 5});
    addBall(world, {0, 8, 0}, 0.2f);
    const Momenta before = momentaOf(world);
    Solver solver(world);
    stepFrames(solver, 40);
    const Momenta after = momentaOf(world);
    EXPECT_GT(length(bodyStates(world)[0].momentum), 0.05 * before.speed);
    EXPECT_LT(length(after.linear - before.linear), 1e-4 * before.speed);
}

// The floor and the walls of a tank carry the weight of a liquid that has come to rest.
TEST_P(VelocityContacts, TankCarriesTheWeightOfTheLiquid) {
    for (const int iterations : {4, 10}) {
        World world(exec);
        useMethod(world);
        world.parameters.solver.substeps = 4;
        world.parameters.solver.iterations = iterations;
        MaterialProperties m = water(0.05f);
        m.viscosity = 0.05f;
        addMaterial(world, m);
        addBlock(world, {.nx = 6, .ny = 12, .nz = 6});
        addFloor(world);
        addPlane(world, {0, 0, 0}, {1, 0, 0}), addPlane(world, {0.3f, 0, 0}, {-1, 0, 0});
        addPlane(world, {0, 0, 0}, {0, 0, 1}), addPlane(world, {0, 0, 0.3f}, {0, 0, -1});
        double weight = 0;
        for (const Vec4& x : positions(world)) weight += 9.81 / double{x.w};
        Solver solver(world);
        stepFrames(solver, 90);
        double carried = 0;
        for (int frame = 0; frame < 60; ++frame) {
            solver.step();
            for (const ShapeReport& report : world.shapeReports) carried -= double{report.force.y} / 60;
        }
        EXPECT_NEAR(carried, weight, 0.01 * weight) << iterations;
    }
}

// What falls onto a plate gives it its momentum: ∫F dt = Δp + m g t. Liquid and grains,
// also so fast that a path ends beyond the plate.
TEST_P(VelocityContacts, PlateReceivesTheMomentumOfWhatLands) {
    for (const bool liquid : {true, false})
        for (const float speed : {4.0f, 60.0f}) {
            World world(exec);
            useMethod(world);
            addMaterial(world, liquid ? water(0.05f) : solid(MaterialKind::grains, 0.05f, 0.4f));
            Shape plate;
            plate.name = "plate", plate.kind = ShapeKind::box;
            plate.position = {0, -0.1f, 0}, plate.halfExtents = {5, 0.1f, 5};
            world.shapes.push_back(plate);
            addBlock(world, {.low = {0, 0.7f, 0},
                             .nx = 6,
                             .ny = 4,
                             .nz = 6,
                             .velocity = {0, -speed, 0},
                             .jitter = 0.05f});
            double mass = 0, gained = 0;
            for (const Vec4& x : positions(world)) mass += 1 / double{x.w};
            Solver solver(world);
            const auto momentum = [&] {
                double sum = 0;
                const std::vector<Vec4> v = velocities(world), x = positions(world);
                for (size_t i = 0; i < v.size(); ++i) sum += v[i].y / double{x[i].w};
                return sum;
            };
            const double start = momentum();
            constexpr int kFrames = 20;
            for (int frame = 0; frame < kFrames; ++frame) {
                solver.step();
                gained -= double{world.shapeReports[0].force.y} / 60;
            }
            EXPECT_NEAR(gained, momentum() - start + mass * 9.81 * kFrames / 60, 2e-3 * -start)
                << (liquid ? "liquid" : "grains") << " at " << speed << " m/s";
        }
}

// Drops exist only while splashes do: switched off, or under another method, they are liquid again.
TEST_P(VelocityContacts, DropsEndWithTheirSwitch) {
    for (const bool otherMethod : {false, true}) {
        World world(exec);
        useMethod(world);
        world.parameters.velocity.splashes = true;
        addMaterial(world, water(0.05f));
        addBlock(world, {.low = {0, 0.1f, 0}, .nx = 4, .ny = 4, .nz = 4});
        for (int k = 0; k < 5; ++k) addAt(world, {1 + 0.3f * k, 2, 0});
        const auto drops = [&] {
            int count = 0;
            for (const uint32_t phase : world.particles.phase.download()) count += (phase & kDrop) != 0;
            return count;
        };
        Solver solver(world);
        stepFrames(solver, 3);
        ASSERT_EQ(drops(), 5);
        if (otherMethod)
            world.parameters.solver.method = Method::position;
        else
            world.parameters.velocity.splashes = false;
        solver.step();
        for (const uint32_t phase : world.particles.phase.download())
            EXPECT_EQ(phase & (kDrop | kSparse), 0u);
    }
}

// A frozen particle, as one that was not finite, does not brake the fall of its body.
TEST_P(VelocityContacts, FrozenParticleDoesNotHoldABodyInTheAir) {
    World world(exec);
    useMethod(world);
    addMaterial(world, solid(MaterialKind::rigid, 0.05f));
    addBody(world, {.position = {0, 10, 0}, .nx = 4, .ny = 4, .nz = 4});
    std::vector<Vec4> x = world.particles.x.download();
    x[5].w = 0;
    world.particles.x.upload(x);
    Solver solver(world);
    stepFrames(solver, 30);
    for (const Vec4& v : velocities(world))
        if (v.y != 0) {
            EXPECT_NEAR(v.y, -9.81 / 2, 0.01);
        }
}

FOR_EACH_BACKEND(VelocityContacts);

}  // namespace
}  // namespace coalesce::test
