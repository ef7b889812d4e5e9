// Contacts of rigid bodies: what they exchange, and how far a body follows those that touch.
#include <gtest/gtest.h>

#include "make_world.h"

namespace coalesce::test {
namespace {

// A block of nx · ny · nz particles without signed distances.
std::vector<BodySample> block(int nx, int ny, int nz, float d) {
    std::vector<BodySample> samples;
    for (int i = 0; i < nx; ++i)
        for (int j = 0; j < ny; ++j)
            for (int k = 0; k < nz; ++k)
                samples.push_back({.x = {d * (toFloat(i) - 0.5f * toFloat(nx - 1)),
                                         d * (toFloat(j) - 0.5f * toFloat(ny - 1)),
                                         d * (toFloat(k) - 0.5f * toFloat(nz - 1))}});
    return samples;
}

void addBody(World& world, const std::vector<BodySample>& samples, Vec3 position, Vec3 velocity) {
    BodyBirth birth;
    birth.name = "body";
    birth.samples = samples;
    birth.position = position;
    birth.velocity = velocity;
    world.addBodies(std::span(&birth, 1));
}

World& solidWorld(World& world) {
    MaterialProperties stone;
    stone.kind = MaterialKind::rigid;
    stone.spacing = 0.1f;
    addMaterial(world, stone);
    return world;
}

double speedOf(const World& world, size_t body) {
    return bodyStates(world)[body].velocity.x;
}

// A plate hits a cube of five times its mass: all of one layer touches, of the other a fifth. Whatever they
// exchange, the sum stays.
TEST(RigidContacts, KeepMomentumBetweenBodiesOfOtherThickness) {
    Exec exec({.backend = "cpu", .threads = 1});
    World world(exec);
    solidWorld(world).parameters.world.gravity = {0, 0, 0};
    addBody(world, block(1, 5, 5, 0.1f), {-0.11f, 0, 0}, {1, 0, 0});
    addBody(world, block(5, 5, 5, 0.1f), {0.2f, 0, 0}, {0, 0, 0});
    Solver solver(world);
    for (int frame = 0; frame < 30; ++frame) solver.step();
    const double plate = speedOf(world, 0), cube = speedOf(world, 1);
    EXPECT_GT(cube, 0.1);
    EXPECT_LT(plate, cube + 1e-3);
    EXPECT_NEAR(25 * plate + 125 * cube, 25, 0.02 * 25);
}

// The corrections of one iteration lift a cube on the ground by all of its depth, not by the share of its
// particles that touch: at rest it has sunk by what gravity does in a substep and no more.
TEST(RigidContacts, ABodyFollowsThePartThatTouches) {
    Exec exec({.backend = "cpu", .threads = 1});
    World world(exec);
    solidWorld(world);
    world.parameters.solver.substeps = 2;
    world.parameters.solver.iterations = 4;
    addPlane(world, {0, 0, 0}, {0, 1, 0});
    addBody(world, block(4, 8, 4, 0.1f), {0, 0.4f, 0}, {0, 0, 0});
    Solver solver(world);
    for (int frame = 0; frame < 60; ++frame) solver.step();
    const double fall = 9.81 / (120.0 * 120.0);  // [m] in a substep
    EXPECT_NEAR(bodyStates(world)[0].center.y, 0.4, 1.2 * fall);
}

// A block that slides on the ground stops after d = v²/(2 μ g), flat on it, and stays there.
TEST(RigidContacts, ASlidingBlockStopsWhereCoulombSays) {
    for (const float mu : {0.2f, 0.4f, 0.7f}) {
        Exec exec({.backend = "cpu", .threads = 1});
        World world(exec);
        MaterialProperties wood;
        wood.kind = MaterialKind::rigid;
        wood.spacing = 0.05f;
        wood.staticFriction = wood.dynamicFriction = mu;
        addMaterial(world, wood);
        addFloor(world);
        addBody(world, block(6, 2, 6, 0.05f), {0, 0.05f, 0}, {2, 0, 0});
        Solver solver(world);
        for (int frame = 0; frame < 120; ++frame) solver.step();
        const Vec3 stopped = bodyStates(world)[0].center;
        EXPECT_NEAR(stopped.x, 4 / (2 * mu * 9.81), 0.05 * 4 / (2 * mu * 9.81)) << "friction " << mu;
        EXPECT_NEAR(stopped.y, 0.05, 0.002) << "friction " << mu;
        for (int frame = 0; frame < 60; ++frame) solver.step();
        EXPECT_LT(length(bodyStates(world)[0].velocity), 0.01);
        EXPECT_LT(length(bodyStates(world)[0].center - stopped), 1e-3) << "friction " << mu;
    }
}

}  // namespace
}  // namespace coalesce::test
