// Springs, cloth, ropes, balloons. References: statics of chains and catenaries, conservation, geometry in
// double; they share no header with the kernels.
#include <cmath>
#include <gtest/gtest.h>
#include <map>

#include "sim/cloth/distance_constraints.h"
#include "sim/cloth_suite.h"
#include "sim/make_bodies.h"
#include "sim/make_cloth_meshes.h"
#include "sim/same_states.h"
#include "sim/world/body_factory.h"
#include "support/each_backend.h"
#include "support/each_method.h"

namespace coalesce::test {
namespace {

constexpr float kLink = 0.5f;  // [m] of the chains

// Hangs a chain of particles of 10 g from its first one, each link of this compliance, until it rests; gives
// how much longer it is than at rest [m].
double sagOf(Exec& exec, const Setting& setting, SpringOrder order, int links, float compliance,
             Method method = Method::position) {
    World world(exec);
    world.parameters.solver.method = method;
    world.parameters.projective.iterations = setting.iterations;
    MaterialProperties m = rope(kD);
    m.compliance = compliance;
    m.bendStiffness = 0;
    m.damping = 2;
    addMaterial(world, m);
    world.parameters.solver.springs = order;
    world.parameters.solver.frameRate = static_cast<float>(setting.frameRate);
    world.parameters.solver.substeps = setting.substeps;
    world.parameters.solver.iterations = setting.iterations;
    ClothMesh chain = makeRope(straight(links + 1, kLink));
    chain.share.assign(chain.points.size(), 1);
    const float half = std::sqrt(0.5f);
    addCloth(world, chain, 0.01f, 0, {}, {0, 2, 0}, {0, 0, -half, half});  // +x becomes −y
    pin(world, std::vector<uint32_t>{0});
    Solver solver(world);
    stepFrames(solver, static_cast<int>(6 * setting.frameRate));
    return 2 - positions(world).back().y - links * double{kLink};
}

// The k-th link from below carries k particles: the sum of α m g k.
TEST_P(Cloth, CompliantChainSagMatchesStaticsAtEverySetting) {
    constexpr int kLinks = 10;
    constexpr float kCompliance = 0.1f;  // [m/N]
    const double expected = kCompliance * 0.01 * 9.81 * kLinks * (kLinks + 1) / 2;
    for (const SpringOrder order : {SpringOrder::colored, SpringOrder::averaged})
        for (const Setting& s : {Setting{30, 1, 50}, Setting{60, 2, 10}, Setting{60, 8, 2},
                                 Setting{120, 4, 1}, Setting{60, 2, 50}})
            EXPECT_NEAR(sagOf(exec, s, order, kLinks, kCompliance), expected, 0.05 * expected)
                << choiceNames<SpringOrder>()[static_cast<size_t>(order)] << ' ' << s.frameRate << " Hz, "
                << s.substeps << " substeps, " << s.iterations << " iterations";
}

// The same under every method, whatever the iterations from 20 on.
TEST_P(Cloth, CompliantChainSagMatchesStaticsUnderEveryMethod) {
    constexpr int kLinks = 10;
    constexpr float kCompliance = 0.1f;  // [m/N]
    const double expected = kCompliance * 0.01 * 9.81 * kLinks * (kLinks + 1) / 2;
    for (const Method method : kMethods)
        for (const int iterations : {20, 40, 80})
            EXPECT_NEAR(sagOf(exec, {30, 1, iterations}, SpringOrder::colored, kLinks, kCompliance, method),
                        expected, 0.01 * expected)
                << nameOf(method) << ", " << iterations << " iterations";
}

// The control: classic stiffness depends on how often it is applied.
TEST_P(Cloth, ClassicStiffnessChainSagsMoreAtFewIterations) {
    const double few = sagOf(exec, {60, 1, 1}, SpringOrder::colored, 10, 0);
    const double many = sagOf(exec, {60, 8, 20}, SpringOrder::colored, 10, 0);
    EXPECT_GT(few, 3 * many);
}

// y = c cosh(x/c): L = 2 c sinh(s/2c) for a rope of length L between points s apart.
TEST_P(Cloth, HangingRopeIsACatenary) {
    constexpr int kLinks = 60;
    constexpr double kLength = kLinks * double{kD}, kSpan = 2;
    double low = 0.05, high = 50;
    for (int step = 0; step < 100; ++step) {
        const double c = 0.5 * (low + high);
        (2 * c * std::sinh(kSpan / (2 * c)) > kLength ? low : high) = c;
    }
    const double expected = low * (std::cosh(kSpan / (2 * low)) - 1);

    for (const Method method : kMethods) {
        World world(exec);
        MaterialProperties m = rope(kD);
        m.bendStiffness = 0;
        m.damping = 2;
        addMaterial(world, m);
        world.parameters.solver.method = method;
        world.parameters.solver.substeps = 4;
        world.parameters.solver.iterations = 40;
        world.parameters.projective.iterations = 4;
        // a V of the right length, its ends a span apart
        std::vector<Vec3> points;
        const double depth = std::sqrt(kLength * kLength / 4 - kSpan * kSpan / 4);
        for (int k = 0; k <= kLinks; ++k) {
            const double t = 2.0 * k / kLinks - 1;
            points.push_back(
                {static_cast<float>(t * kSpan / 2), static_cast<float>((std::abs(t) - 1) * depth), 0});
        }
        addCloth(world, makeRope(points), 0.1f);
        pin(world, std::vector<uint32_t>{0, kLinks});
        Solver solver(world);
        stepFrames(solver, 480);
        double lowest = 0;
        for (const Vec4& p : positions(world)) lowest = std::min(lowest, double{p.y});
        EXPECT_NEAR(-lowest, expected, 0.01 * expected) << nameOf(method);
    }
}

// All springs once, and no two of a color at a particle that may move.
TEST(Coloring, ConstraintsOfOneColorShareNoParticle) {
    ClothMesh cloth = makeGrid(23, 17, kD);
    const std::vector<ClothEdge> tethers = makeTethers(cloth, std::vector<uint32_t>{0, 22}, 0);
    cloth.links.insert(cloth.links.end(), tethers.begin(), tethers.end());
    std::vector<DistanceConstraint> springs;
    for (const ClothEdge& l : cloth.links)
        springs.push_back({l.a, l.b, l.length, springParamsIndex(0u, l.kind)});
    const Coloring colors = colorSprings(springs, cloth.points.size());
    std::vector<int> seen(springs.size(), 0);
    uint32_t begin = 0;
    for (const uint32_t end : colors.end) {
        std::vector<int> touched(cloth.points.size(), 0);
        for (uint32_t k = begin; k < end; ++k) {
            const DistanceConstraint& s = springs[colors.order[k]];
            ++seen[colors.order[k]];
            EXPECT_EQ(++touched[s.a], 1);
            if (s.params & kTether) continue;
            EXPECT_EQ(++touched[s.b], 1);
        }
        begin = end;
    }
    EXPECT_EQ(begin, springs.size());
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), static_cast<ptrdiff_t>(springs.size()));
    EXPECT_LE(colors.colors, 24u);  // twice what the particle with the most springs needs, about
}

// Three sheets: three islands, unless a spring joins them, or one is large. Constraints of different islands
// share no particle, and each color is complete before the next.
TEST(Coloring, IslandsShareNoParticle) {
    std::vector<DistanceConstraint> springs;
    uint32_t rows = 0;
    const auto add = [&](const ClothMesh& cloth) {
        for (const ClothEdge& l : cloth.links) springs.push_back({rows + l.a, rows + l.b, l.length, 0});
        rows += uint32_t(cloth.points.size());
    };
    add(makeGrid(9, 7, kD)), add(makeGrid(60, 50, kD)), add(makeGrid(5, 5, kD));
    const auto check = [&](size_t islands) {
        const Coloring all = colorSprings(springs, rows);
        ASSERT_EQ(all.firstColor.size(), islands + 1);
        std::vector<int> islandOf(rows, -1);
        uint32_t previous = 0;
        for (size_t island = 0, color = 0, k = 0; color < all.end.size(); ++color) {
            for (; island < islands && color >= all.firstColor[island + 1]; ++island) previous = 0;
            for (; k < all.end[color]; ++k) {
                const DistanceConstraint& s = springs[all.order[k]];
                if (island < islands) {
                    EXPECT_LE(all.end[color] - k, Coloring::kMostOfColor);
                }
                for (const uint32_t row : {s.a, s.b}) {
                    EXPECT_TRUE(islandOf[row] == -1 || islandOf[row] == int(island));
                    islandOf[row] = int(island);
                }
                EXPECT_EQ(all.colorOf[all.order[k]], all.colorOf[all.order[all.end[color] - 1]]);
                EXPECT_GE(all.colorOf[all.order[k]], previous);
                previous = all.colorOf[all.order[k]];
            }
        }
        EXPECT_EQ(all.end.back(), springs.size());
    };
    check(2);
    springs.push_back({3, rows - 1, kD, 0});  // joins the two small ones
    check(1);
    springs.push_back({3, 70, kD, 0});  // and to the large one
    check(0);
}

// From every particle along the links to the nearest anchor: on a grid the octile distance.
TEST(Tethers, LengthIsGeodesicDistanceOnTheCloth) {
    constexpr int kNx = 9, kNz = 7;
    const ClothMesh cloth = makeGrid(kNx, kNz, 1);
    const std::vector<ClothEdge> tethers = makeTethers(cloth, std::vector<uint32_t>{0, kNx - 1}, 0.1f);
    EXPECT_EQ(tethers.size(), cloth.points.size() - 2);
    for (const ClothEdge& t : tethers) {
        const int x = static_cast<int>(t.a) % kNx, z = static_cast<int>(t.a) / kNx;
        const auto octile = [](int a, int b) {
            return std::max(a, b) + (std::sqrt(2.0) - 1) * std::min(a, b);
        };
        EXPECT_NEAR(t.length, 1.1 * std::min(octile(x, z), octile(kNx - 1 - x, z)), 1e-4);
        EXPECT_TRUE(t.b == 0 || t.b == kNx - 1);
    }
}

// A soft sheet that would stretch by far more, with one iteration.
TEST_P(Cloth, NoParticleExceedsItsTether) {
    for (const Method method : kMethods) {
        World world(exec);
        MaterialProperties m = cloth(kD);
        m.stiffness = 0.2f;
        m.tetherStiffness = 1;
        m.damping = 1;
        addMaterial(world, m);
        world.parameters.solver.method = method;
        world.parameters.solver.iterations = 1;
        const ClothMesh cloth = makeGrid(11, 21, kD);
        std::vector<uint32_t> anchors;
        for (uint32_t i = 0; i < 11; ++i) anchors.push_back(i);
        const std::vector<ClothEdge> tethers = makeTethers(cloth, anchors, 0);
        addCloth(world, cloth, 0.3f, 0, tethers);
        pin(world, anchors);
        Solver solver(world);
        double worst = 0, stretched = 0;
        for (int frame = 0; frame < 180; ++frame) {
            solver.step();
            const std::vector<Vec4> x = positions(world);
            const auto stretch = [&](const ClothEdge& e) {
                return length(toDouble(x[e.a]) - toDouble(x[e.b])) / double{e.length} - 1;
            };
            for (const ClothEdge& t : tethers) worst = std::max(worst, stretch(t));
            for (const ClothEdge& l : cloth.links) stretched = std::max(stretched, stretch(l));
        }
        EXPECT_LT(worst, 1e-3) << nameOf(method);
        EXPECT_GT(stretched, 0.08) << nameOf(method) << ": without tethers they would matter";
    }
}

// Where its second end moves freely a tether would pull without being pulled.
TEST_P(Cloth, TethersToReleasedParticlesConserveMomentum) {
    World world(exec);
    MaterialProperties m = cloth(kD);
    m.tetherStiffness = 1;
    m.stiffness = 0.2f;
    addMaterial(world, m);
    world.parameters.world.gravity = {0, 0, 0};
    const ClothMesh cloth = makeGrid(9, 9, kD);
    addCloth(world, cloth, 0.3f, 0, makeTethers(cloth, std::vector<uint32_t>{0, 8}, 0));
    std::vector<Vec4> v = world.particles.v.download();
    for (size_t i = 0; i < v.size(); ++i) v[i] = vec4(randomVec3(5, i, -1, 1), v[i].w);
    world.particles.v.upload(v);
    const Momenta before = momentaOf(world);
    Solver solver(world);
    stepFrames(solver, 30);
    EXPECT_LT(length(momentaOf(world).linear - before.linear), 2e-5 * before.speed);
}

// Nothing acts from outside: momenta stay, whichever way the springs are solved.
TEST_P(Cloth, FreeClothConservesMomentumAndAngularMomentum) {
    for (const SpringOrder order : {SpringOrder::colored, SpringOrder::averaged}) {
        World world(exec);
        addMaterial(world, cloth(kD));
        world.parameters.world.gravity = {0, 0, 0};
        world.parameters.solver.springs = order;
        addCloth(world, makeGrid(12, 9, kD), 0.3f);
        std::vector<Vec4> v = world.particles.v.download();
        for (size_t i = 0; i < v.size(); ++i) v[i] = vec4(randomVec3(7, i, -1, 1), v[i].w);
        world.particles.v.upload(v);
        const Momenta before = momentaOf(world);
        Solver solver(world);
        stepFrames(solver, 60);
        const Momenta after = momentaOf(world);
        EXPECT_LT(length(after.linear - before.linear), 2e-5 * before.speed);
        // forces along where links are in the end, not where they began: to first order in dt
        EXPECT_LT(length(after.angular - before.angular), 2e-3 * before.speed);
        EXPECT_LT(after.speed, 0.9 * before.speed);  // the springs were at work
    }
}

// A rope between two weights that fly apart: what its tension takes from one it gives to the other.
TEST_P(Cloth, TensionOfARopeConservesMomentum) {
    for (const Method method : kMethods) {
        World world(exec);
        MaterialProperties m = rope(kD);
        m.compliance = 1e-3f;
        m.bendStiffness = 0;
        addMaterial(world, m);
        world.parameters.world.gravity = {0, 0, 0};
        world.parameters.solver.method = method;
        ClothMesh line = makeRope(straight(21, kD));
        line.share.assign(line.points.size(), 1);
        line.share.front() = 30, line.share.back() = 10;
        addCloth(world, line, 0.01f, 0, {}, {-0.25f, 0, 0});
        std::vector<Vec4> v = world.particles.v.download();
        v.front() = vec4({-2, 0.3f, 0}, v.front().w), v.back() = vec4({6, 0, 0.6f}, v.back().w);
        world.particles.v.upload(v);
        const Momenta before = momentaOf(world);
        Solver solver(world);
        stepFrames(solver, 60);
        const Momenta after = momentaOf(world);
        EXPECT_LT(length(after.linear - before.linear), 1e-5 * before.speed) << nameOf(method);
        EXPECT_GT(length(toDouble(velocities(world).back()) - toDouble(v.back())), 1)
            << nameOf(method) << ": the rope did not pull";
    }
}

TEST_P(Cloth, RestShapeDoesNotDependOnSolveOrder) {
    std::vector<Vec4> places[2];
    for (const SpringOrder order : {SpringOrder::colored, SpringOrder::averaged}) {
        World world(exec);
        MaterialProperties m = cloth(kD);
        m.compliance = m.shearCompliance = 0.05f;
        m.bendStiffness = 0;
        m.damping = 4;
        addMaterial(world, m);
        world.parameters.solver.springs = order;
        world.parameters.solver.substeps = 4;
        world.parameters.solver.iterations = 40;
        addCloth(world, makeGrid(9, 9, kD), 0.3f);
        pin(world, std::vector<uint32_t>{0, 8, 72, 80});
        Solver solver(world);
        stepFrames(solver, 300);
        places[static_cast<int>(order)] = positions(world);
    }
    for (size_t i = 0; i < places[0].size(); ++i)
        EXPECT_LT(length(toDouble(places[0][i]) - toDouble(places[1][i])), 0.05 * kD);
}

// Anchors are where their shape carries them, and what hangs on them follows.
TEST_P(Cloth, AnchorsFollowTheirShape) {
    for (const Method method : kMethods) {
        SCOPED_TRACE(nameOf(method));
        World world(exec);
        world.parameters.solver.method = method;
        addMaterial(world, rope(kD));
        Shape box;
        box.name = "box";
        box.kind = ShapeKind::box;
        box.halfExtents = {0.1f, 0.1f, 0.1f};
        box.position = {0, 1, 0};
        box.velocity = {0.5f, 0.2f, 0};
        box.angularVelocity = {0, 2, 0};
        world.shapes.push_back(box);
        addCloth(world, makeRope(straight(12, kD)), 0.1f, 0, {}, {0.2f, 1, 0.1f});
        pin(world, std::vector<uint32_t>{0});
        const Anchor anchor{0, 0, {0.2f, 0, 0.1f}};
        world.solids.anchors.append({&anchor, 1});
        Solver solver(world);
        for (int frame = 0; frame < 60; ++frame) {
            solver.step();
            const Pose pose = poseAt(world.shapes[0], world.time);
            const Vec3 expected = rotate(pose.rotation, anchor.localPosition) + pose.position;
            const Vec4 x = positions(world)[0];
            EXPECT_LT(length(toDouble(x) - toDouble(expected)), 1e-5);
        }
        const std::vector<Vec4> x = positions(world);
        for (size_t k = 1; k < x.size(); ++k)
            EXPECT_NEAR(length(toDouble(x[k]) - toDouble(x[k - 1])), kD, 0.1 * kD);
        // friction sees it move
        const Vec3 arm = rotate(poseAt(world.shapes[0], world.time).rotation, anchor.localPosition);
        const Vec3 expected = box.velocity + cross(box.angularVelocity, arm);
        EXPECT_LT(length(toDouble(velocities(world)[0]) - toDouble(expected)), 0.02);
    }
}

// What hangs on a shape pulls at it with all of its weight, where it hangs: a chain, and a rigid plate of
// which a spring holds a single particle.
TEST_P(Cloth, ShapeLoadEqualsWeightOfAttachedCloth) {
    struct Case {
        Method method;
        SpringOrder order = SpringOrder::colored;
    };
    for (const bool loaded : {false, true})
        for (const auto& [method, order] : {Case{Method::position},
                                            {Method::position, SpringOrder::averaged},
                                            {Method::projective},
                                            {Method::velocity}}) {
            SCOPED_TRACE(nameOf(method));
            World world(exec);
            world.parameters.solver.method = method;
            MaterialProperties m = rope(kD);
            m.compliance = 1e-3f;
            m.damping = 4;
            addMaterial(world, m);
            MaterialProperties plate = solid(MaterialKind::rigid, kD);
            plate.damping = 4;
            addMaterial(world, plate);
            world.parameters.solver.springs = order;
            world.parameters.solver.iterations = 20;
            Shape box;
            box.name = "box";
            box.kind = ShapeKind::box;
            box.halfExtents = {0.1f, 0.1f, 0.1f};
            box.position = {0, 2, 0};
            world.shapes.push_back(box);
            ClothMesh chain = makeRope(straight(11, kD));
            chain.share.assign(chain.points.size(), 1);
            const float half = std::sqrt(0.5f);
            addCloth(world, chain, 0.01f, 0, {}, {0.3f, 2, 0}, {0, 0, -half, half});
            pin(world, std::vector<uint32_t>{0});
            const Anchor anchor{0, 0, {0.3f, 0, 0}};
            world.solids.anchors.append({&anchor, 1});
            double mass = 10 * 0.01;
            if (loaded) {
                const float gap = 0.08f;
                addBody(world, {.position = {0.3f, 2 - 10 * kD - gap, 0},
                                .ny = 1,
                                .material = 1,
                                .distances = false,
                                .particleMass = 0.02f});
                mass += 9 * 0.02;
                const DistanceConstraint spring{10, 11 + 4, gap,
                                                springParamsIndex(0, ClothEdgeKind::stretch)};
                addSprings(world, {&spring, 1});
            }
            Solver solver(world);
            stepFrames(solver, 240);
            // drag bears a share as well
            for (Material& material : world.materials) material.properties.damping = 0;
            stepFrames(solver, 120);
            const Vec3 force = world.shapeReports[0].force, torque = world.shapeReports[0].torque;
            const double weight = mass * 9.81;
            EXPECT_NEAR(force.y, -weight, 0.03 * weight) << loaded;
            EXPECT_NEAR(force.x, 0, 0.03 * weight) << loaded;
            EXPECT_NEAR(torque.z, -0.3 * weight, 0.03 * 0.3 * weight) << loaded;
        }
}

// ---- balloons ----

double volumeNow(const World& world, const ClothMesh& cloth) {
    const std::vector<Vec4> x = placesByRow(world);
    double sum = 0;
    for (const Triangle& t : cloth.triangles)
        sum += dot(toDouble(x[t[0]]), cross(toDouble(x[t[1]]), toDouble(x[t[2]]))) / 6;
    return sum;
}

TEST_P(Cloth, BalloonReachesTheVolumeOfItsPressure) {
    for (const auto& [method, pressure] : {std::pair{Method::position, 0.6f},
                                           {Method::position, 1.0f},
                                           {Method::position, 1.8f},
                                           {Method::projective, 0.6f},
                                           {Method::projective, 1.8f},
                                           {Method::velocity, 0.6f},
                                           {Method::velocity, 1.8f}}) {
        World world(exec);
        world.parameters.solver.method = method;
        MaterialProperties m = cloth(kD);
        m.pressure = pressure;
        m.stiffness = 0.3f;
        m.damping = 1;
        addMaterial(world, m);
        world.parameters.world.gravity = {0, 0, 0};
        const ClothMesh cloth = closedBox(6, kD);
        addCloth(world, cloth, 0.3f, 0, {}, {3, 1, -2});
        ASSERT_EQ(world.solids.volumeConstraints.size(), 1u);
        const double rest = std::pow(6 * double{kD}, 3);
        Solver solver(world);
        stepFrames(solver, 120);
        EXPECT_NEAR(volumeNow(world, cloth) / rest, pressure, 0.01 * pressure) << nameOf(method);
        // no net force: it stays where it is
        Vec3d sum;
        const std::vector<Vec4> v = velocities(world), x = positions(world);
        double mass = 0;
        for (size_t i = 0; i < v.size(); ++i)
            sum = sum + 1 / double{x[i].w} * toDouble(v[i]), mass += 1 / double{x[i].w};
        EXPECT_LT(length(sum) / mass, 1e-4) << nameOf(method);
    }
}

TEST_P(Cloth, OpenMeshesHaveNoVolumeConstraint) {
    World world(exec);
    addMaterial(world, cloth(kD));
    addCloth(world, makeGrid(5, 5, kD), 0.3f);
    EXPECT_EQ(world.solids.volumeConstraints.size(), 0u);
}

FOR_EACH_BACKEND(Cloth);

// A sheet that tears, a balloon, and a box that bends by angles.
TEST(ClothDeterminism, BitwiseEqualAcrossBackends) {
    for (const SpringOrder order : {SpringOrder::colored, SpringOrder::averaged})
        expectSameStatesOnEveryMachine(40, [&](World& world) {
            MaterialProperties m = cloth(kD);
            m.tearStrain = 0.15f;
            addMaterial(world, m);
            m.tearStrain = 0;
            m.pressure = 1.5f;
            addMaterial(world, m);
            m.bending = Bending::dihedral;
            addMaterial(world, m);
            addFloor(world);
            world.parameters.solver.springs = order;
            addCloth(world, makeGrid(20, 20, kD), 0.3f, 0, {}, {0, 0.4f, 0});
            addCloth(world, closedBox(5, kD), 0.3f, 1, {}, {1, 0.3f, 0});
            addCloth(world, closedBox(5, kD), 0.3f, 2, {}, {-1, 0.3f, 0});
            EXPECT_EQ(world.solids.volumeConstraints.size(), 2u);
            pin(world, std::vector<uint32_t>{0, 19});
        });
}

}  // namespace
}  // namespace coalesce::test
