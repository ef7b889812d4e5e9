// Whole frames of projective dynamics: sag against the other methods, in water, too; momentum; reproducibility.
#include <gtest/gtest.h>
#include <numbers>

#include "sim/make_bodies.h"
#include "sim/make_cloth_meshes.h"
#include "support/each_backend.h"
#include "support/each_method.h"
#include "support/small_scene.h"

namespace coalesce::test {
namespace {

// How far a clamped sheet sags [m], by a method with as many iterations, or rounds. soft: factor of all compliances.
double sagOf(Exec& exec, Method method, int iterations, bool hanging, float soft = 1) {
    World world(exec);
    MaterialProperties m = cloth(0.1f);
    m.compliance = m.shearCompliance = soft * (hanging ? 0.01f : 1e-3f);
    m.bending = Bending::dihedral;
    m.bendCompliance = soft * 10;
    m.damping = 4;
    addMaterial(world, m);
    world.parameters.solver.method = method;
    world.parameters.solver.iterations = iterations;
    world.parameters.projective.iterations = iterations;
    constexpr uint32_t kNx = 8, kNz = 4;
    const Quat down = quatFromEuler(0, 0, hanging ? -std::numbers::pi / 2 : 0);
    addCloth(world, makeGrid(kNx, kNz, 0.1f), 0.3f, 0, {}, {}, down);
    std::vector<uint32_t> clamped;
    for (uint32_t k = 0; k < kNz; ++k) clamped.insert(clamped.end(), {k * kNx, k * kNx + 1});
    pin(world, clamped);
    const std::vector<Vec4> before = placesByRow(world);
    Solver solver(world);
    stepFrames(solver, 120);
    const std::vector<Vec4> x = placesByRow(world);
    double sag = 0;
    for (uint32_t k = 0; k < kNz; ++k) sag += (before[k * kNx + kNx - 1].y - x[k * kNx + kNx - 1].y) / kNz;
    return sag;
}

class SagUnderEachMethod : public EachBackend {};

// One compliance, three methods, few or many iterations: a cantilever and a hanging strip sag alike.
TEST_P(SagUnderEachMethod, DoesNotDependOnMethodOrIterations) {
    for (const bool hanging : {false, true}) {
        const double expected = sagOf(exec, Method::position, 160, hanging);
        for (const Method method : kMethods)
            for (const int iterations : {20, 40, 80})
                EXPECT_NEAR(sagOf(exec, method, iterations, hanging), expected, 0.01 * expected)
                    << (hanging ? "hanging strip, " : "cantilever, ") << nameOf(method) << ", " << iterations;
        // control: softer ones sag more
        EXPECT_GT(sagOf(exec, Method::position, 20, hanging, 4), 1.1 * expected);
    }
}

// Liquid of two densities, grains, a soft, a rigid and a plastic body, cloth, a rope and a balloon: the same bits for any number of threads, in any
// order of execution and of storage, and after save and load.
TEST(ProjectiveFrames, AreReproducible) {
    const auto build = [](World& world) {
        world.parameters.solver.method = Method::projective;
        world.parameters.projective.iterations = 4;
        MaterialProperties oil = water(0.05f), sand = solid(MaterialKind::grains, 0.05f, 0.5f),
                           jelly = solid(MaterialKind::soft, 0.05f);
        oil.density = 800, oil.bulkModulus = 1e6f, oil.spacing = 0.06f;  // two resolutions
        for (const MaterialProperties& m : {water(0.05f), oil, sand, jelly, cloth(0.05f)})
            addMaterial(world, m);
        addBlock(world, {.low = {0, 0, 0}, .nx = 8, .ny = 5, .nz = 8, .jitter = 0.1f});
        addBlock(world, {.low = {0, 0.3f, 0}, .nx = 6, .ny = 3, .nz = 6, .material = 1});
        addBlock(world, {.low = {0, 0.5f, 0}, .nx = 4, .ny = 3, .nz = 4, .material = 2});
        addBody(world, {.position = {0.3f, 0.6f, 0.3f},
                        .nx = 4,
                        .ny = 3,
                        .nz = 3,
                        .material = 3,
                        .clusterSpacing = 0.1f});
        addCloth(world, makeGrid(9, 9, 0.05f), 0.3f, 4, {}, {0.2f, 0.75f, 0.2f});
        MaterialProperties clay = jelly, balloon = cloth(0.05f);
        clay.plasticCreep = 20, clay.plasticYield = 0.01f, balloon.pressure = 1.2f;
        const uint32_t stone = addMaterial(world, solid(MaterialKind::rigid, 0.05f));
        const uint32_t plastic = addMaterial(world, clay), skin = addMaterial(world, balloon);
        const uint32_t line = addMaterial(world, rope(0.05f));
        for (const uint32_t material : {stone, plastic})
            addBody(world, {.position = {0.1f, 0.5f + 0.2f * static_cast<float>(material - stone), 0.1f},
                            .nx = 3,
                            .ny = 3,
                            .nz = 3,
                            .material = material,
                            .clusterSpacing = material == plastic ? 0.1f : -1});
        addCloth(world, closedBox(3, 0.05f), 0.3f, skin, {}, {0.1f, 0.6f, 0.35f});
        addCloth(world, makeRope(straight(10, 0.05f)), 0.1f, line, {}, {0, 0.7f, 0.1f});
        addFloor(world);
    };
    int redone = 0;
    const auto hashAfter = [&](ExecOptions options, bool shuffle, int capacity = 0) {
        Exec exec(options);
        World world(exec);
        build(world);
        if (shuffle) shuffleStorage(world, 5);
        if (capacity > 0) world.parameters.neighbors.capacity = capacity;
        Solver solver(world);
        for (int f = 0; f < 6; ++f) redone += solver.step().redone;
        return stateHash(world);
    };
    const uint64_t expected = hashAfter({.backend = "cpu", .threads = 1}, false);
    EXPECT_EQ(hashAfter({.backend = "cpu", .threads = 4}, false), expected);
    EXPECT_EQ(hashAfter({.backend = "cpu", .threads = 2, .shuffle = 9}, false), expected);
    EXPECT_EQ(hashAfter({.backend = "cpu", .threads = 1}, true), expected);
    // lists that are too short grow
    EXPECT_EQ(redone, 0);
    EXPECT_EQ(hashAfter({.backend = "cpu", .threads = 2}, false, 2), expected);
    EXPECT_GT(redone, 0);

    const TemporaryFolder folder;
    Exec exec({.backend = "cpu", .threads = 1});
    World half(exec), other(exec);
    build(half), build(other);
    Solver first(half), second(other);
    stepFrames(first, 3);
    saveState(half, folder / "state");
    loadState(other, folder / "state");
    stepFrames(second, 3);
    EXPECT_EQ(stateHash(other), expected);
}

class ProjectiveMomentumInLiquid : public EachBackend {};

// Liquid with grains, cloth, a rigid and a soft body, all of other masses than the liquid, without gravity
// and in few rounds. Momentum is exact at the default tolerance of the linear solver, too, which starts from
// the motion of every body as a whole.
TEST_P(ProjectiveMomentumInLiquid, IsThatAtTheStart) {
    World world(exec);
    world.parameters.world.gravity = {0, 0, 0};
    world.parameters.solver.method = Method::projective;
    world.parameters.projective.iterations = 6;
    constexpr float kD = 0.05f;
    MaterialProperties wood = solid(MaterialKind::rigid, kD), jelly = solid(MaterialKind::soft, kD);
    wood.density = 300, jelly.density = 2000;
    for (const MaterialProperties& m :
         {water(kD), solid(MaterialKind::grains, kD, 0.4f), cloth(kD), wood, jelly})
        addMaterial(world, m);
    addBlock(world, {.low = {0, 0, 0}, .nx = 8, .ny = 6, .nz = 8, .velocity = {0.5f, 0, 0}});
    addBlock(world,
             {.low = {0.45f, 0, 0.1f}, .nx = 3, .ny = 4, .nz = 4, .material = 1, .velocity = {-2, 0, 0}});
    addCloth(world, makeGrid(8, 8, kD), 0.3f, 2, {}, {0, 0.35f, 0});
    addBody(world, {.position = {0.2f, -0.12f, 0.2f}, .nx = 4, .material = 3, .velocity = {0, 2, 0}});
    addBody(world, {.position = {-0.12f, 0.1f, 0.2f},
                    .nx = 4,
                    .material = 4,
                    .velocity = {2, 0, 0},
                    .clusterSpacing = 0.1f});
    Vec3d ofLiquid[2];
    const Momenta before = momentaOf(world);
    Solver solver(world);
    for (Vec3d& sum : ofLiquid) {
        const std::vector<Vec4> v = world.particles.v.download();
        const std::vector<uint32_t> phase = world.particles.phase.download();
        for (size_t i = 0; i < v.size(); ++i)
            if (materialOf(phase[i]) == 0)
                sum = sum + double{kD} * double{kD} * double{kD} * 1000 * toDouble(v[i]);
        if (&sum == ofLiquid) stepFrames(solver, 200);
    }
    const Momenta after = momentaOf(world);
    EXPECT_LT(length(after.linear - before.linear), 1e-5 * before.speed);
    // so what grains, cloth and bodies get is what the liquid loses
    EXPECT_GT(length(ofLiquid[1] - ofLiquid[0]), 0.1 * before.speed) << "nothing has collided";
}

class WetJelly : public EachBackend {};

// How far the center of a jelly, a cube of 0.3 m, sinks under its weight on the floor of a tank [m], which is empty or
// holds water to above the jelly.
double sinkOf(Exec& exec, Method method, bool wet, float stiffness) {
    constexpr float kD = 0.05f;
    World world(exec);
    world.parameters.solver.method = method;
    world.parameters.solver.substeps = 2;
    world.parameters.solver.iterations = 4;
    MaterialProperties jelly = solid(MaterialKind::soft, kD);
    jelly.density = 1300, jelly.stiffness = stiffness;
    addMaterial(world, jelly);
    addMaterial(world, water(kD));
    Shape tank;
    tank.name = "tank", tank.kind = ShapeKind::box, tank.container = true;
    tank.halfExtents = {0.35f, 1, 0.35f}, tank.position = {0, 1, 0};
    world.shapes.push_back(tank);
    if (wet) {
        // a ring of four blocks
        addBlock(world, {.low = {-0.325f, 0.025f, -0.325f}, .nx = 4, .ny = 9, .nz = 14, .material = 1});
        addBlock(world, {.low = {0.175f, 0.025f, -0.325f}, .nx = 4, .ny = 9, .nz = 14, .material = 1});
        addBlock(world, {.low = {-0.125f, 0.025f, -0.325f}, .nx = 6, .ny = 9, .nz = 4, .material = 1});
        addBlock(world, {.low = {-0.125f, 0.025f, 0.175f}, .nx = 6, .ny = 9, .nz = 4, .material = 1});
    }
    addBody(world,
            {.position = {-0.125f, 0.025f, -0.125f}, .nx = 6, .ny = 6, .nz = 6, .clusterSpacing = 0.15f});
    Solver solver(world);
    stepFrames(solver, 90);
    double height = 0;
    const std::vector<Vec4> x = placesByRow(world);
    for (const Vec4& at : x) height += at.y / double(x.size());
    return 0.15 - height;
}

// Liquid does not soften a body: 1.2 to 1.6 times as far, since water above it presses, and there is none below.
TEST_P(WetJelly, SinksLittleMoreThanADryOneUnderEveryMethod) {
    for (const Method method : kMethods) {
        const double dry = sinkOf(exec, method, false, 0.3f), wet = sinkOf(exec, method, true, 0.3f);
        EXPECT_GT(wet, 0.8 * dry) << nameOf(method);
        EXPECT_LT(wet, 1.8 * dry) << nameOf(method);
        // control: a softer one
        EXPECT_GT(sinkOf(exec, method, true, 0.1f), 1.5 * dry) << nameOf(method);
    }
}

FOR_EACH_BACKEND(WetJelly);
FOR_EACH_BACKEND(ProjectiveMomentumInLiquid);
FOR_EACH_BACKEND(SagUnderEachMethod);

}  // namespace
}  // namespace coalesce::test
