// Nothing gets into or through a shape, however fast either moves. Reference: signed distances in double, at
// the end of every frame and along the way between frames, seen from the shape.
#include <cmath>
#include <gtest/gtest.h>

#include "geometry/shapes/distance_volume.h"
#include "geometry/shapes/solid.h"
#include "sim/reference_shapes.h"
#include "support/each_backend.h"

namespace coalesce::test {
namespace {

constexpr float kSpacing = 0.1f, kRadius = 0.05f;

// The least distance on the straight way from a to b, seen from the shape.
double deepestOnWay(const Shape& s, Vec3d a, Vec3d b) {
    if (s.kind == ShapeKind::convex) return deepestInHull(s, a, b);
    double deepest = 1;
    for (int k = 0; k <= 100; ++k) deepest = std::min(deepest, distanceInShape(s, a + k / 100.0 * (b - a)));
    return deepest;
}

class Tunneling : public EachBackend {
protected:
    // Runs `frames` frames of one substep of 1/60 s and checks every particle after each.
    void expectNoneInside(World& world, int frames, const std::string& what) {
        world.parameters.solver.substeps = 1;
        world.parameters.solver.maxSpeed = 1e5f;
        Solver solver(world);
        std::vector<Vec4> before = positions(world);
        for (int frame = 0; frame < frames; ++frame) {
            const double start = world.time;
            solver.step();
            const std::vector<Vec4> now = positions(world);
            for (size_t i = 0; i < now.size(); ++i)
                for (const Shape& s : world.shapes) {
                    // seen from the shape, which moves too
                    const Vec3d a = inShape(poseAt(s, start), toDouble(before[i]));
                    const Vec3d b = inShape(poseAt(s, world.time), toDouble(now[i]));
                    // between the nodes of a field the distance bends: cell² / 8 times the curvatures' sum
                    const double slack = (s.kind == ShapeKind::sdf ? 1e-2 : 1e-3) * kSpacing;
                    ASSERT_GT(distanceInShape(s, b) - kRadius, -slack)
                        << what << ": particle " << i << " is inside " << s.name << " after frame " << frame;
                    if (s.kind == ShapeKind::mesh) {
                        ASSERT_FALSE(crosses(s, a, b)) << what << ": particle " << i << " passed through "
                                                       << s.name << " in frame " << frame;
                        continue;
                    }
                    ASSERT_GT(deepestOnWay(s, a, b), -slack)
                        << what << ": particle " << i << " passed through " << s.name << " in frame "
                        << frame;
                }
            before = now;
        }
    }
    // Particles around `center`, all flying at it with this speed; far enough apart not to meet before they
    // arrive.
    void addVolley(World& world, Vec3 center, float distance, float speed, int count = 60) {
        std::vector<ParticleDef> births;
        for (int i = 0; i < count; ++i) {
            const Quat q = randomRotation(21, i);
            const Vec3 direction = rotate(q, {0, 1, 0}), aside = rotate(q, {0.3f * randomUnit(22, i), 0, 0});
            births.push_back({.x = center + distance * direction + aside, .v = -speed * direction});
        }
        world.addParticles(births);
    }
    // A volley at a shape that stands in the middle, until it has arrived and for a quarter of a second more.
    void expectItStopsAVolley(const Shape& s, float speed) {
        World world(exec);
        world.parameters.world.gravity = {0, 0, 0};
        addMaterial(world, water(kSpacing));
        world.shapes.push_back(s);
        addVolley(world, {0, 0, 0}, 1.5f, speed);
        const int arrival = static_cast<int>(1.5f / speed * 60);
        expectNoneInside(world, std::min(arrival + 15, 70), fmt::format("{} at {} m/s", s.name, speed));
    }
    // A shape flies from the left through particles at rest, the first of them at x = left.
    void expectItPushesParticles(Shape s, float speed, float left) {
        s.position = {-1.2f, 0, 0};
        s.velocity = {speed, 0, 0};
        World world(exec);
        world.parameters.world.gravity = {0, 0, 0};
        addMaterial(world, water(kSpacing));
        std::vector<ParticleDef> births;
        for (int i = 0; i < 60; ++i)
            births.push_back(
                {.x = {0.22f * (i % 5) + left, 0.22f * (i / 5 % 4) - 0.33f, 0.22f * (i / 20) - 0.22f}});
        world.addParticles(births);
        world.shapes.push_back(s);
        const int crossing = static_cast<int>(2.5f / speed * 60);
        expectNoneInside(world, std::min(crossing + 5, 60),
                         fmt::format("moving {} at {} m/s", s.name, speed));
    }
};

// one of each kind with a form of its own, and thin ones
std::vector<Shape> forms() {
    const Quat tilt = quatFromEuler(0.5, 0.2, -0.9);
    const auto bumps = [](float u, float v) {
        return Vec3{1.2f * u - 0.6f, 0.05f * std::sin(9 * u) * std::cos(7 * v), 1.2f * v - 0.6f};
    };
    return {
        formShape("polytope", ShapeKind::convex, polytope(20, 3), tilt, {0.3f, 0.2f, 0.35f}),
        formShape("thin hull", ShapeKind::convex, boxHull({0.6f, 0.01f, 0.6f}), tilt),
        formShape("field torus", ShapeKind::sdf,
                  fieldOf({0.65f, 0.25f, 0.65f}, 0.02f, [](Vec3d p) { return torusReference(0.4, 0.12, p); }),
                  tilt),
        formShape("mesh ball", ShapeKind::mesh, meshGeometry(ballMesh(12, 1)), tilt, {0.3f, 0.2f, 0.4f}),
        formShape("mesh box", ShapeKind::mesh, meshGeometry(boxMesh({0.3f, 0.2f, 0.4f})), tilt),
        formShape("mesh sheet", ShapeKind::mesh, meshGeometry(clothMesh(10, bumps)), tilt)};
}

// [m/s] half a radius to a hundred of them in a substep, and 50 m/s
const float kSpeeds[] = {0.5f * kRadius * 60, 1 * kRadius * 60,   2 * kRadius * 60,
                         10 * kRadius * 60,   100 * kRadius * 60, 50};

// The reference itself: a way through a thin hull that begins and ends outside, one beside it, one along a
// slope, and random ways against many points of them.
TEST(TunnelingReference, DetectsAPathThroughAHull) {
    const Shape thin = formShape("thin hull", ShapeKind::convex, boxHull({0.6f, 0.01f, 0.6f}));
    EXPECT_NEAR(deepestOnWay(thin, {0.1, 9, 0.2}, {0.1, -1, 0.2}), -0.01, 1e-9);
    EXPECT_NEAR(deepestOnWay(thin, {0.1, 1, 0.2}, {0.1, 0.004, 0.2}), -0.006, 1e-9);
    EXPECT_EQ(deepestOnWay(thin, {0.61, 9, 0.2}, {0.61, -1, 0.2}), 1);
    EXPECT_EQ(deepestOnWay(thin, {0.1, 9, 0.2}, {0.1, 0.02, 0.2}), 1);
    const Shape form =
        formShape("polytope", ShapeKind::convex, polytope(20, 3), Quat{}, Vec3{0.3f, 0.2f, 0.35f});
    int through = 0;
    for (uint64_t k = 0; k < 50; ++k) {
        const Vec3d a = toDouble(randomVec3(51, k, -0.6f, 0.6f)),
                    b = toDouble(randomVec3(52, k, -0.6f, 0.6f));
        double deepest = 1e30;
        for (int m = 0; m <= 2000; ++m)
            deepest = std::min(deepest, distanceInShape(form, a + m / 2000.0 * (b - a)));
        if (deepest > 0) {
            EXPECT_EQ(deepestOnWay(form, a, b), 1) << k;
        } else {
            ++through;
            // half a step of the points: the way is up to 2 m long
            EXPECT_NEAR(deepestOnWay(form, a, b), deepest, 6e-4) << k;
        }
    }
    EXPECT_GT(through, 10);
}

TEST_P(Tunneling, FastParticlesStayOutsideSolids) {
    const Quat tilt = quatFromEuler(0.5, 0.2, -0.9);
    const Shape solids[] = {
        sphereShape({0, 0, 0}, 0.3f), capsuleShape({0, 0, 0}, 0.1f, 0.4f, tilt),
        boxShape({0, 0, 0}, {0.3f, 0.2f, 0.4f}, tilt),
        boxShape({0, 0, 0}, {0.6f, 0.01f, 0.6f}, tilt),    // a sheet of 2 cm, thinner than a radius
        boxShape({0, 0, 0}, {0.01f, 0.6f, 0.01f}, tilt)};  // a rod
    for (const Shape& solid : solids)
        for (const float speed : kSpeeds) {
            expectItStopsAVolley(solid, speed);
            if (HasFatalFailure()) return;
        }
}

TEST_P(Tunneling, FastParticlesStayOutsideDistanceVolumes) {
    for (const Shape& form : forms())
        for (const float speed : kSpeeds) {
            expectItStopsAVolley(form, speed);
            if (HasFatalFailure()) return;
        }
}

TEST_P(Tunneling, MovingDistanceVolumesPushParticles) {
    for (const float speed : kSpeeds)
        for (Shape form : forms()) {
            form.angularVelocity = {0, 1, 0.5f};
            expectItPushesParticles(form, speed, -0.1f);
            if (HasFatalFailure()) return;
        }
}

TEST_P(Tunneling, FastParticlesStayAboveAPlane) {
    for (const float speed : kSpeeds) {
        World world(exec);
        addMaterial(world, water(kSpacing));
        addPlane(world, {0, 0, 0}, {0.2f, 1, 0.1f});
        std::vector<ParticleDef> births;
        for (int i = 0; i < 40; ++i) {
            Vec3 v = randomVec3(31, i, -1, 1);
            v.y = -std::abs(v.y) - 0.2f;
            births.push_back({.x = {0.4f * i - 8, 3 + 0.03f * i, 0}, .v = speed / length(v) * v});
        }
        world.addParticles(births);
        expectNoneInside(world, 40, fmt::format("plane at {} m/s", speed));
    }
}

TEST_P(Tunneling, FastParticlesStayInsideContainers) {
    const Quat tilt = quatFromEuler(-0.4, 0.8, 0.3);
    const Shape containers[] = {asContainer(boxShape({0, 0, 0}, {0.5f, 0.4f, 0.3f}, tilt)),
                                asContainer(sphereShape({0, 0, 0}, 0.5f)),
                                asContainer(capsuleShape({0, 0, 0}, 0.4f, 0.3f, tilt))};
    for (const Shape& container : containers)
        for (const float speed : kSpeeds) {
            World world(exec);
            addMaterial(world, water(kSpacing));
            world.shapes.push_back(container);
            std::vector<ParticleDef> births;
            // from the center to all sides, straight into edges and corners too
            for (int k = 0; k < 27; ++k) {
                const Vec3 direction{k % 3 - 1.0f, k / 3 % 3 - 1.0f, k / 9 - 1.0f};
                if (k == 13) continue;
                const Vec3 local{0.5f * direction.x, 0.4f * direction.y, 0.3f * direction.z};
                births.push_back(
                    {.x = rotate(tilt, 0.3f * local), .v = speed / length(local) * rotate(tilt, local)});
            }
            world.addParticles(births);
            expectNoneInside(world, 30, fmt::format("container {} at {} m/s", container.name, speed));
        }
}

TEST_P(Tunneling, MovingShapesPushParticles) {
    const Quat tilt = quatFromEuler(0.1, 0.2, 0.3);
    for (const float speed : kSpeeds)
        for (const Shape& s :
             {sphereShape({0, 0, 0}, 0.3f), capsuleShape({0, 0, 0}, 0.1f, 0.4f, tilt),
              boxShape({0, 0, 0}, {0.3f, 0.2f, 0.4f}, tilt), boxShape({0, 0, 0}, {0.01f, 0.6f, 0.6f})}) {
            expectItPushesParticles(s, speed, -0.4f);
            if (HasFatalFailure()) return;
        }
}

TEST_P(Tunneling, RotatingShapesPushParticles) {
    // a paddle thinner than a radius, 60 cm long; its tip does up to 0.3 m in a substep
    for (const float rate : {1.0f, 5.0f, 15.0f, 30.0f}) {
        World world(exec);
        world.parameters.world.gravity = {0, 0, 0};
        addMaterial(world, water(kSpacing));
        Shape paddle = boxShape({0, 0, 0}, {0.6f, 0.02f, 0.3f});
        paddle.angularVelocity = {0, 0, rate};
        world.shapes.push_back(paddle);
        std::vector<ParticleDef> births;
        for (int i = 0; i < 24; ++i) {
            const float angle = 0.5f + 2.2f * static_cast<float>(i % 8) / 8,
                        r = 0.2f + 0.05f * static_cast<float>(i % 3);
            births.push_back(
                {.x = {r * std::cos(angle), r * std::sin(angle), 0.2f * static_cast<float>(i / 8) - 0.2f}});
        }
        world.addParticles(births);
        expectNoneInside(world, 60, fmt::format("paddle at {} rad/s", rate));
    }
}

TEST_P(Tunneling, ShakenContainerKeepsAllParticles) {
    World world(exec);
    addMaterial(world, water(kSpacing));
    Shape cup = asContainer(boxShape({0, 0, 0}, {0.5f, 0.5f, 0.5f}));
    // a new random pose every second frame: half a meter and half a turn in 1/30 s
    for (int k = 0; k < 40; ++k)
        cup.keys.push_back(
            {.t = k / 30.0, .position = randomVec3(41, k, -0.5f, 0.5f), .rotation = randomRotation(42, k)});
    cup.keys[0] = {.t = 0, .position = {0, 0, 0}, .rotation = {}};
    world.shapes.push_back(cup);
    addBlock(world, {.low = {-0.4f, -0.5f, -0.4f}, .nx = 8, .ny = 5, .nz = 8});
    expectNoneInside(world, 75, "shaken cup");
}

// In the creases where its walls meet, and where their curvature changes, the gradient between the nodes of a
// field may look along a path that leaves.
TEST_P(Tunneling, NoLeaksAtCreasesOfADistanceField) {
    constexpr float kSmall = 0.03f, kCell = 0.005f;
    SolidSpec glass{.shape = "hourglass", .height = 1.2f};
    glass.numbers = {{"neck", 0.15}, {"wall", 0.02}};
    const std::shared_ptr<const Solid> solid = makeSolid(glass);
    // from where they touch it from within to beyond it; found among millions of random ways
    const Vec3 ways[][2] = {{{0.263906f, 0.555659f, -0.222087f}, {0.371764f, 0.602316f, -0.132992f}},
                            {{0.208987f, -0.560919f, 0.267917f}, {0.125732f, -0.573361f, 0.352466f}},
                            {{-0.244729f, -0.549813f, -0.243165f}, {-0.461779f, -0.612234f, -0.00276276f}},
                            {{-0.298363f, 0.560489f, -0.167066f}, {-0.132873f, 0.600203f, -0.522813f}},
                            {{-0.158931f, -0.555685f, 0.306205f}, {-0.391707f, -0.596754f, 0.188949f}},
                            {{0.27199f, 0.491641f, -0.212227f}, {0.444485f, 0.64228f, -0.0356344f}},
                            {{-0.282637f, 0.558499f, -0.196879f}, {-0.162852f, 0.583523f, -0.355834f}}};
    World world(exec);
    world.parameters.world.gravity = {0, 0, 0};
    world.parameters.solver.substeps = 1;
    world.parameters.solver.maxSpeed = 1e5f;
    addMaterial(world, water(kSmall));
    Shape shape;
    shape.name = "glass", shape.kind = ShapeKind::sdf;
    shape.geometry = fieldGeometry(bakeVolume(*solid, kCell, 3 * kCell), {});
    world.shapes.push_back(shape);
    std::vector<ParticleDef> births;
    for (const auto& [from, to] : ways) births.push_back({.x = from, .v = 60.0f * (to - from)});
    world.addParticles(births);
    const std::vector<Vec4> before = positions(world);
    Solver(world).step();
    const std::vector<Vec4> now = positions(world);
    for (size_t i = 0; i < now.size(); ++i) {
        const Vec3 from = xyz(before[i]), to = xyz(now[i]);
        EXPECT_GT(solid->distance(to), 0.45f * kSmall) << "particle " << i << " is in the wall";
        for (int k = 0; k <= 100; ++k)
            ASSERT_GT(solid->distance(from + k / 100.0f * (to - from)), 0)
                << "particle " << i << " went through the wall";
    }
}

// ---- too little room ----

// Wide and flat; the upper and the lower face are at ± half.
struct Plate {
    Shape shape;
    float half;  // [m]
};
Plate plateOf(ShapeKind kind) {
    constexpr float kThin = 0.05f * kRadius, kCell = 0.02f;
    switch (kind) {
        case ShapeKind::mesh: {
            const auto at = [](float u, float v) { return Vec3{2 * u - 1, 0, 2 * v - 1}; };
            return {formShape("sheet", kind, meshGeometry(clothMesh(2, at))), 0};
        }
        case ShapeKind::sdf: {
            const auto distance = [](Vec3d p) { return std::abs(p.y()) - kCell; };
            return {formShape("field", kind, fieldOf({1, 3 * kCell, 1}, kCell, distance)), kCell};
        }
        case ShapeKind::convex:
            return {formShape("hull", kind, boxHull({1, kThin, 1})), kThin};
        default:
            return {boxShape({0, 0, 0}, {1, kThin, 1}), kThin};
    }
}

// Particles between two plates that close down to a tenth of a radius and open again: how many leave.
int leavePress(Exec& exec, ShapeKind lowKind, ShapeKind highKind, bool reversed, int prestabilize,
               float maxDepenetration, uint32_t collisionMask = kAllCollisionBits) {
    constexpr float kOpen = 2.2f * kRadius, kShut = 0.1f * kRadius;
    World world(exec);
    world.parameters.solver.substeps = 2;
    world.parameters.solver.prestabilize = prestabilize;
    MaterialProperties m = water(kSpacing);
    m.viscosity = 0, m.maxDepenetration = maxDepenetration;
    addMaterial(world, m);
    auto [low, lowHalf] = plateOf(lowKind);
    auto [high, highHalf] = plateOf(highKind);
    low.position = {0, -lowHalf, 0};
    high.keys = {{.t = 0.05, .position = {0, kOpen + highHalf, 0}},
                 {.t = 0.15, .position = {0, kShut + highHalf, 0}},
                 {.t = 0.3, .position = {0, kShut + highHalf, 0}},
                 {.t = 0.4, .position = {0, kOpen + highHalf, 0}}};
    low.collisionMask = high.collisionMask = collisionMask;
    world.shapes = {low, high};
    if (reversed) std::swap(world.shapes[0], world.shapes[1]);
    for (int i = 0; i < 5; ++i) addAt(world, {0.3f * float(i) - 0.6f, kRadius * (1 + 0.05f * float(i)), 0});
    Solver solver(world);
    std::vector<bool> left(world.count());
    for (int frame = 0; frame < 36; ++frame) {
        solver.step();
        const std::vector<Vec4> x = positions(world);
        for (size_t i = 0; i < x.size(); ++i)
            if (x[i].y < 0 || x[i].y > poseAt(high, world.time).position.y - highHalf) left[i] = true;
    }
    return int(std::count(left.begin(), left.end(), true));
}

TEST_P(Tunneling, ParticlesStayBetweenPlatesThatClose) {
    const ShapeKind kinds[] = {ShapeKind::mesh, ShapeKind::sdf, ShapeKind::convex, ShapeKind::box};
    for (const ShapeKind low : kinds)
        for (const ShapeKind high : kinds)
            for (const bool reversed : {false, true})
                for (const int prestabilize : {0, 1, 3})
                    for (const float speed : {0.001f, 1.0f, 10.0f})
                        EXPECT_EQ(leavePress(exec, low, high, reversed, prestabilize, speed), 0)
                            << plateOf(low).shape.name << " below, " << plateOf(high).shape.name
                            << " above, reversed " << reversed << ", prestabilize " << prestabilize << ", "
                            << speed << " m/s";
    // the control: plates that do not collide
    EXPECT_EQ(leavePress(exec, ShapeKind::mesh, ShapeKind::mesh, false, 1, 10, 0), 5);
}

// Particles in a random wedge of two sheets, at a fiftieth of a radius to a radius from both, at rest or flying
// into it: how many pass a sheet.
int leaveWedge(Exec& exec, uint64_t seed, uint32_t collisionMask = kAllCollisionBits) {
    constexpr float kHeight = 1, kHalfLength = 2;  // [m]
    auto random = [&, k = uint64_t(0)]() mutable { return randomUnit(seed, k++); };
    World world(exec);
    world.parameters.solver.substeps = 1 + int(2 * random());
    world.parameters.solver.prestabilize = int(3 * random());
    MaterialProperties m = water(kSpacing);
    m.viscosity = 0, m.maxDepenetration = std::pow(10.0f, 4 * random() - 3);
    addMaterial(world, m);
    // the edge is the z axis of its frame
    const float half = (1 + 29 * random()) * 3.14159265f / 180, s = std::sin(half), c = std::cos(half);
    const Pose pose{randomVec3(seed, 1001, -2, 2), randomRotation(seed, 1002)};
    const bool apart = random() < 0.5f;
    const auto sheet = [&](float side) {
        TriangleMesh mesh;
        const float x = side * s * kHeight, y = c * kHeight;
        mesh.vertices = {
            {0, 0, -kHalfLength}, {0, 0, kHalfLength}, {x, y, -kHalfLength}, {x, y, kHalfLength}};
        mesh.triangles = {{0, 1, 3}, {0, 3, 2}};
        return mesh;
    };
    TriangleMesh right = sheet(1), left = sheet(-1);
    if (!apart) {
        right.triangles.insert(right.triangles.end(), {{0, 5, 1}, {0, 4, 5}});
        right.vertices.insert(right.vertices.end(), {left.vertices[2], left.vertices[3]});
    }
    world.shapes.push_back(formShape("right", ShapeKind::mesh, meshGeometry(right), pose.rotation));
    if (apart) world.shapes.push_back(formShape("left", ShapeKind::mesh, meshGeometry(left), pose.rotation));
    for (Shape& shape : world.shapes) shape.position = pose.position, shape.collisionMask = collisionMask;
    const float speed = random() < 0.3f ? 0 : std::pow(10.0f, 2 * random() - 1);
    for (int i = 0; i < 8; ++i) {
        const float room = kRadius * std::pow(50.0f, -random()), y = std::min(room / s, 0.5f * kHeight);
        const Vec3 at{(2 * random() - 1) * std::max(y * s - room, 0.0f) / c, y, 0.4f * float(i) - 1.4f},
            v{speed * (random() - 0.5f), -speed, 0};
        addAt(world, rotate(pose.rotation, at) + pose.position, rotate(pose.rotation, v));
    }
    Solver solver(world);
    std::vector<bool> passed(world.count());
    std::vector<bool> free(world.count());  // has left through the open side
    for (int frame = 0; frame < 30; ++frame) {
        solver.step();
        const std::vector<Vec4> x = positions(world);
        for (size_t i = 0; i < x.size(); ++i) {
            const Vec3d p = inShape(pose, toDouble(x[i]));
            free[i] = free[i] || p.y() > 0.9 * kHeight * c || std::abs(p.z()) > 0.95 * kHalfLength;
            if (!free[i] && c * std::abs(p.x()) > s * p.y()) passed[i] = true;
        }
    }
    return int(std::count(passed.begin(), passed.end(), true));
}

TEST_P(Tunneling, ParticlesDeepInAWedgeStayInIt) {
    int without = 0;  // the control: sheets that do not collide
    for (uint64_t seed = 1; seed <= 200; ++seed) {
        EXPECT_EQ(leaveWedge(exec, seed), 0) << "wedge " << seed;
        if (seed <= 10) without += leaveWedge(exec, seed, 0);
    }
    EXPECT_GT(without, 60);
}

FOR_EACH_BACKEND(Tunneling);

}  // namespace
}  // namespace coalesce::test
