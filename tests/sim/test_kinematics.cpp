// Shapes that commands lead: they sweep what is in their way, as shapes with a velocity of their own do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

#include "sim/command_suite.h"
#include "sim/make_bodies.h"
#include "sim/state/state_file.h"
#include "sim/state/state_hash.h"
#include "support/small_scene.h"

namespace coalesce::test {
namespace {

using testing::HasSubstr;

class ShapeKinematics : public Commands {
protected:
    // a grain beside a box, without gravity
    void set(World& world) {
        MaterialProperties m;
        m.kind = MaterialKind::grains;
        m.spacing = 0.1f;
        addMaterial(world, m);
        world.parameters.world.gravity = {0, 0, 0};
        Shape box;
        box.name = "box";
        box.kind = ShapeKind::box;
        box.halfExtents = {0.2f, 0.5f, 0.5f};
        world.shapes.push_back(box);
        world.addParticles(std::vector<ParticleDef>{{.x = {0.27f, 0, 0}}});
    }
};

TEST_P(ShapeKinematics, EqualAConstantVelocity) {
    World led(exec), own(exec);
    set(led), set(own);
    own.shapes[0].velocity = {3, 0, 0};
    Solver ledSolver(led), ownSolver(own);
    for (int frame = 1; frame <= 6; ++frame) {
        led.commands.push_back(MoveShape{0, {0.05f * frame, 0, 0}, {}});
        ledSolver.step();
        ownSolver.step();
        EXPECT_EQ(led.shapes[0].position, (Vec3{0.05f * frame, 0, 0})) << "there to the last bit";
        EXPECT_TRUE(led.shapes[0].keys.empty());
    }
    const Vec4 x = positions(led)[0], v = velocities(led)[0];
    EXPECT_GT(x.x, 0.3f + 0.2f + 0.045f) << "in front of the box, which would have passed over it";
    EXPECT_NEAR(v.x, 3, 0.05);
    EXPECT_NEAR(x.x, positions(own)[0].x, 1e-5);
    EXPECT_NEAR(v.x, velocities(own)[0].x, 1e-4);
    // left alone it stands still, and the grain flies on
    ledSolver.step();
    EXPECT_EQ(led.shapes[0].position, (Vec3{0.3f, 0, 0}));
    EXPECT_NEAR(positions(led)[0].x - x.x, 0.05, 1e-3);
}

TEST_P(ShapeKinematics, RotateAboutTheCenter) {
    World world(exec);
    set(world);
    Solver solver(world);
    // a quarter turn about z in six frames: what lies beside the box is hit by its long side
    for (int frame = 1; frame <= 6; ++frame) {
        world.commands.push_back(MoveShape{0, {0, 0, 0}, quatFromEuler(0, 0, frame * 0.2617994)});
        solver.step();
    }
    const Quat q = quatFromEuler(0, 0, 6 * 0.2617994);
    EXPECT_EQ(world.shapes[0].rotation.z, q.z);
    const Vec4 x = positions(world)[0];
    EXPECT_TRUE(std::abs(x.x) > 0.54f || std::abs(x.y) > 0.24f)
        << x.x << ", " << x.y << " is inside of the box";
    EXPECT_GT(length(xyz(velocities(world)[0])), 0.5f);
}

TEST_P(ShapeKinematics, AnimatedShapesContinueFromTheNewPose) {
    World world(exec);
    set(world);
    world.shapes[0].velocity = {0, 0, 1.5f};
    Solver solver(world);
    solver.step();
    world.commands.push_back(MoveShape{0, {-1, 0, 0}, {}});
    solver.step();
    EXPECT_EQ(poseAt(world.shapes[0], world.time).position, (Vec3{-1, 0, 0}));
    solver.step();
    EXPECT_NEAR(poseAt(world.shapes[0], world.time).position.z, 1.5 / 60, 1e-6);
}

TEST_P(ShapeKinematics, SavedStateKeepsTheTarget) {
    TemporaryFolder folder;
    const auto file = folder / "led.state";
    World world(exec), loaded(exec);
    set(world), set(loaded);
    Solver solver(world);
    world.commands.push_back(MoveShape{0, {0.05f, 0, 0.01f}, quatFromEuler(0, 0, 0.3)});
    solver.step();
    saveState(world, file);
    loadState(loaded, file);
    EXPECT_EQ(loaded.shapes[0].position, world.shapes[0].position);
    EXPECT_EQ(loaded.shapes[0].rotation.z, world.shapes[0].rotation.z);
    Solver again(loaded);
    for (int frame = 0; frame < 5; ++frame) solver.step(), again.step();
    EXPECT_EQ(stateHash(loaded), stateHash(world));
    // a scene whose shape nobody led is free to put it elsewhere
    World still(exec), moved(exec);
    set(still), set(moved);
    saveState(still, file);
    moved.shapes[0].position = {3, 0, 0};
    loadState(moved, file);
    EXPECT_EQ(moved.shapes[0].position, (Vec3{3, 0, 0}));
}

TEST_P(ShapeKinematics, LastCommandForAShapeWins) {
    World world(exec);
    set(world);
    Solver solver(world);
    world.commands.push_back(MoveShape{0, {-1, 0, 0}, {}});
    world.commands.push_back(MoveShape{0, {-2, 0, 0}, {}});
    solver.step();
    EXPECT_EQ(world.shapes[0].position, (Vec3{-2, 0, 0}));
}

TEST_P(ShapeKinematics, InvalidCommandsAreRejectedWithoutSideEffects) {
    World world(exec);
    set(world);
    const float nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_THAT(refusal(world, MoveShape{1, {}, {}}), HasSubstr("no shape 1"));
    EXPECT_THAT(refusal(world, MoveShape{0, {nan, 0, 0}, {}}), HasSubstr("not finite"));
    EXPECT_THAT(refusal(world, MoveShape{0, {}, {0, 0, 0, 0}}), HasSubstr("length 1"));
    world.commands.push_back(MoveShape{0, {5, 0, 0}, {}});
    EXPECT_THAT(refusal(world, MoveShape{1, {}, {}}), HasSubstr("no shape 1"));
    EXPECT_TRUE(world.shapes[0].keys.empty());
    EXPECT_EQ(world.shapes[0].position, (Vec3{0, 0, 0}));
    world.shapes[0].keys = {{0, {}, {}}, {1, {1, 0, 0}, {}}};
    EXPECT_THAT(refusal(world, MoveShape{0, {}, {}}), HasSubstr("follows its keys"));
    EXPECT_EQ(world.shapes[0].keys.size(), 2u);
    EXPECT_EQ(world.frame, 0u);
}

FOR_EACH_BACKEND(ShapeKinematics);

}  // namespace
}  // namespace coalesce::test
