// Whole frames of projective dynamics: sag against the other methods, in water, too; momentum; reproducibility.
#include <gtest/gtest.h>
#include <numbers>

#include "sim/make_bodies.h"
#include "sim/make_cloth_meshes.h"
#include "sim/open_system.h"
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

// A tank of 0.7 m with a cube of 0.3 m on its floor or above it; wet: with water around it, 0.45 m high.
struct Bath {
    static constexpr float kD = 0.05f;

    Bath(Exec& exec, Method method, MaterialProperties body, bool wet, float bottom) : world(exec) {
        world.parameters.solver.method = method;
        world.parameters.solver.substeps = 2;
        world.parameters.solver.iterations = 4;
        addMaterial(world, body);
        addMaterial(world, water(kD));
        Shape tank;
        tank.name = "tank", tank.kind = ShapeKind::box, tank.container = true;
        tank.halfExtents = {0.35f, 1, 0.35f}, tank.position = {0, 1, 0};
        world.shapes.push_back(tank);
        if (wet) {
            // a ring of four blocks, and the layers below the cube
            addBlock(world, {.low = {-0.35f, 0, -0.35f}, .nx = 4, .ny = 9, .nz = 14, .material = 1});
            addBlock(world, {.low = {0.15f, 0, -0.35f}, .nx = 4, .ny = 9, .nz = 14, .material = 1});
            addBlock(world, {.low = {-0.15f, 0, -0.35f}, .nx = 6, .ny = 9, .nz = 4, .material = 1});
            addBlock(world, {.low = {-0.15f, 0, 0.15f}, .nx = 6, .ny = 9, .nz = 4, .material = 1});
            const int below = static_cast<int>(bottom / kD + 0.5f);
            if (below > 0)
                addBlock(world, {.low = {-0.15f, 0, -0.15f}, .nx = 6, .ny = below, .nz = 6, .material = 1});
        }
        addBody(world, {.position = {0, bottom + 0.15f, 0},
                        .nx = 6,
                        .ny = 6,
                        .nz = 6,
                        .clusterSpacing = body.kind == MaterialKind::soft ? 0.15f : -1});
    }
    double heightOfBody() const {
        double height = 0;
        const std::vector<Vec4> x = placesByRow(world);
        for (const Vec4& at : x) height += at.y / double(x.size());
        return height;
    }

    World world;
};

class WetJelly : public EachBackend {};

// How far the center of a jelly sinks under its weight on the floor [m].
double sinkOf(Exec& exec, Method method, bool wet, float stiffness) {
    MaterialProperties jelly = solid(MaterialKind::soft, Bath::kD);
    jelly.density = 1300, jelly.stiffness = stiffness;
    Bath bath(exec, method, jelly, wet, 0);
    Solver solver(bath.world);
    stepFrames(solver, 90);
    return 0.15 - bath.heightOfBody();
}

// Liquid does not soften a body.
TEST_P(WetJelly, SinksLittleMoreThanADryOneUnderEveryMethod) {
    for (const Method method : kMethods) {
        const double dry = sinkOf(exec, method, false, 0.3f), wet = sinkOf(exec, method, true, 0.3f);
        EXPECT_GT(wet, 0.8 * dry) << nameOf(method);
        EXPECT_LT(wet, 1.8 * dry) << nameOf(method);
        // control: a softer one
        EXPECT_GT(sinkOf(exec, method, true, 0.1f), 1.8 * dry) << nameOf(method);
    }
}

class WetWood : public EachBackend {};

// With every linear solver liquid lifts a light body as fast.
TEST_P(WetWood, RisesWithEveryLinearSolver) {
    const auto riseOf = [&](LinearSolver solver, float density) {
        MaterialProperties wood = solid(MaterialKind::rigid, Bath::kD);
        wood.density = density;
        Bath bath(exec, Method::projective, wood, true, 0.1f);
        bath.world.parameters.projective.solver = solver;
        const double start = bath.heightOfBody();
        Solver steps(bath.world);
        stepFrames(steps, 20);
        return bath.heightOfBody() - start;
    };
    const double expected = riseOf(LinearSolver::cg, 400);
    EXPECT_GT(expected, 0.05);
    for (const LinearSolver solver : {LinearSolver::chebyshev, LinearSolver::diagonal}) {
        EXPECT_NEAR(riseOf(solver, 400), expected, 0.15 * expected) << int(solver);
        // control
        EXPECT_LT(riseOf(solver, 700), 0.8 * expected) << int(solver);
    }
}

// Liquid with a soft body in it, round by round: inertia, liquid and constraints come into balance, ∇g = 0, with every
// linear solver.
TEST(ProjectiveFrames, WetBodiesFindTheMinimum) {
    Exec exec({.backend = "cpu", .threads = 1});
    for (const LinearSolver solver : {LinearSolver::cg, LinearSolver::chebyshev, LinearSolver::diagonal}) {
        MaterialProperties jelly = solid(MaterialKind::soft, Bath::kD);
        jelly.density = 1300, jelly.stiffness = 0.3f;
        Bath bath(exec, Method::projective, jelly, true, 0.1f);
        World& world = bath.world;
        world.parameters.projective.solver = solver;
        world.parameters.projective.tolerance = 1e-3f;
        // squeezed, so that liquid and constraints both act
        std::vector<Vec4> x = world.particles.x.download();
        for (Vec4& at : x) at.x *= 0.98f, at.y *= 0.97f;
        world.particles.x.upload(x);
        OpenSystem s(world);
        s.contacts.find(s.open.step);
        const auto gradient = [&](int round) {
            s.densityRows.project(s.open.step, s.density, s.contacts);
            s.rows.project(s.open.step, s.constraints());
            s.densityRows.solve(s.open.step, s.density, s.contacts, round);
            const View<const Vec4> descent = s.densityRows.descent();  // on the CPU
            const CoupledSystem system = s.rows.system(world);
            const std::vector<uint32_t> slots = world.solids.slotOf.download();
            double sum = 0;
            for (uint32_t row = 0; row < slots.size(); ++row) {
                const Vec3d g = 1 / double{system.x[row].w} * toDouble(descent[slots[row]]) +
                                toDouble(vec4(system.force(row), 0.0f));
                sum += dot(g, g);
            }
            return std::sqrt(sum);
        };
        double first = 0, last = 0;
        for (int round = 0; round < 400; ++round) {
            last = gradient(round);
            if (round == 0) first = last;
            // control
            if (round == 3) {
                EXPECT_GT(last, 1e-4 * first) << int(solver);
            }
            s.rows.solve(s.open.step, s.densityRows.descent(), s.densityRows.resistance(),
                         s.densityRows.chebyshev(), round);
        }
        EXPECT_LT(last, 1e-4 * first) << int(solver);
    }
}

FOR_EACH_BACKEND(WetWood);
FOR_EACH_BACKEND(WetJelly);
FOR_EACH_BACKEND(ProjectiveMomentumInLiquid);
FOR_EACH_BACKEND(SagUnderEachMethod);

}  // namespace
}  // namespace coalesce::test
