// Spray, foam and bubbles: motion against sums over all pairs in double, capacity, life, reproducibility.
// Smoke: test_smoke.cpp; cloth in their way: test_cloth_barrier.cpp.
#include <algorithm>
#include <array>
#include <cstring>
#include <map>

#include "kernels/particles/quantized_velocity.h"
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
    void addSplash(World& world, Foam foam, float foamMass = 0) {
        MaterialProperties m = water(0.05f);
        m.foam = foam, m.foamMass = foamMass;
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
            const double r = length(start - seenPlace(x[j], v[j]));
            sum = sum + weightAround(r, h) * seenVelocity(v[j]), weights += weightAround(r, h);
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

// A tank 0.5 m wide with 0.8 m of the first material, whose spacing is 0.05 m.
void fillTank(World& world) {
    Shape tank;
    tank.kind = ShapeKind::box, tank.container = true, tank.halfExtents = {0.25f, 1, 0.25f};
    tank.position = {0, 1, 0};
    world.shapes.push_back(tank);
    addBlock(world, {.low = {-0.25f, 0, -0.25f}, .nx = 10, .ny = 16, .nz = 10});
}

TEST_P(Passive, BubblesRiseAtTheirTerminalSpeed) {
    World world(exec);
    MaterialProperties m = waterWithoutFoam();
    m.foamBuoyancy = 2, m.foamDrag = 50;
    addMaterial(world, m);
    fillTank(world);
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

// The equations of kernels/passive/drag_reaction.h, summed over all pairs in double: velocities of liquid and foam after
// the exchange. The liquid without foam mass gives those before it. Gravity and buoyancy are external; apart from them
// liquid, foam and bubbles together keep their momentum.
TEST_P(Passive, DragActsOnTheLiquid) {
    constexpr double kShare = 0.08, kBuoyancy = 1.5, kDrag = 30, dt = 1.0 / 60, h = 0.1;
    std::vector<Vec3> places;
    // 40 per particle of the liquid at the center: their mass exceeds that of the liquid around them
    for (int i = 0; i < 1200; ++i)
        places.push_back(Vec3{0.2f, 0.15f, 0.2f} + (i < 200 ? 0.3f : 0.04f) * randomVec3(5, i, -1, 1));
    const Vec3 before{0.2f, 0.5f, -0.1f};
    struct End {
        std::vector<Vec4> x, v, at, velocity;
    };
    const auto run = [&](float share) {
        World world(exec);
        MaterialProperties m = water(0.05f);
        m.foam = Foam::custom, m.foamMass = share;
        m.foamTrappedAir = m.foamWaveCrest = m.foamVorticity = 0;
        m.foamBuoyancy = float(kBuoyancy), m.foamDrag = float(kDrag);
        addMaterial(world, m);
        addFloor(world, -10);
        addBlock(world,
                 {.low = {0, 0, 0}, .nx = 8, .ny = 8, .nz = 8, .velocity = {0.3f, 0, 0}, .jitter = 0.2f});
        Solver solver(world);
        stepFrames(solver, 5);
        placePassives(world, places, before, 100);
        solver.step();
        return End{world.particles.x.download(), world.particles.v.download(), world.passive.x.download(),
                   world.passive.v.download()};
    };
    const End free = run(0), coupled = run(float(kShare));
    const size_t n = free.x.size();
    const double mass = 1 / double{free.x[0].w}, foamMass = kShare * mass;

    std::vector<Vec3d> sample;
    for (size_t j = 0; j < n; ++j) sample.push_back(seenPlace(free.x[j], free.v[j]));

    struct Exchange {
        Vec3d fluid, q;
        double weights = 0;
        int neighbors = 0;
    };
    std::vector<double> load(n, 0.0);
    std::vector<Exchange> exchanges;
    std::vector<bool> uncertain(n, false);  // near foam whose class rounding decides
    for (const Vec3 place : places) {
        const Vec3d start = toDouble(vec4(place, 0.0f));
        Exchange e{};
        bool close = false;
        for (size_t j = 0; j < n; ++j) {
            const double r = length(start - sample[j]), w = weightAround(r, h);
            e.fluid = e.fluid + w * seenVelocity(free.v[j]), e.weights += w, e.neighbors += r < h;
            close |= std::abs(r - h) < 1e-6;
        }
        for (size_t j = 0; close && j < n; ++j)
            uncertain[j] = uncertain[j] || length(start - sample[j]) < 1.01 * h;
        if (e.weights > 0) e.fluid = (1 / e.weights) * e.fluid;
        for (size_t j = 0; e.neighbors >= 6 && j < n; ++j)
            load[j] += foamMass / mass * weightAround(length(start - sample[j]), h) / e.weights;
        exchanges.push_back(e);
    }
    std::vector<Vec3d> change(n, Vec3d{0, 0, 0});  // [m/s]
    Vec3d ofFoam{0, 0, 0}, external{0, 0, 0};      // [kg m/s]
    double largestRatio = 0;
    std::array<int, 3> seen{};
    for (size_t i = 0; i < places.size(); ++i) {
        Exchange& e = exchanges[i];
        const Vec3d start = toDouble(vec4(places[i], 0.0f)), old = toDouble(vec4(before, 0.0f));
        const int kind = e.neighbors < 6 ? 0 : e.neighbors > 20 ? 2 : 1;
        ++seen[size_t(kind)];
        if (kind == 0) continue;
        double ratio = 0;
        for (size_t j = 0; j < n; ++j)
            ratio += weightAround(length(start - sample[j]), h) / e.weights * load[j];
        largestRatio = std::max(largestRatio, ratio);
        const Vec3d buoyancy{0, kind == 2 ? dt * kBuoyancy * 9.81 : 0, 0};
        const double a = dt * kDrag;
        e.q = (kind == 2 ? a / (1 + a * (1 + ratio)) : 1 / (1 + ratio)) * (old + buoyancy - e.fluid);
        for (size_t j = 0; j < n; ++j)
            change[j] =
                change[j] + (foamMass / mass * weightAround(length(start - sample[j]), h) / e.weights) * e.q;
        const Vec3d velocity = toDouble(coupled.velocity[i]);
        EXPECT_LT(length(velocity - (old + buoyancy - e.q)), 2e-5) << i;
        ofFoam = ofFoam + foamMass * (velocity - old), external = external + foamMass * buoyancy;
    }
    for (const int number : seen) EXPECT_GT(number, 15);
    EXPECT_GT(largestRatio, 1) << "the foam is light";
    Vec3d ofLiquid{0, 0, 0};
    double largest = 0;
    for (size_t j = 0; j < n; ++j) {
        const Vec3d gained = toDouble(coupled.v[j]) - toDouble(free.v[j]);
        ofLiquid = ofLiquid + mass * gained, largest = std::max(largest, length(gained));
        EXPECT_EQ(coupled.x[j].y, free.x[j].y);
        if (!uncertain[j]) {
            EXPECT_LT(length(gained - change[j]), 2e-5) << j;
        }
    }
    EXPECT_GT(largest, 0.1);
    // rounding of n velocities of 1 m/s
    const double rounding = 1e-7 * double(n) * mass;
    EXPECT_GT(length(external), 100 * rounding);
    EXPECT_LT(length(ofLiquid + ofFoam - external), rounding);
}

// Bubbles that rise in a tank drag its water along; without mass they leave it at rest (the control).
TEST_P(Passive, APlumeOfBubblesDragsWaterUp) {
    const auto speedInPlume = [&](float foamMass) {
        World world(exec);
        MaterialProperties m = water(0.05f);
        m.foam = Foam::custom, m.foamMass = foamMass;
        m.foamTrappedAir = m.foamWaveCrest = m.foamVorticity = 0;
        m.foamBuoyancy = 2, m.foamDrag = 50;
        addMaterial(world, m);
        fillTank(world);
        Solver solver(world);
        stepFrames(solver, 120);
        std::vector<Vec3> places;
        for (int i = 0; i < 400; ++i) {
            const Vec3 r = randomVec3(7, i, -1, 1);
            places.push_back({0.1f * r.x, 0.2f + 0.15f * r.y, 0.1f * r.z});
        }
        placePassives(world, places, {0, 0, 0}, 100);
        stepFrames(solver, 30);
        const std::vector<Vec4> x = world.particles.x.download(), v = world.particles.v.download();
        double sum = 0, count = 0;
        for (size_t i = 0; i < x.size(); ++i) {
            const bool inside =
                std::abs(x[i].x) < 0.1f && std::abs(x[i].z) < 0.1f && x[i].y > 0.2f && x[i].y < 0.7f;
            sum += inside ? double{v[i].y} : 0, count += inside;
        }
        return sum / count;
    };
    EXPECT_GT(speedInPlume(0.05f), 0.1);
    EXPECT_LT(std::abs(speedInPlume(0)), 0.01);
}

// The velocities of a state that was simulated contain the reaction: to make its foam anew changes none of them.
TEST_P(Passive, FoamMadeAnewLeavesTheLiquidAlone) {
    World world(exec);
    addSplash(world, Foam::sea, 0.05f);
    Solver solver(world);
    stepFrames(solver, 20);
    ASSERT_GT(world.passive.size(), 50u);
    std::map<uint32_t, Vec4> before;
    {
        const std::vector<uint32_t> id = world.particles.id.download();
        const std::vector<Vec4> v = world.particles.v.download();
        for (size_t i = 0; i < v.size(); ++i) before[id[i]] = v[i];
    }
    solver.stateReplaced();
    solver.advancePassives();
    const std::vector<uint32_t> id = world.particles.id.download();
    const std::vector<Vec4> v = world.particles.v.download();
    for (size_t i = 0; i < v.size(); ++i) EXPECT_TRUE(xyz(before[id[i]]) == xyz(v[i])) << i;
}

TEST_P(Passive, SavedStateContinuesBitByBit) {
    constexpr float kFoamMass = 0.02f;  // so that the liquid depends on its foam
    TemporaryFolder folder;
    World world(exec);
    addSplash(world, Foam::sea, kFoamMass);
    Solver solver(world);
    stepFrames(solver, 12);
    ASSERT_GT(world.passive.size(), 20u);
    saveState(world, folder / "state");
    const WorldSnapshot snapshot(world);
    stepFrames(solver, 12);
    const uint64_t end = stateHash(world);

    World loaded(exec);
    addSplash(loaded, Foam::sea, kFoamMass);
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

// The foam of a run is made anew from the frames that a cache keeps of it, velocities rounded, bit for bit: under
// a sheet, beside a moving ball. Not by another preset, and not with foamMass, which acts on the liquid after it moved.
TEST_P(Passive, FoamIsMadeAnewFromStates) {
    const auto build = [&](World& world, float foamMass) {
        addSplash(world, Foam::sea, foamMass);
        const uint32_t sheet = addMaterial(world, cloth(0.05f));
        addCloth(world, makeGrid(10, 10, 0.05f), 0.3f, sheet, {}, {-0.2f, 0.7f, -0.2f});
        Shape ball;
        ball.kind = ShapeKind::sphere, ball.radius = 0.15f;
        ball.keys = {{0, {0.5f, 0.1f, 0}, {0, 0, 0, 1}}, {1, {-0.5f, 0.3f, 0}, {0, 0, 0, 1}}};
        world.shapes.push_back(ball);
    };
    // number of frames whose foam differs
    const auto differing = [&](float foamMass, Foam preset) {
        World world(exec), again(exec);
        build(world, foamMass), build(again, foamMass);
        again.materials[0].properties.foam = preset;
        Solver solver(world), maker(again);
        PassiveArrays arrays{Buffer<Vec4>(exec), Buffer<Vec4>(exec), Buffer<uint32_t>(exec),
                             Buffer<uint32_t>(exec)};
        PassiveCounters counters;
        const auto swap = [&] {
            arrays.x.swap(again.passive.x), arrays.v.swap(again.passive.v);
            arrays.id.swap(again.passive.id), arrays.tag.swap(again.passive.tag);
            std::swap(counters, again.passiveCounters);
        };
        int found = 0;
        for (int frame = 0; frame < 25; ++frame) {
            solver.step();
            maker.beginPassives();
            swap();
            WorldSnapshot(world).restore(again);
            again.materials[0].properties.foam = preset;
            std::vector<Vec4> v = again.particles.v.download();
            for (Vec4& a : v) a = vec4(quantizedVelocity(a), 0.0f);
            again.particles.v.upload(v);
            swap();
            maker.advancePassives();
            EXPECT_EQ(again.frame, world.frame);
            EXPECT_EQ(again.time, world.time);
            const auto same = [](const auto& a, const auto& b) {
                const auto left = a.download(), right = b.download();
                return left.size() == right.size() &&
                       (left.empty() ||
                        std::memcmp(left.data(), right.data(), left.size() * sizeof left[0]) == 0);
            };
            found +=
                !(same(world.passive.x, again.passive.x) && same(world.passive.v, again.passive.v) &&
                  same(world.passive.id, again.passive.id) && same(world.passive.tag, again.passive.tag));
        }
        EXPECT_GT(world.passiveCounters.born, 200u);
        return found;
    };
    EXPECT_EQ(differing(0, Foam::sea), 0);
    EXPECT_GT(differing(0, Foam::beer), 10);
    EXPECT_GT(differing(0.1f, Foam::sea), 10);
}

FOR_EACH_BACKEND(Passive);

TEST(PassiveMachines, SameBitsEverywhere) {
    const auto build = [](World& world) {
        MaterialProperties m = water(0.05f);
        m.foam = Foam::sea, m.foamMass = 0.05f;
        addMaterial(world, m);
        m.density = 700, m.foam = Foam::beer, m.foamMass = 0.01f;
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
