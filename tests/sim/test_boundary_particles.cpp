// Boundary particles: samples against the surfaces that they stand for, φ against that of a filled half
// space, and loads against hydrostatics.
#include <cmath>
#include <gtest/gtest.h>

#include "geometry/query/hull.h"
#include "sim/reference_shapes.h"
#include "sim/same_states.h"
#include "sim/stage/shape_surface.h"
#include "sim/state/state_image.h"
#include "support/each_backend.h"

namespace coalesce::test {
namespace {

constexpr double kGravity = 9.81;

class BoundaryParticles : public EachBackend {};

// ---- samples ----

std::vector<Shape> oneOfEachKind() {
    std::vector<Shape> shapes{boxShape({0, 0, 0}, {0.5f, 0.3f, 0.2f}), sphereShape({0, 0, 0}, 0.4f),
                              capsuleShape({0, 0, 0}, 0.2f, 0.4f)};
    shapes.push_back(asContainer(shapes[0]));
    std::vector<Vec3> corners;
    for (uint64_t i = 0; i < 60; ++i) corners.push_back(normalizeOr(randomVec3(4, i, -1, 1), {0, 1, 0}));
    shapes.push_back(formShape("hull", ShapeKind::convex, convexGeometry(convexHull(corners, 64)), {},
                               {0.6f, 0.4f, 0.4f}));
    shapes.push_back(formShape("ball", ShapeKind::mesh, meshGeometry(ballMesh(12, 0.4f))));
    shapes.push_back(formShape("ring", ShapeKind::sdf, fieldOf({0.5f, 0.25f, 0.5f}, 0.02f, [](Vec3d p) {
                                   return torusReference(0.35, 0.12, p);
                               })));
    return shapes;
}

// Points of the surface: random points around it, moved along the distance's gradient.
std::vector<Vec3d> pointsOnSurface(const Shape& shape) {
    std::vector<Vec3d> points;
    for (uint64_t i = 0; i < 600; ++i) {
        Vec3d p = toDouble(randomVec3(3, i, -0.7f, 0.7f));
        for (int step = 0; step < 20; ++step) {
            const double e = 1e-5, at = distanceFrom(shape, 0, p);
            const Vec3d gradient{distanceFrom(shape, 0, p + Vec3d{e, 0, 0}) - at,
                                 distanceFrom(shape, 0, p + Vec3d{0, e, 0}) - at,
                                 distanceFrom(shape, 0, p + Vec3d{0, 0, e}) - at};
            p = p - at * normalizeOr(gradient, {0, 1, 0});
        }
        if (std::abs(distanceFrom(shape, 0, p)) < 2e-3) points.push_back(p);
    }
    return points;
}

TEST(BoundarySamples, KeepTheirDistanceAndLeaveNoHoles) {
    const float apart = 0.04f;
    for (const Shape& shape : oneOfEachKind()) {
        const std::vector<Vec3> samples = sampleShape(shape, apart);
        ASSERT_GT(samples.size(), 50u) << shape.name;
        EXPECT_EQ(samples, sampleShape(shape, apart)) << shape.name << ": not reproducible";
        double closest = 1e30, farthest = 0, off = 0;
        for (size_t i = 0; i < samples.size(); ++i) {
            off = std::max(off, std::abs(distanceFrom(shape, 0, toDouble(samples[i]))));
            for (size_t j = 0; j < i; ++j)
                closest = std::min(closest, double{length(samples[i] - samples[j])});
        }
        const std::vector<Vec3d> points = pointsOnSurface(shape);
        ASSERT_GT(points.size(), 100u) << shape.name;
        for (const Vec3d& p : points) {
            double nearest = 1e30;
            for (const Vec3& s : samples) nearest = std::min(nearest, length(toDouble(s) - p));
            farthest = std::max(farthest, nearest);
        }
        EXPECT_GT(closest, 0.999 * apart) << shape.name;
        EXPECT_LT(farthest, 1.5 * apart) << shape.name << ": a hole";
        // the field is a grid of 0.02 m
        EXPECT_LT(off, shape.kind == ShapeKind::sdf ? 2e-3 : 1e-5) << shape.name;
    }
}

TEST(BoundarySamples, PlanesAndTriggersHaveNone) {
    Shape plane, trigger = sphereShape({0, 0, 0}, 1);
    trigger.trigger = true;
    EXPECT_FALSE(isSampled(plane));
    EXPECT_FALSE(isSampled(trigger));
    EXPECT_TRUE(isSampled(sphereShape({0, 0, 0}, 1)));
}

TEST(BoundarySamples, HugeSurfacesAreRefused) {
    Shape box = boxShape({0, 0, 0}, {100, 100, 100});
    box.name = "sea";
    try {
        sampleShape(box, 0.01f);
        FAIL() << "accepted";
    } catch (const Error& error) {
        EXPECT_EQ(error.code, Exit::Scene);
        EXPECT_NE(std::string(error.what()).find("shapes.sea"), std::string::npos);
    }
}

// ---- φ at a wall ----

// ∇φ_wall, φ_wall of the particles of a world after one frame, in the order of ids.
std::vector<Vec4> wallsOf(World& world) {
    Solver solver(world);
    solver.step();
    const StateImage image = solver.captureArrays();
    for (const StateArray& array : image.find("solver")->arrays) {
        if (array.name != "wall") continue;
        Buffer<Vec4> walls(world.exec);
        std::vector<Vec4> host(array.count);
        std::memcpy(host.data(), array.bytes.data(), array.bytes.size());
        walls.upload(host);
        return byId(world, walls);
    }
    return {};
}

// Water at rest without gravity: one iteration moves single particles by nothing.
void prepare(World& world, FluidBoundary boundary) {
    world.parameters.world.gravity = {0, 0, 0};
    world.parameters.solver.substeps = 1;
    world.parameters.solver.iterations = 1;
    world.parameters.fluid.boundary = boundary;
    addMaterial(world, water(0.1f));
}

// Single particles in contact with a wall, too far apart to see each other; away: distance of their centers.
void addRow(World& world, float away) {
    for (int i = 0; i < 40; ++i) {
        const Vec3 at = randomVec3(9, uint64_t(i), -0.05f, 0.05f);
        addAt(world, {-1.4f + 0.4f * float(i % 8) + at.x, away, -0.8f + 0.4f * float(i / 8) + at.z});
    }
}

struct Statistics {
    double mean = 0, deviation = 0;
};
Statistics statisticsOf(const std::vector<Vec4>& walls) {
    Statistics s;
    for (const Vec4& w : walls) s.mean += double{w.w} / double(walls.size());
    for (const Vec4& w : walls) s.deviation += (w.w - s.mean) * (w.w - s.mean) / double(walls.size());
    s.deviation = std::sqrt(s.deviation);
    return s;
}

TEST_P(BoundaryParticles, FillAFlatWallLikeTheHalfSpaceBehindIt) {
    double phi[2];
    for (const FluidBoundary boundary : {FluidBoundary::wallTerm, FluidBoundary::particles}) {
        World world(exec);
        prepare(world, boundary);
        world.shapes.push_back(boxShape({0, -0.3f, 0}, {1.8f, 0.3f, 1.2f}));
        addRow(world, 0.05f);
        const std::vector<Vec4> walls = wallsOf(world);
        ASSERT_EQ(walls.size(), world.count());
        const Statistics s = statisticsOf(walls);
        phi[int(boundary)] = s.mean;
        // the mean gradient points into the wall
        Vec3d gradient;
        for (const Vec4& w : walls) gradient = gradient + (1.0 / double(walls.size())) * Vec3d{w.x, w.y, w.z};
        EXPECT_LT(gradient.y(), 0);
        EXPECT_LT(std::hypot(gradient.x(), gradient.z()), 0.03 * -gradient.y());
        EXPECT_LT(s.deviation, 0.06 * s.mean);
        RecordProperty(boundary == FluidBoundary::particles ? "particles" : "wallTerm",
                       fmt::format("{:.4f} ± {:.4f}", s.mean, s.deviation));
    }
    // what is missing of the φ of a lattice flush with the wall; 2 % of it are 0.003 of φ
    EXPECT_NEAR(phi[1], phi[0], 0.02 * phi[0]);
    EXPECT_GT(phi[0], 0.1);
}

// The volume of the layer: Σ V_b W over the sites of a lattice
// flush with the wall fills what the lattice leaves.
TEST_P(BoundaryParticles, MakeALatticeAtAWallFull) {
    World world(exec);
    prepare(world, FluidBoundary::particles);
    world.shapes.push_back(boxShape({0, -0.3f, 0}, {1.8f, 0.3f, 1.2f}));
    const float d = 0.1f;
    addBlock(world, {.low = {-0.6f, 0, -0.6f}, .nx = 12, .ny = 6, .nz = 12});
    const std::vector<Vec4> walls = wallsOf(world);
    const double volume = materialConstants(world.materials[0].properties, false).volume, h = 2 * d;
    double mean = 0;
    int counted = 0;
    for (int x = 3; x < 9; ++x)
        for (int z = 3; z < 9; ++z) {
            double phi = 0;
            for (int i = -2; i <= 2; ++i)
                for (int j = 0; j <= 2; ++j)
                    for (int k = -2; k <= 2; ++k) {
                        const double r = d * std::sqrt(double(i * i + j * j + k * k));
                        if (r < h)
                            phi += volume * 15 / (3.14159265358979 * std::pow(h, 6)) * std::pow(h - r, 3);
                    }
            mean += phi + walls[size_t(x + 12 * (0 + 6 * z))].w;
            ++counted;
        }
    EXPECT_NEAR(mean / counted, 1, 0.01);
}

TEST_P(BoundaryParticles, DoNotDependOnThePoseOfAShape) {
    std::vector<double> phi;
    for (const bool turned : {false, true}) {
        World world(exec);
        prepare(world, FluidBoundary::particles);
        const Quat q = turned ? quatFromEuler(0.4, -0.9, 2.0) : Quat{};
        const Vec3 center = turned ? Vec3{3, -2, 1} : Vec3{0, 0, 0};
        world.shapes.push_back(capsuleShape(center, 0.4f, 0.5f, q));
        for (int i = 0; i < 8; ++i)
            addAt(world, center + rotate(q, {0.45f, -0.6f + 0.17f * float(i), 0.01f}));
        for (const Vec4& w : wallsOf(world)) phi.push_back(w.w);
    }
    ASSERT_EQ(phi.size(), 16u);
    for (size_t i = 0; i < 8; ++i) {
        EXPECT_GT(phi[i], 0.05);
        EXPECT_NEAR(phi[i], phi[i + 8], 1e-4);
    }
}

// Two shapes with one surface, and a shape on a plane, fill the space behind it once.
TEST_P(BoundaryParticles, CountSurfacesThatCoincideOnce) {
    std::vector<double> phi;
    for (const char* walls : {"box", "two boxes", "box in plane", "halves"}) {
        World world(exec);
        prepare(world, FluidBoundary::particles);
        const std::string kind = walls;
        if (kind == "halves") {
            world.shapes.push_back(boxShape({-0.9f, -0.3f, 0}, {0.9f, 0.3f, 1.2f}));
            world.shapes.push_back(boxShape({0.9f, -0.3f, 0}, {0.9f, 0.3f, 1.2f}));
        } else {
            world.shapes.push_back(boxShape({0, -0.3f, 0}, {1.8f, 0.3f, 1.2f}));
        }
        if (kind == "two boxes") world.shapes.push_back(boxShape({0.01f, -0.4f, 0}, {1.8f, 0.4f, 1.2f}));
        if (kind == "box in plane") addFloor(world);
        addRow(world, 0.05f);
        phi.push_back(statisticsOf(wallsOf(world)).mean);
    }
    // the sums of a denser layer are closer to integrals
    EXPECT_NEAR(phi[1], phi[0], 0.06 * phi[0]);
    EXPECT_NEAR(phi[2], phi[0], 0.03 * phi[0]);
    EXPECT_NEAR(phi[3], phi[0], 0.06 * phi[0]);
}

// ---- forces ----

struct Rest {
    double load = 0, lift = 0, weight = 0;  // [N] on the tank (downwards), on the box (upwards), of the water
};

// A tank of water at rest, with a box under water that is six spacings wide.
Rest restOf(Exec& exec, Method method) {
    World world(exec);
    world.parameters.solver.method = method;
    world.parameters.solver.substeps = 4;
    world.parameters.solver.iterations = 8;
    world.parameters.fluid.boundary = FluidBoundary::particles;
    const float d = 0.05f;
    MaterialProperties m = water(d);
    m.viscosity = 0.2f;
    m.damping = 2;
    addMaterial(world, m);
    world.shapes.push_back(asContainer(boxShape({0, 20 * d, 0}, {6 * d, 20 * d, 6 * d})));
    world.shapes.push_back(boxShape({0, 6 * d, 0}, {3 * d, 3 * d, 3 * d}));
    for (int z = 0; z < 12; ++z)
        for (int y = 0; y < 12; ++y)
            for (int x = 0; x < 12; ++x) {
                const Vec3 at = d * Vec3{float(x) - 5.5f, float(y) + 0.5f, float(z) - 5.5f};
                if (distanceFrom(world.shapes[1], 0, toDouble(at)) > 0) addAt(world, at);
            }
    Solver solver(world);
    stepFrames(solver, 50);
    world.materials[0].properties.damping = 0;  // it would bear a part of the weight itself
    stepFrames(solver, 20);
    Rest rest{.weight = kGravity * double(world.count()) * particleMass(world.materials[0].properties)};
    for (int f = 0; f < 30; ++f) {
        solver.step();
        rest.load -= world.shapeReports[0].force.y / 30;
        rest.lift += world.shapeReports[1].force.y / 30;
    }
    return rest;
}

TEST_P(BoundaryParticles, BearTheWeightOfWaterAndLiftABox) {
    const double archimedes = kGravity * 1000 * 0.3 * 0.3 * 0.3;
    for (const Method method : {Method::position, Method::projective, Method::velocity}) {
        const Rest rest = restOf(exec, method);
        const std::string_view name = choiceNames<Method>()[size_t(method)];
        EXPECT_NEAR(rest.load, rest.weight + rest.lift, 0.01 * rest.weight) << name;
        // water settles a little before the surface that it touches: 0.15 d are 5 % of the width
        EXPECT_GT(rest.lift, archimedes) << name;
        EXPECT_LT(rest.lift, 1.16 * archimedes) << name;
        RecordProperty("lift_over_archimedes_" + std::string(name),
                       fmt::format("{:.4f}", rest.lift / archimedes));
        RecordProperty("load_over_weight_" + std::string(name),
                       fmt::format("{:.4f}", rest.load / (rest.weight + rest.lift)));
    }
}

// What a moving paddle gives the water it takes from it.
TEST_P(BoundaryParticles, GiveAMovingShapeTheOppositeMomentum) {
    for (const Method method : {Method::position, Method::projective, Method::velocity}) {
        World world(exec);
        world.parameters.world.gravity = {0, 0, 0};
        world.parameters.solver.method = method;
        world.parameters.fluid.boundary = FluidBoundary::particles;
        addMaterial(world, water(0.05f));
        addBlock(world, {.low = {0, -0.2f, -0.2f}, .nx = 8, .ny = 8, .nz = 8});
        Shape paddle = boxShape({-0.15f, 0, 0}, {0.1f, 0.15f, 0.15f}, quatFromEuler(0.2, 0.1, 0.3));
        paddle.velocity = {0.5f, 0, 0};
        paddle.angularVelocity = {0, 1, 0};
        world.shapes.push_back(paddle);
        Solver solver(world);
        const double mass = particleMass(world.materials[0].properties);
        const std::vector<Vec4> before = velocities(world);
        Vec3d lost;
        for (int f = 0; f < 20; ++f) {
            solver.step();
            lost = lost + (1.0 / 60) * toDouble(world.shapeReports[0].force);
        }
        const std::vector<Vec4> after = velocities(world);
        Vec3d gained;
        for (size_t i = 0; i < after.size(); ++i)
            gained = gained + mass * (toDouble(after[i]) - toDouble(before[i]));
        ASSERT_GT(gained.x(), 0.5);
        EXPECT_LT(length(gained + lost), 2e-3 * length(gained)) << choiceNames<Method>()[size_t(method)];
    }
}

TEST(BoundarySamples, SameBitsOnEveryMachine) {
    expectSameStatesOnEveryMachine(20, [](World& world) {
        world.parameters.fluid.boundary = FluidBoundary::particles;
        addMaterial(world, water(0.05f));
        world.shapes.push_back(asContainer(boxShape({0, 0.5f, 0}, {0.25f, 0.5f, 0.25f})));
        Shape ball = sphereShape({0, 0.2f, 0}, 0.1f);
        ball.velocity = {0.1f, 0.1f, 0};
        world.shapes.push_back(ball);
        addBlock(world, {.low = {-0.25f, 0.3f, -0.25f}, .nx = 10, .ny = 6, .nz = 10});
    });
}

FOR_EACH_BACKEND(BoundaryParticles);

}  // namespace
}  // namespace coalesce::test
