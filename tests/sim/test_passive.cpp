// Spray, foam and bubbles: motion against sums over all pairs in double, capacity, life, reproducibility.
// Smoke: test_smoke.cpp; cloth in their way: test_cloth_barrier.cpp.
#include <algorithm>
#include <array>
#include <iterator>

#include "sim/make_cloth_meshes.h"
#include "sim/passive_suite.h"
#include "sim/same_states.h"
#include "sim/state/world_snapshot.h"
#include "support/small_scene.h"

namespace coalesce::test {

namespace {

// Moves passive particles but makes none.
MaterialProperties waterWithoutFoam() {
    MaterialProperties m = water(0.05f);
    m.foam = Foam::custom;
    m.foamTrappedAir = m.foamWaveCrest = m.foamVorticity = 0;
    return m;
}

class Passive : public PassiveSuite {
protected:
    // a block of water that falls onto a floor and spreads
    void addSplash(World& world, Foam foam) {
        MaterialProperties m = water(0.05f);
        m.foam = foam;
        addMaterial(world, m);
        addFloor(world);
        addBlock(world, {.low = {-0.2f, 0.05f, -0.2f},
                         .nx = 8,
                         .ny = 10,
                         .nz = 8,
                         .velocity = {1.5f, -4, 0},
                         .jitter = 0.1f});
    }
};

// [UPP14] eq. 28, and the equations of motion of the three classes
TEST_P(Passive, MotionFollowsTheKernelMean) {
    World world(exec);
    MaterialProperties m = waterWithoutFoam();
    m.foamBuoyancy = 1.5f, m.foamDrag = 30;
    addMaterial(world, m);
    addFloor(world, -10);
    addBlock(world, {.low = {0, 0, 0}, .nx = 8, .ny = 8, .nz = 8, .velocity = {0.3f, 0, 0}, .jitter = 0.2f});
    Solver solver(world);
    stepFrames(solver, 5);  // the block deforms
    std::vector<Vec3> places;
    for (int i = 0; i < 200; ++i) places.push_back(Vec3{0.2f, 0.15f, 0.2f} + 0.3f * randomVec3(5, i, -1, 1));
    const Vec3 before{0.2f, 0.5f, -0.1f};
    placePassives(world, places, before, 100);
    solver.step();

    const std::vector<Vec4> x = world.particles.x.download(), v = world.particles.v.download();
    const std::vector<Vec4> at = world.passive.x.download(), velocity = world.passive.v.download();
    const std::vector<uint32_t> tag = world.passive.tag.download();
    ASSERT_EQ(at.size(), places.size());
    const double h = 0.1, dt = 1.0 / 60;
    std::array<int, 3> seen{};
    for (size_t i = 0; i < places.size(); ++i) {
        const Vec3d start = toDouble(vec4(places[i], 0.0f));
        Vec3d sum{0, 0, 0};
        double weights = 0;
        int neighbors = 0;
        bool close = false;  // a neighbor at the limit of the support, where rounding decides
        for (size_t j = 0; j < x.size(); ++j) {
            const double r = length(start - toDouble(x[j]));
            sum = sum + weightAround(r, h) * toDouble(v[j]), weights += weightAround(r, h);
            neighbors += r < h, close |= std::abs(r - h) < 1e-6;
        }
        if (close) continue;
        const PassiveClass kind = neighbors < 6    ? PassiveClass::spray
                                  : neighbors > 20 ? PassiveClass::bubble
                                                   : PassiveClass::foam;
        ASSERT_EQ(classOf(tag[i]), kind) << i;
        ++seen[size_t(kind)];
        const Vec3d g{0, -9.81, 0}, old = toDouble(vec4(before, 0.0f));
        Vec3d expected = old + dt * g;
        if (kind == PassiveClass::foam) expected = (1 / weights) * sum;
        if (kind == PassiveClass::bubble)
            expected = (1 / (1 + dt * 30)) * (old + (dt * 30 / weights) * sum - (dt * 1.5) * g);
        // twenty neighbors at about 1 m/s
        EXPECT_LT(length(toDouble(velocity[i]) - expected), 4e-6) << i;
        EXPECT_LT(length(toDouble(at[i]) - (start + dt * expected)), 4e-7) << i;
        EXPECT_NEAR(at[i].w, dt, 1e-8);
    }
    for (const int number : seen) EXPECT_GT(number, 15);
}

// At a wall half of the neighbors are missing, in a corner three quarters: what is deep in the liquid is a bubble
// there, too, and what is at the surface stays foam.
TEST_P(Passive, WallsMakeNoFoam) {
    World world(exec);
    addMaterial(world, waterWithoutFoam());
    world.parameters.world.gravity = {0, 0, 0};
    Shape tank;
    tank.kind = ShapeKind::box, tank.container = true, tank.halfExtents = {0.25f, 1, 0.25f},
    tank.position = {0, 1, 0};
    addBlock(world, {.low = {-0.25f, 0, -0.25f}, .nx = 10, .ny = 10, .nz = 10});
    const auto classes = [&] {
        placePassives(world,
                      {{0.01f, 0.01f, 0.02f},
                       {0.24f, 0.26f, 0.03f},
                       {0.24f, 0.26f, 0.24f},
                       {0.02f, 0.5f, 0.01f},
                       {0.23f, 0.51f, 0.01f}},
                      {0, 0, 0}, 100);
        Solver solver(world);
        solver.step();
        std::vector<PassiveClass> found;
        for (const uint32_t tag : world.passive.tag.download()) found.push_back(classOf(tag));
        return found;
    };
    // control: without the tank all are at the surface of the block
    EXPECT_NE(classes()[0], PassiveClass::bubble);
    world.shapes.push_back(tank);
    const std::vector<PassiveClass> found = classes();
    EXPECT_EQ(found[0], PassiveClass::bubble);
    EXPECT_EQ(found[1], PassiveClass::bubble);
    EXPECT_EQ(found[2], PassiveClass::bubble);
    EXPECT_EQ(found[3], PassiveClass::foam);
    EXPECT_EQ(found[4], PassiveClass::foam) << "where the surface meets the wall";
}

TEST_P(Passive, BubblesRiseAtTheirTerminalSpeed) {
    World world(exec);
    MaterialProperties m = waterWithoutFoam();
    m.foamBuoyancy = 2, m.foamDrag = 50;
    addMaterial(world, m);
    Shape tank;
    tank.kind = ShapeKind::box, tank.container = true, tank.halfExtents = {0.25f, 1, 0.25f},
    tank.position = {0, 1, 0};
    world.shapes.push_back(tank);
    addBlock(world, {.low = {-0.25f, 0, -0.25f}, .nx = 10, .ny = 16, .nz = 10});
    Solver solver(world);
    stepFrames(solver, 120);
    placePassives(world, {{0.02f, 0.2f, 0.01f}}, {0, 0, 0}, 100);
    stepFrames(solver, 30);
    // k_b g/k_d = 0.392 m/s; the tank's own currents are a few millimeters per second
    EXPECT_NEAR(world.passive.v.download()[0].y, 2 * 9.81 / 50, 0.03);
    EXPECT_NEAR(world.passive.x.download()[0].y, 0.2 + 0.392 * 0.5, 0.03);
    // it stays at the surface as foam
    stepFrames(solver, 120);
    const Vec4 top = world.passive.x.download()[0];
    EXPECT_EQ(classOf(world.passive.tag.download()[0]), PassiveClass::foam);
    EXPECT_NEAR(top.y, 0.8, 0.08);
}

TEST_P(Passive, CapacityHoldsAndTheOldestGo) {
    World world(exec);
    addSplash(world, Foam::sea);
    world.parameters.passive.capacity = 100;
    Solver solver(world);
    bool full = false;
    for (int frame = 0; frame < 30; ++frame) {
        solver.step();
        const std::vector<uint32_t> id = world.passive.id.download();
        const PassiveCounters& c = world.passiveCounters;
        ASSERT_LE(id.size(), 100u);
        ASSERT_EQ(c.born, id.size() + c.expired + c.displaced);
        ASSERT_TRUE(std::ranges::is_sorted(id));
        ASSERT_TRUE(id.empty() || id.back() == c.born - 1);
        // nothing has expired yet: the youngest stay
        if (c.expired == 0 && !id.empty()) {
            ASSERT_EQ(id.front(), c.born - id.size());
        }
        full |= id.size() == 100;
    }
    EXPECT_TRUE(full);
    EXPECT_GT(world.passiveCounters.displaced, 100u);
    // a smaller capacity takes effect at once
    world.parameters.passive.capacity = 7;
    solver.step();
    EXPECT_EQ(world.passive.size(), 7u);
}

TEST_P(Passive, NoneInAStillTankAndAllEnd) {
    World world(exec);
    addSplash(world, Foam::sea);
    Shape tank;
    tank.kind = ShapeKind::box, tank.container = true, tank.halfExtents = {0.4f, 2, 0.4f},
    tank.position = {0, 2, 0};
    world.shapes.push_back(tank);
    Solver solver(world);
    stepFrames(solver, 20);
    EXPECT_GT(world.passive.size(), 50u);
    stepFrames(solver, 480);  // at rest after three seconds; lives last up to 4.5 s
    EXPECT_EQ(world.passive.size(), 0u);
    const uint64_t born = world.passiveCounters.born;
    stepFrames(solver, 60);
    EXPECT_EQ(world.passiveCounters.born, born);
}

TEST_P(Passive, SprayStaysOutsideOfShapes) {
    World world(exec);
    addSplash(world, Foam::sea);
    Shape ball;
    ball.kind = ShapeKind::sphere, ball.radius = 0.15f, ball.position = {0.3f, 0.15f, 0};
    world.shapes.push_back(ball);
    Solver solver(world);
    for (int frame = 0; frame < 40; ++frame) {
        solver.step();
        for (const Vec4& x : world.passive.x.download()) {
            ASSERT_GT(x.y, -0.03f);  // births lie up to d/2 around liquid that rests on the floor
            ASSERT_GT(length(toDouble(x) - Vec3d{0.3, 0.15, 0}), 0.15 - 0.03);
        }
    }
}

TEST_P(Passive, TheLiquidDoesNotNotice) {
    std::vector<std::vector<Vec4>> ends;
    for (const Foam foam : {Foam::none, Foam::sea, Foam::beer}) {
        World world(exec);
        addSplash(world, foam);
        Solver solver(world);
        stepFrames(solver, 30);
        EXPECT_EQ(world.passive.size() > 0, foam != Foam::none);
        ends.push_back(positions(world));
    }
    for (size_t i = 0; i < ends[0].size(); ++i)
        for (const auto& other : {ends[1], ends[2]})
            ASSERT_TRUE(ends[0][i].x == other[i].x && ends[0][i].y == other[i].y &&
                        ends[0][i].z == other[i].z);
}

TEST_P(Passive, SavedStateContinuesBitByBit) {
    TemporaryFolder folder;
    World world(exec);
    addSplash(world, Foam::sea);
    Solver solver(world);
    stepFrames(solver, 12);
    ASSERT_GT(world.passive.size(), 20u);
    saveState(world, folder / "state");
    const WorldSnapshot snapshot(world);
    stepFrames(solver, 12);
    const uint64_t end = stateHash(world);

    World loaded(exec);
    addSplash(loaded, Foam::sea);
    loadState(loaded, folder / "state");
    Solver again(loaded);
    stepFrames(again, 12);
    EXPECT_EQ(stateHash(loaded), end);

    snapshot.restore(world);
    Solver anew(world);
    stepFrames(anew, 12);
    EXPECT_EQ(stateHash(world), end);

    // the hash sees them
    std::vector<Vec4> x = world.passive.x.download();
    x[3].y += 1e-6f + 1e-6f * std::abs(x[3].y);
    world.passive.x.upload(x);
    EXPECT_NE(stateHash(world), end);
}

// What a particle is drawn as follows its class within kBlendTime, by equal steps; a newborn, and one of an old
// state, looks as its class does.
TEST_P(Passive, DisplayWeightsBlendWithoutAJump) {
    EXPECT_EQ(displayWeights(makeTag(PassiveClass::foam, 3)).foam, kFullWeight);
    EXPECT_EQ(displayWeights(makeTag(PassiveClass::bubble, 3)).bubble, kFullWeight);
    World world(exec);
    addMaterial(world, waterWithoutFoam());
    world.parameters.world.gravity = {0, 0, 0};
    addBlock(world, {.low = {0, 0, 0}, .nx = 6, .ny = 6, .nz = 6});
    placePassives(world, {{0.13f, 0.13f, 0.13f}, {3, 0, 0}}, {0, 0, 0}, 100);
    Solver solver(world);
    const int frames = int(kBlendTime * 60 + 0.5f);  // nine of a sixtieth of a second
    for (int frame = 1; frame <= frames; ++frame) {
        solver.step();
        const std::vector<uint32_t> tag = world.passive.tag.download();
        EXPECT_EQ(classOf(tag[0]), PassiveClass::bubble);
        EXPECT_NEAR(displayWeights(tag[0]).bubble, kFullWeight * frame / double(frames), 2);
        EXPECT_EQ(displayWeights(tag[0]).foam, 0);
        EXPECT_EQ(classOf(tag[1]), PassiveClass::spray);
        EXPECT_EQ(displayWeights(tag[1]).foam + displayWeights(tag[1]).bubble, 0);
    }
    solver.step();
    EXPECT_EQ(displayWeights(world.passive.tag.download()[0]).bubble, kFullWeight);
    // weights stay weights, wherever they are on their way
    for (uint32_t k = 0; k < 2000; ++k) {
        uint32_t mixed = makeTag(PassiveClass::spray, 2);
        for (uint32_t step = 0; step < 20; ++step) {
            const uint32_t random = scramble(40 * k + step);
            mixed = blendTowards(mixed, PassiveClass(random % 3), int(1 + random / 3 % 40));
            ASSERT_TRUE(areDisplayWeights(displayWeights(mixed)));
            ASSERT_EQ(materialOfTag(mixed), 2u);
        }
    }
}

// Foam of the frames of a run, made anew without simulating, is nearly that of the run.
TEST_P(Passive, FoamIsMadeAnewFromStates) {
    World world(exec);
    addSplash(world, Foam::sea);
    Solver solver(world);
    World again(exec);
    addSplash(again, Foam::sea);
    Solver maker(again);
    PassiveArrays kept{Buffer<Vec4>(exec), Buffer<Vec4>(exec), Buffer<uint32_t>(exec),
                       Buffer<uint32_t>(exec)};
    PassiveCounters counters;
    const auto swap = [&] {
        kept.x.swap(again.passive.x), kept.v.swap(again.passive.v);
        kept.id.swap(again.passive.id), kept.tag.swap(again.passive.tag);
        std::swap(counters, again.passiveCounters);
    };
    swap();
    for (int frame = 0; frame < 25; ++frame) {
        solver.step();
        WorldSnapshot(world).restore(again);
        swap();
        maker.stateReplaced();
        maker.advancePassives();
        EXPECT_EQ(again.frame, world.frame);
        EXPECT_EQ(again.time, world.time);
        swap();
    }
    ASSERT_GT(world.passiveCounters.born, 200u);
    EXPECT_NEAR(double(counters.born) / double(world.passiveCounters.born), 1, 0.02);
    // most are in the same places bit for bit; ids follow the order of storage, which differs
    const auto places = [](const PassiveArrays& passive) {
        std::vector<std::array<float, 3>> all;
        for (const Vec4& x : passive.x.download()) all.push_back({x.x, x.y, x.z});
        std::ranges::sort(all);
        return all;
    };
    const auto run = places(world.passive), anew = places(kept);
    std::vector<std::array<float, 3>> common;
    std::ranges::set_intersection(run, anew, std::back_inserter(common));
    EXPECT_GT(double(common.size()) / double(run.size()), 0.8);
}

FOR_EACH_BACKEND(Passive);

TEST(PassiveMachines, SameBitsEverywhere) {
    const auto build = [](World& world) {
        MaterialProperties m = water(0.05f);
        m.foam = Foam::sea;
        addMaterial(world, m);
        m.density = 700, m.foam = Foam::beer;
        addMaterial(world, m);
        addFloor(world);
        addBlock(world, {.low = {-0.2f, 0.05f, -0.2f}, .nx = 8, .ny = 8, .nz = 8, .velocity = {1, -4, 0}});
        addBlock(
            world,
            {.low = {0.3f, 0.05f, -0.2f}, .nx = 6, .ny = 8, .nz = 8, .material = 1, .velocity = {-2, -3, 0}});
        // a sheet in the way of the spray
        const uint32_t sheet = addMaterial(world, cloth(0.05f));
        addCloth(world, makeGrid(16, 16, 0.05f), 0.3f, sheet, {}, {-0.3f, 0.5f, -0.3f});
    };
    expectSameStatesOnEveryMachine(15, build,
                                   [](const World& world) { EXPECT_GT(world.passiveCounters.born, 100u); });
}

}  // namespace

}  // namespace coalesce::test
