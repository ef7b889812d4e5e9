// Hands that hold and pull, brushes, and the commands they obey.
#include <gtest/gtest.h>
#include <limits>

#include "sim/command_suite.h"
#include "sim/interaction/mouse_constraints.h"
#include "sim/interaction/pick.h"
#include "sim/make_bodies.h"
#include "sim/solid/shape_matching.h"
#include "sim/stage/row_index.h"
#include "sim/world/body_factory.h"
#include "sim/world/cloth_mesh.h"
#include "support/body_states.h"
#include "support/each_method.h"
#include "support/small_scene.h"

namespace coalesce::test {
namespace {

constexpr double kOmega = 2 * 3.14159265358979 * 5;  // [rad/s] of the default spring

// One substep of mouse constraints alone, so that velocities show their effect.
struct OneSubstep {
    explicit OneSubstep(World& w)
        : world(w), device(w.exec), neighbors(w.exec), mouseConstraints(w.exec), bodies(w.exec) {}
    void act(double dt) {
        world.parameters.solver.substeps = 1;
        world.parameters.solver.frameRate = static_cast<float>(1 / dt);
        beginFrame(world, device, dt);
        if (!world.bodies.empty()) indexRows(world, device);
        mouseConstraints.beginFrame(world);
        mouseConstraints.applyForces({world, device, neighbors, 0, float(dt)}, bodies);
        MouseConstraints::endFrame(world);
    }
    World& world;
    DeviceWorld device;
    Neighbors neighbors;
    MouseConstraints mouseConstraints;
    ShapeMatching bodies;
};

class MouseGrabs : public Commands {
protected:
    void hold(World& world, uint32_t id, Vec3 at, uint32_t hand = 0) {
        world.commands.push_back(Grab{hand, id, at});
    }
};

// The impulse is that of the spring at the end of the substep, F = k (m − p') + c (m' − v'), it acts at the
// held particle, and what it moves stays rigid. None of this is how the kernel finds it.
TEST_P(MouseGrabs, PullsABodyAsAnImplicitSpringAtThePoint) {
    for (const float density : {1.0f, 1000.0f, 20000.0f}) {
        World world(exec);
        MaterialProperties m = solid(MaterialKind::rigid, 0.1f);
        m.density = density;
        addMaterial(world, m);
        addBody(world, {.position = {0.3f, 1, 0.2f},
                        .nx = 5,
                        .ny = 3,
                        .nz = 2,
                        .velocity = {0.2f, -0.1f, 0.4f},
                        .angularVelocity = {0.5f, 1, -2}});
        world.parameters.hand.maxForce = 1e4f;
        world.parameters.hand.dampingRatio = 0.7f;
        const std::vector<Vec4> x = positions(world), before = velocities(world);
        const uint32_t id = 29;  // a corner
        const double dt = 1.0 / 120;
        const Vec3d p = toDouble(x[id]), from = p + Vec3d{0.1, 0.05, -0.02}, moved{0.01, 0.02, 0};
        hold(world, id, {float(from.x()), float(from.y()), float(from.z())});
        const Vec3d to = from + moved;
        world.commands.push_back(MoveTarget{0, {float(to.x()), float(to.y()), float(to.z())}});
        OneSubstep(world).act(dt);

        const std::vector<Vec4> after = velocities(world);
        Vec3d momentum, turned;
        double mass = 0, size = 0;
        for (size_t i = 0; i < x.size(); ++i) {
            const double mi = 1 / double{x[i].w};
            const Vec3d change = mi * (toDouble(after[i]) - toDouble(before[i]));
            mass += mi;
            momentum = momentum + change;
            turned = turned + cross(toDouble(x[i]) - p, change);
            size += length(change) * length(toDouble(x[i]) - p);
        }
        const double k = mass * kOmega * kOmega, c = 2 * 0.7 * mass * kOmega;
        const Vec3d v = toDouble(after[id]) + Vec3d{0, -9.81 * dt, 0};  // gravity comes later
        const Vec3d force = k * (to - p - dt * v) + c * ((1 / dt) * moved - v);
        EXPECT_LT(length(momentum - dt * force), 2e-5 * length(momentum)) << "density " << density;
        EXPECT_LT(length(turned), 2e-5 * size) << "density " << density;
        for (size_t i = 1; i < x.size(); ++i) {
            const Vec3d apart = toDouble(x[i]) - toDouble(x[0]);
            EXPECT_NEAR(dot(toDouble(after[i]) - toDouble(after[0]), apart), 0, 1e-4 * length(apart));
        }
        EXPECT_TRUE(world.commands.empty());
        EXPECT_EQ(world.mouseConstraints.size(), 1u);
    }
}

// Whatever a body weighs, it hangs g/ω² below the hand: k = M ω² carries M g.
TEST_P(MouseGrabs, CarriesBodiesOfAnyMass) {
    for (const Method method : kMethods) {
        SCOPED_TRACE(nameOf(method));
        for (const float density : {10.0f, 1000.0f, 10000.0f})
            for (const MaterialKind kind : {MaterialKind::rigid, MaterialKind::soft}) {
                World world(exec);
                world.parameters.solver.method = method;
                MaterialProperties m = solid(kind, 0.1f);
                m.density = density;
                addMaterial(world, m);
                addFloor(world);
                addBody(world, {.position = {0, 0.3f, 0},
                                .nx = 5,
                                .ny = 4,
                                .nz = 5,
                                .clusterSpacing = kind == MaterialKind::soft ? 0.2f : -1});
                Solver solver(world);
                stepFrames(solver, 10);
                const uint32_t id = 2 + 5 * (3 + 4 * 2);  // in the middle of its top
                const Vec3 at = *placeOf(world, id);
                hold(world, id, at);
                const Vec3 up = at + Vec3{0, 1, 0};
                for (int f = 1; f <= 60; ++f) {
                    world.commands.push_back(MoveTarget{0, at + f / 60.0f * Vec3{0, 1, 0}});
                    solver.step();
                }
                stepFrames(solver, 240);
                const double sag = 9.81 / (kOmega * kOmega);
                const Vec3 held = *placeOf(world, id);
                // of a soft one the cluster in hand gives way to the others in every substep: measured 7.2 mm
                EXPECT_NEAR(held.y, up.y - sag, kind == MaterialKind::soft ? 9e-3 : 3e-4)
                    << "density " << density;
                EXPECT_GT(bodyStates(world)[0].center.y, 0.9);
                world.commands.push_back(Release{0});
                stepFrames(solver, 90);
                EXPECT_TRUE(world.mouseConstraints.empty());
                EXPECT_LT(bodyStates(world)[0].center.y, 0.4) << "it falls when let go";
            }
    }
}

// A cloth hangs from the one particle that is held, and no spring of it becomes much longer.
TEST_P(MouseGrabs, CarriesAClothByOneParticle) {
    World world(exec);
    addMaterial(world, solid(MaterialKind::cloth, 0.05f));
    addFloor(world);
    const ClothMesh mesh = makeGrid(15, 15, 0.05f);
    std::vector<BodySample> samples;
    for (const Vec3& point : mesh.points) samples.push_back({.x = point});
    BodyDef cloth;
    cloth.name = "cloth";
    cloth.samples = samples;
    cloth.links = mesh.links;
    cloth.position = {0, 0.05f, 0};
    addBodies(world, {&cloth, 1});
    world.parameters.solver.substeps = 4;
    world.parameters.solver.iterations = 20;
    Solver solver(world);
    const uint32_t id = 15 * 7 + 7;  // in the middle
    hold(world, id, *placeOf(world, id));
    for (int f = 1; f <= 60; ++f) {
        world.commands.push_back(MoveTarget{0, {0, 0.05f + f / 60.0f, 0}});
        solver.step();
    }
    stepFrames(solver, 120);
    const std::vector<Vec4> x = positions(world);
    EXPECT_LT(length(toDouble(x[id]) - Vec3d{0, 1.05, 0}), 0.04);
    double longest = 0, lowest = 1e9;
    for (const ClothEdge& link : mesh.links)
        if (link.kind == ClothEdgeKind::stretch)
            longest = std::max(longest, length(toDouble(x[link.a]) - toDouble(x[link.b])) / link.length);
    for (const Vec4& p : x) lowest = std::min(lowest, double{p.y});
    EXPECT_LT(longest, 1.1);
    EXPECT_GT(lowest, 0.4) << "half a diagonal is 0.5 m";
    EXPECT_LT(lowest, 0.75) << "it hangs";
}

// Rows that a sheet keeps for tearing weigh nothing: with triangles, and spares, it moves as without.
TEST_P(MouseGrabs, CountsOnlyTheParticlesOfTheCloth) {
    std::vector<Vec4> places[2];
    for (const bool spares : {false, true}) {
        World world(exec);
        addMaterial(world, solid(MaterialKind::cloth, 0.05f));
        const ClothMesh mesh = makeGrid(7, 7, 0.05f);
        std::vector<BodySample> samples;
        for (const Vec3& point : mesh.points) samples.push_back({.x = point});
        BodyDef cloth;
        cloth.name = "cloth";
        cloth.samples = samples;
        cloth.links = mesh.links;
        if (spares) cloth.triangles = mesh.triangles;
        addBodies(world, {&cloth, 1});
        Solver solver(world);
        hold(world, 24, {0, 0.3f, 0});
        stepFrames(solver, 30);
        places[spares] = positions(world);
    }
    ASSERT_EQ(places[0].size(), places[1].size());
    for (size_t i = 0; i < places[0].size(); ++i) EXPECT_EQ(places[0][i].y, places[1][i].y);
}

// Just under its weight the body stays down, just over it comes up.
TEST_P(MouseGrabs, ForceIsLimitedByMaxForce) {
    for (const float force : {0.9f, 1.1f}) {
        World world(exec);
        addMaterial(world, solid(MaterialKind::rigid, 0.1f));
        addFloor(world);
        addBody(world, {.position = {0, 0.2f, 0}, .nx = 3, .ny = 3, .nz = 3});
        world.parameters.hand.maxForce = force;
        Solver solver(world);
        hold(world, 13, {0, 2, 0});  // by its middle
        stepFrames(solver, 60);
        // half a second's way at a tenth of g, and more
        if (force < 1)
            EXPECT_LT(bodyStates(world)[0].center.y, 0.2);
        else
            EXPECT_GT(bodyStates(world)[0].center.y, 0.4);
    }
}

// Of overlapping clusters, too, the body gets no more momentum than the force and the time give it.
TEST_P(MouseGrabs, BodyGainsTheMomentumOfTheForce) {
    for (const float clusters : {-1.0f, 0.2f}) {
        World world(exec);
        addMaterial(world, solid(clusters > 0 ? MaterialKind::soft : MaterialKind::rigid, 0.1f));
        addBody(world, {.position = {0, 1, 0}, .nx = 6, .ny = 5, .nz = 4, .clusterSpacing = clusters});
        world.parameters.hand.maxForce = 3;
        const Vec3d before = momentaOf(world).linear;
        const double mass = bodyStates(world)[0].mass;
        const std::vector<Vec4> x = positions(world);
        hold(world, 37, {x[37].x, 50, x[37].z});
        OneSubstep(world).act(1.0 / 120);
        EXPECT_NEAR(length(momentaOf(world).linear - before), 3 * mass * 9.81 / 120, 1e-4 * mass);
    }
}

// A loose particle of each kind comes to the hand and stays, without passing it.
TEST_P(MouseGrabs, HoldsLooseParticles) {
    for (const MaterialKind kind : {MaterialKind::fluid, MaterialKind::grains}) {
        World world(exec);
        addMaterial(world, solid(kind, 0.05f));
        world.parameters.world.gravity = {0, 0, 0};
        addAt(world, {0, 0, 0});
        addAt(world, {5, 0, 0});
        Solver solver(world);
        hold(world, 0, {0.5f, 0, 0});
        float farthest = 0;
        for (int f = 0; f < 120; ++f) {
            solver.step();
            farthest = std::max(farthest, positions(world)[0].x);
        }
        EXPECT_NEAR(positions(world)[0].x, 0.5f, 1e-4f);
        EXPECT_LT(farthest, 0.5f + 1e-4f);
        EXPECT_EQ(positions(world)[1].x, 5) << "the other one is not held";
    }
}

TEST_P(MouseGrabs, ReleasesRemovedParticles) {
    World world(exec);
    addMaterial(world, water(0.1f));
    addBlock(world, {.nx = 3, .ny = 3, .nz = 3});
    Solver solver(world);
    hold(world, 5, {0, 3, 0});
    stepFrames(solver, 2);
    const uint32_t gone = 5;
    world.removeParticles({&gone, 1});
    stepFrames(solver, 2);
    EXPECT_EQ(world.count(), 26u);
    EXPECT_FALSE(placeOf(world, 5).has_value());
    world.commands.push_back(Release{0});
    solver.step();
    EXPECT_TRUE(world.mouseConstraints.empty());
}

// Reference: every particle against every stroke, in double.
TEST_P(MouseGrabs, BrushMovesLiquidAndGrainsButNotBodies) {
    World world(exec);
    addMaterial(world, water(0.05f));
    addMaterial(world, solid(MaterialKind::grains, 0.05f));
    addMaterial(world, solid(MaterialKind::rigid, 0.05f));
    addBlock(world, {.nx = 6, .ny = 6, .nz = 6, .velocity = {0, 0.3f, 0}, .jitter = 0.3f});
    addBlock(world, {.low = {0.4f, 0, 0}, .nx = 4, .ny = 4, .nz = 4, .material = 1});
    const size_t loose = world.count();
    addBody(world, {.position = {0.2f, 0.1f, 0.4f}, .material = 2});
    const double dt = 1.0 / 60, R = 0.12, s = 30;
    world.parameters.hand.brushRadius = static_cast<float>(R);
    world.parameters.hand.brushStrength = static_cast<float>(s);
    const Brush strokes[] = {{{0.1f, 0.1f, 0.1f}, {0.5f, 0.15f, 0.12f}},
                             {{0.2f, 0.2f, 0.1f}, {0.2f, 0, 0.1f}}};
    for (const Brush& b : strokes) world.commands.push_back(b);
    const std::vector<Vec4> x = positions(world), before = velocities(world);
    OneSubstep(world).act(dt);
    const std::vector<Vec4> after = velocities(world);
    int swept = 0;
    for (size_t i = 0; i < x.size(); ++i) {
        Vec3d v = toDouble(before[i]);
        for (const Brush& b : strokes) {
            if (i >= loose) continue;
            const Vec3d way = toDouble(b.to) - toDouble(b.from), r = toDouble(x[i]) - toDouble(b.from);
            const double t = std::clamp(dot(r, way) / dot(way, way), 0.0, 1.0);
            const double off = length(r - t * way);
            if (off >= R) continue;
            const double rate = s * dt * std::pow(1 - off * off / (R * R), 3);
            v = v + rate / (1 + rate) * ((1 / dt) * way - v);
            ++swept;
        }
        EXPECT_LT(length(toDouble(after[i]) - v), 2e-4) << i;  // 24 m/s in floats, in 1 − r²/R²
    }
    EXPECT_GT(swept, 100);
}

TEST_P(MouseGrabs, GrabsAreSavedAndHashed) {
    TemporaryFolder folder;
    const auto build = [](World& world) {
        addMaterial(world, solid(MaterialKind::rigid, 0.1f));
        addFloor(world);
        addBody(world, {.position = {0, 0.3f, 0}});
        addBody(world, {.position = {1, 0.3f, 0}});
    };
    World world(exec);
    build(world);
    const uint64_t free = stateHash(world);
    world.mouseConstraints.push_back({2, 4, {0, 1, 0}, {0, 1, 0}});
    const uint64_t held = stateHash(world);
    EXPECT_NE(held, free);
    world.mouseConstraints[0].to.y = 1.0001f;
    EXPECT_NE(stateHash(world), held);
    world.mouseConstraints.clear();

    Solver solver(world);
    hold(world, 3, {0, 1, 0}, 1);
    hold(world, 30, {1, 1, 0.5f}, 0);
    stepFrames(solver, 7);
    saveState(world, folder / "held.state");
    world.commands.push_back(MoveTarget{1, {0, 1.5f, 0}});
    stepFrames(solver, 8);

    World other(exec);
    build(other);
    loadState(other, folder / "held.state");
    ASSERT_EQ(other.mouseConstraints.size(), 2u);
    EXPECT_EQ(other.mouseConstraints[0].number, 0u) << "in the order of their numbers";
    Solver again(other);
    other.commands.push_back(MoveTarget{1, {0, 1.5f, 0}});
    stepFrames(again, 8);
    EXPECT_EQ(stateHash(other), stateHash(world));
}

TEST_P(MouseGrabs, InvalidCommandsAreRejected) {
    World world(exec);
    addMaterial(world, water(0.1f));
    addAt(world, {0, 1, 0});
    const float nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_NE(refusal(world, Grab{0, 7, {}}).find("no particle 7; ids are below 1"), std::string::npos);
    EXPECT_NE(refusal(world, Grab{8, 0, {}}).find("no mouse constraint 8; they are numbered 0 to 7"),
              std::string::npos);
    EXPECT_NE(refusal(world, Grab{0, 0, {nan, 0, 0}}).find("not finite"), std::string::npos);
    EXPECT_NE(refusal(world, MoveTarget{3, {}}).find("mouse constraint 3 holds no particle"),
              std::string::npos);
    EXPECT_NE(refusal(world, Release{3}).find("mouse constraint 3 holds no particle"), std::string::npos);
    EXPECT_NE(refusal(world, Brush{{}, {0, nan, 0}}).find("not finite"), std::string::npos);
    EXPECT_NE(refusal(world, Cut{{}, {1, 0, 0}, {2, 0, 0}}).find("on a line"), std::string::npos);
    EXPECT_EQ(refusal(world, Cut{{}, {1, 0, 0}, {0, 1, 0}}), "");
    EXPECT_TRUE(world.mouseConstraints.empty());
}

FOR_EACH_BACKEND(MouseGrabs);

TEST(MouseConstraints, BitwiseEqualAcrossBackends) {
    expectSameBitsOnEveryMachine([](Exec& exec) {
        World world(exec);
        addMaterial(world, water(0.05f));
        addMaterial(world, solid(MaterialKind::soft, 0.05f));
        addFloor(world);
        addBlock(world, {.low = {0.4f, 0, 0}, .nx = 6, .ny = 6, .nz = 6, .jitter = 0.2f});
        const auto first = static_cast<uint32_t>(world.count());
        addBody(
            world,
            {.position = {0, 0.3f, 0}, .nx = 6, .ny = 6, .nz = 6, .material = 1, .clusterSpacing = 0.12f});
        Solver solver(world);
        // overlapping clusters, so that the order of the hands counts
        world.commands = {Grab{0, first + 80, {0, 1, 0}}, Grab{1, first + 81, {0.3f, 1, 0}},
                          Grab{2, 17, {0.5f, 0.5f, 0}}};
        for (int f = 0; f < 10; ++f) {
            world.commands.push_back(Brush{{0.4f, 0.1f * f, 0.1f}, {0.6f, 0.1f * f, 0.1f}});
            solver.step();
        }
        return std::vector<uint64_t>{stateHash(world)};
    });
}

}  // namespace
}  // namespace coalesce::test
