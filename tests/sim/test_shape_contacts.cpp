// Particles against shapes: planes, friction, restitution, what starts inside. References: signed distances
// in double, and mechanics of a mass point.
#include <cmath>
#include <gtest/gtest.h>

#include "sim/contact/shape_contacts.h"
#include "sim/reference_shapes.h"
#include "support/each_backend.h"

namespace coalesce::test {
namespace {

constexpr float kSpacing = 0.1f, kRadius = 0.05f;
constexpr double kGravity = 9.81;

class ShapeContact : public EachBackend {};

// particles that do not see each other: farther apart than the support
MaterialProperties dry(float spacing = kSpacing) {
    MaterialProperties m = water(spacing);
    m.viscosity = 0;
    return m;
}

// ---- planes ----

struct Touch {
    Vec3d normal;
    double offset;
};
std::vector<std::vector<Touch>> touches(World& world) {
    OpenWorld open(world);
    ShapeContacts contacts(world.exec);
    contacts.find(open.step);
    const Contacts found = contacts.view(open.device, 0);
    std::vector<uint32_t> start(found.start.size);
    world.exec.copyToHost(start.data(), found.start.data, start.size() * sizeof(uint32_t));
    std::vector<Vec4> planes(start.back());
    world.exec.copyToHost(planes.data(), found.planes.data, planes.size() * sizeof(Vec4));
    std::vector<std::vector<Touch>> of(world.count());
    for (size_t i = 0; i < of.size(); ++i)
        for (uint32_t k = start[i]; k < start[i + 1]; ++k)
            of[i].push_back({toDouble(planes[k]), planes[k].w});
    return of;
}

TEST_P(ShapeContact, ContactPlanesLieAtTheAnalyticDistance) {
    const Quat tilt = quatFromEuler(0.3, 1.1, -0.6);
    Shape plane;
    plane.rotation = quatFromNormal({0.4f, 1, -0.3f});
    plane.position = {0.1f, -0.2f, 0.3f};
    const Shape shapes[] = {plane,
                            boxShape({0.1f, 0.2f, -0.1f}, {0.4f, 0.25f, 0.3f}, tilt),
                            sphereShape({-0.1f, 0, 0.2f}, 0.45f),
                            capsuleShape({0, 0.1f, 0}, 0.25f, 0.4f, tilt),
                            asContainer(boxShape({0.1f, 0.2f, -0.1f}, {0.8f, 0.7f, 0.6f}, tilt)),
                            asContainer(sphereShape({0, 0, 0}, 0.9f)),
                            asContainer(capsuleShape({0, 0, 0}, 0.8f, 0.3f, tilt))};
    for (const Shape& shape : shapes) {
        World world(exec);
        world.parameters.fluid.wallDensity = 0;
        world.parameters.contacts.margin = 1.5f;
        addMaterial(world, dry());
        std::vector<ParticleDef> births;
        for (int i = 0; i < 1200; ++i) {  // so few that the first plan holds their planes
            const Vec3 x = randomVec3(7, i, -0.9f, 0.9f);
            // inside too, but not near the medial axis, where the closest point jumps
            if (distanceFrom(shape, 0, toDouble(x)) > -0.15) births.push_back({.x = x});
        }
        world.addParticles(births);
        world.shapes.push_back(shape);
        const auto found = touches(world);
        const std::vector<Vec4> x = world.particles.x.download();
        const double reach = kRadius * (1 + 1.5);
        int touching = 0;
        for (size_t i = 0; i < x.size(); ++i) {
            const double distance = distanceFrom(shape, 0, toDouble(x[i]));
            const std::string where =
                fmt::format("shape kind {}, container {}, ({}, {}, {})", static_cast<int>(shape.kind),
                            shape.container, x[i].x, x[i].y, x[i].z);
            if (std::abs(distance - reach) < 1e-5) continue;
            ASSERT_EQ(distance < reach, !found[i].empty()) << where;
            if (found[i].empty()) continue;
            ++touching;
            double nearest = 1e9;
            for (const Touch& t : found[i]) {
                ASSERT_NEAR(length(t.normal), 1, 1e-6);
                const double room = dot(t.normal, toDouble(x[i])) - t.offset;
                nearest = std::min(nearest, room);
                // the normal leads away: a small step along it gains as much distance (not so in a
                // container's edges)
                if (!(shape.container && shape.kind == ShapeKind::box)) {
                    ASSERT_NEAR(distanceFrom(shape, 0, toDouble(x[i]) + 1e-3 * t.normal) - distance, 1e-3,
                                2e-5)
                        << where;
                }
            }
            // outside a container box the planes are its faces, nearer than its edges and corners
            if (!(shape.container && shape.kind == ShapeKind::box && distance < 0)) {
                ASSERT_NEAR(nearest, distance - kRadius, 2e-6) << where;
            }
        }
        EXPECT_GT(touching, 50);
    }
}

// ---- friction ----

// One particle at rest on a slope of this angle; gives distance and speed along it.
struct Slid {
    double way, speed;
};
Slid slide(Exec& exec, double angle, float mu, double start, double seconds, int substeps = 2) {
    World world(exec);
    world.parameters.solver.substeps = substeps;
    MaterialProperties m = dry();
    m.staticFriction = m.dynamicFriction = mu;
    addMaterial(world, m);
    const Vec3d n{std::sin(angle), std::cos(angle), 0}, down{std::cos(angle), -std::sin(angle), 0};
    addPlane(world, {0, 0, 0}, {static_cast<float>(n.x()), static_cast<float>(n.y()), 0});
    const Vec3d x = kRadius * n, v = start * down;
    addAt(world, {static_cast<float>(x.x()), static_cast<float>(x.y()), 0},
          {static_cast<float>(v.x()), static_cast<float>(v.y()), 0});
    Solver solver(world);
    stepFrames(solver, static_cast<int>(std::lround(seconds * 60)));
    return {dot(toDouble(positions(world)[0]) - x, down), dot(toDouble(velocities(world)[0]), down)};
}

TEST_P(ShapeContact, ParticlesRestOnlyBelowTheFrictionAngle) {
    for (const double degrees : {3.0, 10.0, 20.0, 30.0, 40.0})
        for (const float mu : {0.1f, 0.3f, 0.5f, 0.7f, 1.0f}) {
            const double angle = degrees * 3.14159265358979 / 180;
            const Slid slid = slide(exec, angle, mu, 0, 0.75);
            if (std::tan(angle) < mu) {
                EXPECT_LT(slid.way, 1e-3) << degrees << " degrees, friction " << mu;
                EXPECT_LT(slid.speed, 1e-3) << degrees << " degrees, friction " << mu;
            } else {
                const double expected = kGravity * (std::sin(angle) - mu * std::cos(angle));
                EXPECT_NEAR(slid.speed / 0.75, expected, 0.05 * expected)
                    << degrees << " degrees, friction " << mu;
            }
        }
}

TEST_P(ShapeContact, SlidingStopsAtCoulombDistance) {
    for (const float mu : {0.2f, 0.4f, 0.7f}) {
        const double expected = 4 / (2 * mu * kGravity);
        const Slid slid = slide(exec, 0, mu, 2, 2);
        EXPECT_NEAR(slid.way, expected, 0.05 * expected) << mu;
        EXPECT_EQ(slid.speed, 0) << mu;
        RecordProperty(fmt::format("stopping_error_percent_mu_{}", mu),
                       fmt::format("{:.2f}", 100 * (slid.way / expected - 1)));
    }
}

TEST_P(ShapeContact, NoDecelerationWithoutFriction) {
    const Slid slid = slide(exec, 0, 0, 2, 1);
    EXPECT_NEAR(slid.speed, 2, 1e-5);
    EXPECT_NEAR(slid.way, 2, 1e-5);
}

TEST_P(ShapeContact, MovingPlaneDragsParticles) {
    World world(exec);
    MaterialProperties m = dry();
    m.staticFriction = m.dynamicFriction = 0.5f;
    addMaterial(world, m);
    addFloor(world).velocity = {1, 0, 0};
    addAt(world, {0, kRadius, 0});
    Solver solver(world);
    stepFrames(solver, 6);  // at 0.1 s: μ g t
    EXPECT_NEAR(velocities(world)[0].x, 0.5 * kGravity * 0.1, 0.05 * 0.5 * kGravity * 0.1);
    stepFrames(solver, 54);
    EXPECT_NEAR(velocities(world)[0].x, 1, 1e-3);
    // and a shape without friction does not
    world.shapes[0].friction = 0;
    setById(world, world.particles.v, 0, Vec4{0, 0, 0, 1});
    stepFrames(solver, 10);
    EXPECT_EQ(velocities(world)[0].x, 0);
}

// ---- restitution ----

TEST_P(ShapeContact, BounceHeightIsTheSquareOfRestitution) {
    for (const float e : {0.5f, 0.8f, 1.0f})
        for (const int substeps : {1, 2, 8}) {
            World world(exec);
            world.parameters.solver.substeps = substeps;
            MaterialProperties m = dry();
            m.restitution = e;
            addMaterial(world, m);
            addFloor(world);
            addAt(world, {0, kRadius + 1, 0});
            Solver solver(world);
            double highest = 0;
            bool bounced = false, fallingAgain = false;
            for (int frame = 0; frame < 120 && !fallingAgain; ++frame) {
                solver.step();
                const double y = positions(world)[0].y - double{kRadius}, vy = velocities(world)[0].y;
                bounced |= vy > 0;
                // the apex between frames: y + v²/2g − v dt/2, for every substep moves at its end speed
                const double dt = 1.0 / 60 / substeps;
                if (bounced && vy > 0)
                    highest = std::max(highest, y + vy * vy / (2 * kGravity) - 0.5 * vy * dt);
                fallingAgain = bounced && vy < 0;
            }
            ASSERT_TRUE(bounced);
            RecordProperty(fmt::format("error_percent_e_{}_substeps_{}", e, substeps),
                           fmt::format("{:.2f}", 100 * (highest / (e * e) - 1)));
            EXPECT_NEAR(highest / (e * e), 1, 0.002) << "restitution " << e << ", substeps " << substeps;
        }
}

TEST_P(ShapeContact, SlowImpactsDoNotBounce) {
    World world(exec);
    MaterialProperties m = dry();
    m.restitution = 0.9f;
    addMaterial(world, m);
    addFloor(world);
    addAt(world, {0, kRadius + 0.001f, 0});  // lands at 0.14 m/s, below contacts.bounceSpeed
    Solver solver(world);
    for (int frame = 0; frame < 30; ++frame) {
        solver.step();
        EXPECT_LT(velocities(world)[0].y, 1e-4f);
    }
    EXPECT_NEAR(positions(world)[0].y, kRadius, 1e-6);
    EXPECT_EQ(velocities(world)[0].y, 0);
}

// ---- what starts inside ----

// Largest upward speed of a particle that starts this deep in a floor, and the height it leaves it to.
struct Left {
    double fastest, height, largestStep;
};
Left leave(Exec& exec, float depth, int rate, int prestabilize, float maxDepenetration, int frames) {
    World world(exec);
    world.parameters.solver.frameRate = static_cast<float>(rate);
    world.parameters.solver.substeps = 1;
    world.parameters.solver.prestabilize = prestabilize;
    MaterialProperties m = dry();
    m.maxDepenetration = maxDepenetration;
    addMaterial(world, m);
    addFloor(world);
    addAt(world, {0, kRadius - depth, 0});
    Solver solver(world);
    Left left{-1e9, 0, 0};
    double before = positions(world)[0].y;
    for (int frame = 0; frame < frames; ++frame) {
        solver.step();
        left.fastest = std::max<double>(left.fastest, velocities(world)[0].y);
        left.height = positions(world)[0].y;
        left.largestStep = std::max(left.largestStep, left.height - before);
        before = left.height;
    }
    return left;
}

TEST_P(ShapeContact, InitialPenetrationIsResolvedWithoutVelocity) {
    for (const int rate : {60, 120, 240, 480})
        for (const float depth : {0.01f, 0.04f, 0.2f}) {
            const Left gentle = leave(exec, depth, rate, 1, 10, rate / 2);
            EXPECT_LT(gentle.fastest, kGravity / rate + 1e-3) << rate << " Hz, depth " << depth;
            EXPECT_NEAR(gentle.height, kRadius, 1e-5) << rate << " Hz, depth " << depth;
        }
    // the control: without it, the depth turns into speed
    const Left thrown = leave(exec, 0.04f, 120, 0, 10, 3);
    EXPECT_GT(thrown.fastest, 1);
}

TEST_P(ShapeContact, DepenetrationRespectsItsSpeedLimit) {
    for (const int prestabilize : {0, 1, 3}) {
        const Left left = leave(exec, 0.5f, 120, prestabilize, 2, 120);
        EXPECT_LE(left.largestStep, 2.0 / 120 * 1.001) << prestabilize;
        EXPECT_GT(left.largestStep, 0.9 * 2.0 / 120) << prestabilize;
        EXPECT_GT(left.height, kRadius - 1e-5) << prestabilize;
    }
}

// ---- several shapes ----

TEST_P(ShapeContact, ParticlesStayInCornersBetweenShapes) {
    World world(exec);
    addMaterial(world, dry());
    world.parameters.solver.maxSpeed = 1000;
    addFloor(world);
    addPlane(world, {-0.3f, 0, 0}, {1, 0.3f, 0});  // leaning back, an obtuse corner
    world.shapes.push_back(boxShape({1.5f, 0.5f, 0}, {0.5f, 0.5f, 1}));
    world.shapes.push_back(sphereShape({0.35f, 0.2f, 1}, 0.2f));  // rests on the floor: an ever narrower gap
    std::vector<ParticleDef> births;
    for (const float speed : {0.5f, 5.0f, 50.0f, 500.0f}) {
        const float z = -0.8f + 0.45f * births.size() / 3;
        births.push_back({.x = {0.3f, 0.4f, z}, .v = {-speed, -speed, 0}});
        births.push_back({.x = {0.5f, 0.3f, z - 6}, .v = {-speed, -speed, 0}});
        births.push_back({.x = {0.7f, 0.4f, z}, .v = {speed, -speed, 0}});
    }
    births.push_back({.x = {0.35f, 0.06f, 2}, .v = {0, 0, -20}});  // into the gap under the sphere
    world.addParticles(births);
    Solver solver(world);
    for (int frame = 0; frame < 60; ++frame) {
        solver.step();
        const std::vector<Vec4> x = positions(world);
        for (size_t i = 0; i < x.size(); ++i)
            for (const Shape& s : world.shapes)
                ASSERT_GT(distanceFrom(s, world.time, toDouble(x[i])) - kRadius, -1e-3 * kSpacing)
                    << "frame " << frame << ", particle " << i << ", shape " << s.name;
    }
}

FOR_EACH_BACKEND(ShapeContact);

}  // namespace
}  // namespace coalesce::test
