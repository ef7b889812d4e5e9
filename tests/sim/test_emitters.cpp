// Spawning by emitters and removal by sinks: rates, jets, lifetimes, counts, bodies. Saved states and long
// runs: test_emitter_state.cpp.
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <numbers>
#include <set>

#include "sim/emitter_suite.h"
#include "support/each_method.h"

namespace coalesce::test {
namespace {

class Emitters : public EachBackend {};

std::vector<Vec3d> placesById(const World& world) {
    std::vector<Vec3d> places;
    for (const Vec4& x : positions(world)) places.push_back(toDouble(x));
    return places;
}
float fastest(const World& world) {
    float most = 0;
    for (const Vec4& v : world.particles.v.download()) most = std::max(most, length(xyz(v)));
    return most;
}

// One event at the start and one after every 1/rate: none is lost or doubled at any frame rate.
TEST_P(Emitters, RateIsExactAtOddFrameRates) {
    for (const float frameRate : {7.0f, 24.0f, 59.94f, 60.0f, 144.0f}) {
        World world(exec);
        addFloatingWater(world);
        world.parameters.solver.frameRate = frameRate;
        Emitter e = tap({0, 0, 0}, {0, 1, 0}, 20, 0.5f);
        e.properties.rate = 137, e.properties.start = 0.1f;
        addEmitter(world, e);
        Solver solver(world);
        while (world.time < 2) {
            const double begin = world.time;
            solver.step();
            const double past = (begin - 0.1f) * 137, emitted = double(world.spawning.emitters[0].emitted);
            const double due = begin < 0.1f ? 0 : std::floor(past + 1e-3) + 1;
            if (std::abs(past - std::round(past)) < 2e-3)
                ASSERT_NEAR(emitted, due, 1) << "it may leave now or in the next frame";
            else
                ASSERT_EQ(emitted, due) << frameRate << ", " << begin;
        }
        EXPECT_EQ(world.count(), world.particlesAdded);
    }
}

TEST_P(Emitters, RespectsStartEndMaximumAndSwitch) {
    const auto emittedAfter = [&](auto&& change, int frames = 120) {
        World world(exec);
        addFloatingWater(world);
        Emitter e = tap({0, 0, 0}, {0, 1, 0}, 20, 0.5f);
        e.properties.rate = 60;
        addEmitter(world, e);
        Solver solver(world);
        for (int k = 0; k < frames; ++k) {
            change(world.emitters[0].properties, k);
            solver.step();
        }
        return world.spawning.emitters[0].emitted;
    };
    EXPECT_EQ(emittedAfter([](EmitterProperties&, int) {}), 120u);
    EXPECT_EQ(emittedAfter([](EmitterProperties& p, int) { p.start = 0.25f, p.end = 0.75f; }), 30u);
    EXPECT_EQ(emittedAfter([](EmitterProperties& p, int) { p.maximum = 41; }), 41u);
    // on for frames 30 to 59: from its beginning to the end of the last
    EXPECT_EQ(emittedAfter([](EmitterProperties& p, int k) { p.enabled = k >= 30 && k < 60; }), 31u);
    EXPECT_EQ(emittedAfter([](EmitterProperties& p, int) { p.rate = 0, p.speed = 0; }), 0u);
}

// Reference: volume fractions summed over all pairs, in double, by the definition. A jet in free flight must
// be as dense as a filled lattice everywhere: between layers and where frames meet.
TEST_P(Emitters, LayersFormAJetAtRestDensityWithoutGaps) {
    const double pi = std::numbers::pi, h = 2 * kSpacing;
    const auto kernel = [&](double r) { return r < h ? 15 / (pi * std::pow(h, 6)) * std::pow(h - r, 3) : 0; };
    double whole = 0;
    for (int i = -2; i <= 2; ++i)
        for (int j = -2; j <= 2; ++j)
            for (int k = -2; k <= 2; ++k)
                whole += kernel(kSpacing * std::sqrt(double(i * i + j * j + k * k)));
    for (const auto& [frameRate, nozzle] :
         {std::pair(60.0f, Emitter::Nozzle::disc), std::pair(23.0f, Emitter::Nozzle::rectangle)}) {
        World world(exec);
        addFloatingWater(world);
        world.parameters.solver.frameRate = frameRate;
        Emitter e = tap({0, 0, 0}, {1, 0, 0}, 2, 0.3f);
        e.nozzle = nozzle, e.size = {0.5f, 0, 0.5f};
        addEmitter(world, e);
        Solver solver(world);
        while (world.time < 0.6) solver.step();
        const std::vector<Vec3d> x = placesById(world);
        double front = 0, sum = 0, least = 1e9;
        for (const Vec3d& p : x) front = std::max(front, p.x());
        EXPECT_NEAR(front, 2 * 0.6, 2 * 2 / frameRate + 0.1);
        int n = 0;
        std::set<int> slices;  // of the jet, one layer thick
        for (const Vec3d& p : x) {
            slices.insert(int(p.x() / layerDistance(kSpacing) + 0.25));
            if (std::hypot(p.y(), p.z()) > 0.25 - h || p.x() < 2 / frameRate + h || p.x() > front - h)
                continue;
            double phi = 0;
            for (const Vec3d& q : x) phi += kernel(length(p - q)) / whole;
            sum += phi, least = std::min(least, phi), ++n;
        }
        ASSERT_GT(n, 50);
        EXPECT_NEAR(sum / n, 1, 0.05) << frameRate;
        EXPECT_GT(least, 0.9) << frameRate;
        EXPECT_GE(slices.size() + 3, front / layerDistance(kSpacing)) << "a layer is missing";
    }
}

// A jet with surface tension that falls is as wide where one frame's particles end as elsewhere.
TEST_P(Emitters, SurfaceTensionDoesNotNotchAJetOncePerFrame) {
    constexpr double kSpeed = 6, kGravity = 19.62;  // [m/s], [m/s²]
    constexpr size_t kParts = 4;                    // of a frame
    constexpr int kFrom = 2, kTo = 12;              // frames ago
    World world(exec);
    MaterialProperties goo = water(0.03f);
    goo.surfaceTension = 60, goo.viscosity = 5;
    addMaterial(world, goo);
    world.parameters.solver.substeps = 4, world.parameters.solver.iterations = 3;
    world.parameters.world.gravity = {float(kGravity), 0, 0};
    addEmitter(world, tap({0, 0, 0}, {1, 0, 0}, float(kSpeed), 0.16f));
    Solver solver(world);
    while (world.time < 0.4) solver.step();
    std::array<std::array<double, kParts>, kTo> widest{};  // [m]
    for (const Vec3d& p : placesById(world)) {
        const double along =
            60 * (std::sqrt(kSpeed * kSpeed + 2 * kGravity * std::max(p.x(), 0.0)) - kSpeed) / kGravity;
        if (along < kFrom || along >= kTo) continue;
        double& r = widest[size_t(along)][size_t((along - std::floor(along)) * kParts)];
        r = std::max(r, std::hypot(p.y(), p.z()));
    }
    std::array<double, kParts> mean{};
    for (int k = kFrom; k < kTo; ++k)
        for (size_t part = 0; part < kParts; ++part) mean[part] += widest[size_t(k)][part] / (kTo - kFrom);
    const auto [least, most] = std::ranges::minmax(mean);
    RecordProperty("spread", std::to_string((most - least) / least));
    EXPECT_GT(least, 0.1);
    EXPECT_LT((most - least) / least, 0.05);  // 0.10 if they felt it
}

TEST_P(Emitters, EmittedMomentumEqualsThatOfTheJet) {
    World world(exec);
    MaterialProperties heavy = water(kSpacing);
    heavy.density = 1500;
    addMaterial(world, heavy);
    floating(world);
    addEmitter(world, tap({0, 0, 0}, {0, 0, -3}, 2.5f));
    Solver solver(world);
    for (int k = 0; k < 30; ++k) solver.step();
    Vec3d momentum;
    double mass = 0;
    const std::vector<Vec4> x = world.particles.x.download(), v = world.particles.v.download();
    for (size_t i = 0; i < x.size(); ++i)
        momentum = momentum + (1.0 / x[i].w) * toDouble(v[i]), mass += 1.0 / x[i].w;
    // each particle is a cube of its spacing
    EXPECT_NEAR(mass / double(x.size()), 1500 * std::pow(0.05, 3), 1e-6);
    EXPECT_NEAR(momentum.z(), -2.5 * mass, 1e-3 * mass);
    EXPECT_NEAR(momentum.x(), 0, 1e-3 * mass);
    // and the flow is that of the mouth: π r² v, within what whole particles can say of so small a disc
    const double expected = std::numbers::pi * 0.12 * 0.12 * 2.5 * world.spawning.emitters[0].until;
    EXPECT_NEAR(double(x.size()) * std::pow(0.05, 3), expected, 0.15 * expected);
}

TEST_P(Emitters, SpreadJitterAndVolumesStayWithinBounds) {
    World world(exec);
    addFloatingWater(world);
    Emitter e = tap({1, 2, 3}, {0, 1, 0}, 4, 0.3f);
    e.properties.rate = 300, e.properties.spread = 30;
    addEmitter(world, e);
    Solver solver(world);
    stepFrames(solver, 21);
    double widest = 0;
    for (const Vec4& v : world.particles.v.download()) {
        EXPECT_NEAR(length(xyz(v)), 4, 0.4);
        widest = std::max(widest, std::acos(std::min(1.0, double(v.y) / length(xyz(v)))));
    }
    EXPECT_LT(widest, 33 * std::numbers::pi / 180);
    EXPECT_GT(widest, 20 * std::numbers::pi / 180);

    // a volume without a rate is kept full, and no fuller
    World pool(exec);
    addMaterial(pool, water(kSpacing));
    floating(pool);
    Emitter spring = tap({0, 0, 0}, {0, 1, 0}, 0);
    spring.nozzle = Emitter::Nozzle::volume;
    for (int k = 0; k < 27; ++k)
        spring.places.push_back(kSpacing * Vec3{float(k % 3) - 1, float(k / 3 % 3) - 1, float(k / 9) - 1});
    addEmitter(pool, spring);
    Solver still(pool);
    for (int k = 0; k < 10; ++k) still.step();
    EXPECT_EQ(pool.count(), 27u);
}

TEST_P(Emitters, ParticlesAreRemovedInTheFrameTheirLifetimeEnds) {
    Emitter e = tap({0, 0, 0}, {0, 1, 0}, 2);
    e.properties.life = 0.5f;
    World world(exec);
    addFloatingWater(world);
    addEmitter(world, e);
    addBlock(world, {.low = {2, 2, 2}, .nx = 2, .ny = 2, .nz = 2});  // for ever
    Solver solver(world);
    solver.step();
    const size_t first = world.count() - 8;  // born at time 0
    ASSERT_GT(first, 3u);
    for (int k = 1; k < 30; ++k) solver.step();
    EXPECT_EQ(world.particlesRemoved, 0u) << "the frame at 29/60 s";
    solver.step();
    EXPECT_EQ(world.particlesRemoved, first) << "the frame at 30/60 s";
    EXPECT_EQ(world.spawning.expired, first);
    EXPECT_TRUE(balanced(world));
}

TEST_P(Emitters, SinksFilterByRegionAgeAndNameAndCount) {
    for (const Method method : kMethods) {
        SCOPED_TRACE(nameOf(method));
        World world(exec);
        world.parameters.solver.method = method;
        const uint32_t a = addMaterial(world, water(kSpacing)), b = addMaterial(world, water(kSpacing));
        floating(world);
        addBlock(world, {.low = {0, 0, 0}, .nx = 4, .ny = 4, .nz = 4, .material = a});
        addBlock(world, {.low = {1, 0, 0}, .nx = 4, .ny = 4, .nz = 4, .material = b});
        Sink ball = sinkOf("ball", ShapeKind::sphere, false);
        ball.form.radius = 0.06f;  // holds 8 particles about the block's middle
        ball.form.position = {0.1f, 0.1f, 0.1f};
        Sink plane = sinkOf("plane", ShapeKind::plane, false);
        plane.form.position = {0, 0.1f, 0};  // takes what is below: half of what it acts on
        plane.actsOn = {world.materials[b].name};
        Sink room = sinkOf("room", ShapeKind::box, true);
        room.form.halfExtents = {0.1f, 0.15f, 5};  // x up to 0.1: half of the first block
        room.form.position = {0, 0.1f, 0};
        room.actsOn = {world.materials[a].name};
        room.properties.enabled = false;
        Sink old;
        old.name = "old", old.properties.age = 0.1f;
        world.sinks = {ball, plane, room, old};
        Solver solver(world);
        solver.step();
        EXPECT_EQ(world.spawning.removedBySink, (std::vector<uint64_t>{8, 32, 0, 0}));
        EXPECT_EQ(world.count(), 128u - 8 - 32);
        EXPECT_TRUE(balanced(world));
        world.sinks[2].properties.enabled = true;
        solver.step();
        EXPECT_EQ(world.spawning.removedBySink[2], 32u - 4) << "the ball took half of its 8 from there";
        while (world.time < 0.1 - 1e-6) solver.step();
        EXPECT_EQ(world.spawning.removedBySink[3], 0u);
        solver.step();
        EXPECT_EQ(world.count(), 0u);
        EXPECT_EQ(world.spawning.removedBySink[3], 128u - 8 - 32 - 28);
        EXPECT_TRUE(balanced(world));
        for (int k = 0; k < 3; ++k) solver.step();  // an empty world goes on
    }
}

// SpawnPoint find no room where water is: they wait, and nothing bursts.
TEST_P(Emitters, SubmergedEmitterDisplacesWaterWithoutBursting) {
    World world(exec);
    addMaterial(world, water(kSpacing));
    addFloor(world);
    Shape tank;
    tank.name = "tank", tank.kind = ShapeKind::box, tank.container = true;
    tank.halfExtents = {0.5f, 1, 0.5f}, tank.position = {0, 1, 0};
    world.shapes.push_back(tank);
    addBlock(world, {.low = {-0.5f, 0, -0.5f}, .nx = 20, .ny = 14, .nz = 20});
    addEmitter(world, tap({0, 0.3f, 0}, {1, 0, 0}, 1.5f, 0.1f));
    Solver solver(world);
    for (int k = 0; k < 20; ++k) solver.step();
    float most = 0;
    for (int k = 0; k < 60; ++k) {
        solver.step();
        most = std::max(most, fastest(world));
    }
    const EmitterProgress& p = world.spawning.emitters[0];
    EXPECT_LT(most, 3.5f) << "twice the speed of the jet and what falls";
    EXPECT_GT(p.blocked, 50u);
    EXPECT_GT(p.emitted, 100u);
    RecordProperty("emitted", int(p.emitted));
    RecordProperty("refused", int(p.blocked));
}

TEST_P(Emitters, EmitterInsideAShapeDoesNotBurst) {
    World world(exec);
    addMaterial(world, water(kSpacing));
    addFloor(world);
    Shape ball;
    ball.name = "ball", ball.kind = ShapeKind::sphere, ball.radius = 0.3f, ball.position = {0, 0.6f, 0};
    world.shapes.push_back(ball);
    addEmitter(world, tap({0, 0.8f, 0}, {0, 1, 0}, 1));  // 0.2 m above its center, 0.1 m deep
    Solver solver(world);
    float most = 0;
    for (int k = 0; k < 60; ++k) {
        solver.step();
        most = std::max(most, fastest(world));
    }
    EXPECT_LT(most, 6) << "what falls 0.9 m has 4.2 m/s";
    EXPECT_GT(world.count(), 20u);
    const std::vector<uint32_t> id = world.particles.id.download();
    const std::vector<Vec4> x = world.particles.x.download();
    for (size_t i = 0; i < x.size(); ++i) {
        if (id[i] + 60 >= world.nextId) continue;  // the newest
        EXPECT_GT(length(toDouble(x[i]) - Vec3d{0, 0.6, 0}), 0.3);
    }
}

TEST_P(Emitters, FollowsAMovingShapeAndABody) {
    for (const bool onBody : {false, true}) {
        World world(exec);
        addMaterial(world, water(kSpacing));
        addMaterial(world, solid(MaterialKind::rigid, kSpacing));
        floating(world);
        Emitter e = tap({0, 0.5f, 0}, {0, 1, 0}, 2);
        if (onBody) {
            addBody(world,
                    {.position = {0, 0, 0}, .nx = 3, .ny = 3, .nz = 3, .material = 1, .velocity = {3, 0, 0}});
            e.on = "body0";
        } else {
            Shape cart;
            cart.name = e.on = "cart", cart.kind = ShapeKind::box;
            cart.halfExtents = {0.05f, 0.05f, 0.05f}, cart.velocity = {3, 0, 0};
            world.shapes.push_back(cart);
        }
        addEmitter(world, e);
        Solver solver(world);
        for (int k = 0; k < 30; ++k) solver.step();
        const std::vector<uint32_t> phase = world.particles.phase.download();
        const std::vector<Vec4> v = world.particles.v.download(), x = world.particles.x.download();
        int emitted = 0, first = 0;
        for (size_t i = 0; i < v.size(); ++i) {
            if (materialOf(phase[i]) != 0) continue;
            // a body's motion is known from the second frame on
            if (onBody && x[i].y > 0.5f + 2 * (29 / 60.0f) - 0.03f && ++first) continue;
            ++emitted;
            EXPECT_NEAR(v[i].x, 3, 0.35) << onBody;
            EXPECT_NEAR(v[i].y, 2, 0.35) << onBody;
            EXPECT_NEAR(x[i].x, 1.5, 0.15) << onBody << ": the jet stays above what carries it";
        }
        EXPECT_GT(emitted, 100);
    }
}

TEST_P(Emitters, BodiesSpawnAndDespawnWholeAndReuseRows) {
    World world(exec);
    const uint32_t rock = addMaterial(world, solid(MaterialKind::rigid, kSpacing, 0.4f));
    addFloor(world);
    world.prefabs = {stoneOf(world, rock)};
    Emitter e = tap({0, 1, 0}, {1, 0, 0}, 3, 0.05f);
    e.properties.rate = 15, e.properties.life = 0.8f, e.properties.turn = 180, e.properties.spin = 400;
    e.properties.spread = 60;
    e.prefabs = {0};
    addEmitter(world, e);
    Sink far = sinkOf("far", ShapeKind::plane, false);
    far.form.position = {1.5f, 0, 0}, far.form.rotation = quatFromNormal({-1, 0, 0});  // what is beyond
    world.sinks = {far};
    Solver solver(world);
    size_t rows = 0;
    for (int k = 0; k < 360; ++k) {
        solver.step();
        ASSERT_TRUE(balanced(world));
        std::map<uint32_t, int> ofGroup;
        for (const uint32_t phase : world.particles.phase.download()) ++ofGroup[groupOf(phase)];
        int alive = 0;
        for (const BodySlot& slot : world.spawning.slots) alive += int(slot.alive);
        ASSERT_EQ(int(ofGroup.size()), alive);
        for (const auto& [group, n] : ofGroup) ASSERT_EQ(n, 12) << "of body " << group << ", frame " << k;
        if (k == 120) rows = world.solids.rows();
    }
    EXPECT_GT(world.spawning.emitters[0].emitted, 80u);
    EXPECT_GT(world.spawning.removedBySink[0], 0u);
    EXPECT_GT(world.spawning.expired, 0u);
    EXPECT_LE(world.solids.rows(), rows + 24) << "rows of the dead are used again";
    // those that live keep their form: every particle where its body's pose says
    const std::vector<ClusterPose> pose = world.solids.pose.download();
    const std::vector<Vec4> clusterRestCenter = world.solids.clusterRestCenter.download();
    const std::vector<Vec4> x = world.particles.x.download();
    const std::vector<uint32_t> id = world.particles.id.download();
    std::map<uint32_t, Vec4> at;
    for (size_t i = 0; i < id.size(); ++i) at[id[i]] = x[i];
    for (const BodySlot& slot : world.spawning.slots) {
        if (!slot.alive) continue;
        const uint32_t cluster = world.bodies[slot.body].firstCluster;
        for (uint32_t k = 0; k < 12; ++k) {
            const Vec3 goal = rotate(pose[cluster].rotation,
                                     world.prefabs[0].samples[k].x - xyz(clusterRestCenter[cluster])) +
                              pose[cluster].center;
            EXPECT_LT(length(goal - xyz(at.at(slot.first + k))), 0.1f * kSpacing);
        }
    }
}

// A frame that failed has emitted; repeated, it emits nothing more, but what the user throws meanwhile comes.
TEST_P(Emitters, ARepeatedFrameSpawnsWhatIsNewOnly) {
    const auto run = [&](bool fails) {
        World world(exec);
        addMaterial(world, water(kSpacing));
        addFloor(world);
        Emitter e = tap({0, 1, 0}, {1, 0, 0}, 3, 0.2f);
        addEmitter(world, e);
        Solver solver(world);
        for (int k = 0; k < 10; ++k) solver.step();
        if (fails) {
            const int capacity = std::exchange(world.parameters.neighbors.capacity, 1);
            Solver small(world);
            world.parameters.solver.overflow = Overflow::fail;
            EXPECT_THROW(small.step(), Error);
            world.parameters.neighbors.capacity = capacity;
        }
        world.commands.push_back(Throw{{0, 3, 0}, {0, 0, 0}});
        Solver(world).step();
        return std::tuple{world.spawning.emitters[0].emitted, world.spawning.slots.size(), world.count()};
    };
    const auto plain = run(false);
    EXPECT_EQ(std::get<1>(plain), 1u);
    EXPECT_EQ(run(true), plain);
}

// Two mouths in one place: what the second wants to bring in finds the first one's newborn there.
TEST_P(Emitters, SpawnsOfOneFrameDoNotOverlap) {
    World world(exec);
    addFloatingWater(world);
    for (const float shift : {0.0f, 0.01f}) {
        Emitter e = tap({shift, 0, 0}, {1, 0, 0}, 0, 0.3f);
        e.properties.rate = 3000, e.properties.maximum = 50;
        e.seed = shift > 0 ? 8 : 7;
        addEmitter(world, e);
    }
    Solver solver(world);
    solver.step();  // an event at the start
    for (int k = 0; k < 3; ++k) {
        const std::vector<Vec3d> places = placesById(world);
        for (size_t i = 0; i < places.size(); ++i)
            for (size_t j = 0; j < i; ++j)
                ASSERT_GT(length(places[i] - places[j]), 0.4 * kSpacing)
                    << i << " and " << j << ", frame " << k;
        solver.step();
    }
    EXPECT_GT(world.spawning.emitters[0].emitted, 20u);
    EXPECT_GT(world.spawning.emitters[1].blocked, 10u);
    EXPECT_TRUE(balanced(world));
}

// Copies carry what their prefab carries, also in the rows of those that have died.
TEST_P(Emitters, CopiesHaveTheValuesOfTheirPrefab) {
    World world(exec);
    const uint32_t rock = addMaterial(world, solid(MaterialKind::rigid, kSpacing, 0.4f));
    world.addAttribute({.name = "heat", .initial = {1, 0, 0}});
    world.prefabs = {stoneOf(world, rock), stoneOf(world, rock)};
    for (size_t i = 0; i < world.prefabs[0].samples.size(); ++i)
        world.prefabs[0].values.push_back({10.0 + double(i), 0, 0});
    Emitter e = tap({0, 1, 0}, {1, 0, 0}, 3, 0.05f);
    e.properties.rate = 10, e.properties.life = 0.25f;
    e.prefabs = {0, 1};
    addEmitter(world, e);
    Solver solver(world);
    std::set<uint32_t> seen;
    for (int k = 0; k < 60; ++k) {
        solver.step();
        const auto id = byId(world, world.particles.id);
        const auto heat = byId(world, std::get<Buffer<float>>(world.particles.attributes[0].values));
        std::map<uint32_t, float> of;
        for (size_t i = 0; i < id.size(); ++i) of[id[i]] = heat[i];
        for (const BodySlot& slot : world.spawning.slots)
            for (uint32_t i = 0; slot.alive && i < 12; ++i)
                ASSERT_EQ(of.at(slot.first + i), slot.prefab == 0 ? 10.0f + float(i) : 1.0f);
        for (const BodySlot& slot : world.spawning.slots) seen.insert(slot.first);
    }
    EXPECT_GE(seen.size(), 9u);
    EXPECT_LE(world.spawning.slots.size(), 5u) << "rows are used again";
}

FOR_EACH_BACKEND(Emitters);

}  // namespace
}  // namespace coalesce::test
