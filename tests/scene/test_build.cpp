// The builder: counts, volumes and positions of lattices against analytic values.
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>
#include <set>

#include "core/error.h"
#include "scene/build/build.h"
#include "scene/build/groups.h"
#include "scene/build/overlap_check.h"
#include "scene/format/scene.h"
#include "scene/reader.h"
#include "sim/solver/memory_estimate.h"
#include "sim/solver/solver.h"

namespace coalesce {
namespace {

// A single body.
Scene alone(const Body& body, float spacing) {
    Scene scene;
    scene.materials.push_back({"water", {}});
    scene.materials[0].properties.spacing = spacing;
    scene.bodies.push_back(body);
    return scene;
}
std::vector<Vec3> fillBody(const Body& body, float spacing) {
    const Scene scene = alone(body, spacing);
    return positionsOf(scene, 0, 0, *formOf(scene, body), false);
}
double countBody(const Body& body, float spacing) {
    return coalesce::countBody(alone(body, spacing), body);
}

Scene sceneOf(const std::string& body, const std::string& more = "") {
    return readSceneText(
        R"({"materials": {"water": {"spacing": 0.1}}, "bodies": [{"name": "it", )" + body + "}]" + more + "}",
        "t.json");
}

TEST(Build, BlockHoldsRoundedLayersHalfASpacingFromItsFaces) {
    Body body;
    body.size = {1, 0.5f, 0.26f};
    body.center = {3, 2, 1};
    const std::vector<Vec3> points = fillBody(body, 0.1f);
    EXPECT_EQ(points.size(), 10u * 5u * 3u);
    EXPECT_EQ(countBody(body, 0.1f), 150);
    Vec3 low{1e9f, 1e9f, 1e9f}, high{-1e9f, -1e9f, -1e9f};
    for (const Vec3& p : points) {
        low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
        high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    }
    EXPECT_NEAR(low.x, 2.55, 1e-6);
    EXPECT_NEAR(high.x, 3.45, 1e-6);
    EXPECT_NEAR(low.y, 1.80, 1e-6);
    EXPECT_NEAR(high.y, 2.20, 1e-6);
    EXPECT_NEAR(0.5 * (low.z + high.z), 1.0, 1e-6) << "a length that does not divide stays centered";
    EXPECT_NEAR(high.z - low.z, 0.2, 1e-6);
}

TEST(Build, CopiesFormALattice) {
    const Scene scene = sceneOf(
        R"("block": {"size": [0.1, 0.1, 0.1]}, "center": [1, 2, 3], "copies": {"count": [2, 1, 3], "step": [0.4, 1, 0.2]})");
    ASSERT_EQ(copiesOf(scene.bodies[0]), 6u);
    std::set<std::array<int, 3>> positions;  // [cm]
    for (uint32_t copy = 0; copy < 6; ++copy) {
        const Vec3d center = poseOf(scene, 0, copy).center;
        positions.insert({int(std::lround(100 * center[0])), int(std::lround(100 * center[1])),
                          int(std::lround(100 * center[2]))});
    }
    EXPECT_EQ(positions, (std::set<std::array<int, 3>>{{80, 200, 280},
                                                       {80, 200, 300},
                                                       {80, 200, 320},
                                                       {120, 200, 280},
                                                       {120, 200, 300},
                                                       {120, 200, 320}}));
    EXPECT_EQ(nameOf(scene.bodies[0], 4), "it.4");
}

// A quarter of a circle from +x to +z about the center: even spacing, z axes along the curve.
TEST(Build, CopiesFollowACurveAtEqualDistances) {
    std::string points;
    for (int k = -1; k <= 13; ++k) {
        const double angle = std::numbers::pi * k / 24;
        points += (k > -1 ? ", [" : "[") + std::to_string(std::cos(angle)) + ", 0, " +
                  std::to_string(std::sin(angle)) + "]";
    }
    const Scene scene = sceneOf(
        R"("block": {"size": [0.1, 0.1, 0.1]}, "center": [5, 2, 0], "copies": {"count": [15, 1, 1], "along": [)" +
        points + "]}");
    for (uint32_t copy = 0; copy < 15; ++copy) {
        const BodyPose pose = poseOf(scene, 0, copy);
        const double angle = std::numbers::pi / 24 * (copy - 1.0);
        EXPECT_NEAR(pose.center[0], 5 + std::cos(angle), 2e-3);
        EXPECT_NEAR(pose.center[1], 2, 1e-6);
        EXPECT_NEAR(pose.center[2], std::sin(angle), 2e-3);
        const Vec3d ahead = rotate(pose.rotation, {0, 0, 1}), up = rotate(pose.rotation, {0, 1, 0});
        // the ends of the spline are less smooth
        const double off = copy == 0 || copy == 14 ? 0.07 : 0.03;
        EXPECT_NEAR(ahead[0], -std::sin(angle), off);
        EXPECT_NEAR(ahead[2], std::cos(angle), off);
        EXPECT_NEAR(up[1], 1, 1e-12);
    }
}

TEST(Build, NeighborsInABlockAreOneSpacingApart) {
    Body body;
    body.size = {0.4f, 0.4f, 0.4f};
    const std::vector<Vec3> points = fillBody(body, 0.1f);
    for (size_t i = 0; i < points.size(); ++i) {
        double least = 1e9;
        for (size_t j = 0; j < points.size(); ++j)
            if (i != j) least = std::min(least, double(length(points[i] - points[j])));
        EXPECT_NEAR(least, 0.1, 1e-6);
    }
}

// The distance to the surface belongs to the point with exact x and y: in the first and the last layer along
// x the distance of the point rounded to float differs in the last bits, and not all compilers rounded alike.
TEST(Build, SampleDistancesOfABlockHaveTheSameBitsWithEveryCompiler) {
    Body body;
    body.size = {1.5f, 0.2f, 0.2f};
    Scene scene = alone(body, 0.1f);
    scene.materials[0].properties.kind = MaterialKind::rigid;
    const auto form = formOf(scene, body);
    ASSERT_EQ(form->samples.size(), 60u);
    const double half[] = {0.75, double{0.1f}, double{0.1f}};
    for (size_t i = 0; i < form->samples.size(); ++i) {
        double inside = half[0];
        for (int k = 0; k < 3; ++k) inside = std::min(inside, half[k] - std::abs(form->points[i][k]));
        const bool end = i % 15 == 0 || i % 15 == 14;
        EXPECT_EQ(form->samples[i].distance, end ? -0x1.999994p-5f : -0x1.99999ap-5f) << i;
        EXPECT_EQ(form->samples[i].distance, float(-inside)) << i;
    }
}

TEST(Build, SphereHasItsVolumeAndEveryLatticePointInside) {
    Body body;
    body.kind = Body::Kind::Sphere;
    for (const float d : {0.3f, 0.1f, 0.05f, 0.031f}) {
        body.radius = 1;
        const std::vector<Vec3> points = fillBody(body, d);
        EXPECT_EQ(double(points.size()), countBody(body, d));
        // reference: every point of the lattice, one by one
        size_t inside = 0;
        const int n = int(1 / d) + 2;
        for (int i = -n; i < n; ++i)
            for (int j = -n; j < n; ++j)
                for (int k = -n; k < n; ++k)
                    inside += std::pow((i + 0.5) * d, 2) + std::pow((j + 0.5) * d, 2) +
                                  std::pow((k + 0.5) * d, 2) <=
                              1;
        EXPECT_EQ(points.size(), inside) << d;
        // the surface cuts cells of size d: the volume is off by a fraction of area times d
        const double volume = double(points.size()) * d * d * d;
        EXPECT_NEAR(volume, 4.0 / 3 * std::numbers::pi, 0.12 * 4 * std::numbers::pi * d) << d;
        for (const Vec3& p : points) EXPECT_LE(length(p), 1.0001f);
    }
}

TEST(Build, WorldHasGroupsVelocitiesAndIdsOfTheScene) {
    const Scene scene =
        readSceneText(R"({"materials": {"water": {"spacing": 0.1}, "oil": {"spacing": 0.2, "density": 500}},
        "bodies": [{"name": "a", "material": "water", "block": {"size": [0.2, 0.2, 0.2]}, "velocity": [1, 2, 3]},
                   {"name": "b", "material": "oil", "points": [[5, 5, 5], [6, 5, 5]], "center": [1, 0, 0]}]})",
                      "t.json");
    Exec exec({.backend = "cpu", .threads = 1});
    World world(exec);
    buildWorld(scene, world);
    ASSERT_EQ(world.count(), 10u);
    EXPECT_EQ(countParticles(scene), 10u);
    ASSERT_EQ(world.groups.size(), 2u);
    EXPECT_EQ(world.groups[1].name, "b");
    EXPECT_EQ(world.groups[1].first, 8u);
    EXPECT_EQ(world.groups[1].count, 2u);
    const auto x = world.particles.x.download(), v = world.particles.v.download();
    const auto phase = world.particles.phase.download();
    const auto id = world.particles.id.download();
    std::set<uint32_t> ids(id.begin(), id.end());
    EXPECT_EQ(ids.size(), 10u);
    for (size_t i = 0; i < id.size(); ++i) {
        const bool second = id[i] >= 8;
        EXPECT_EQ(materialOf(phase[i]), second ? 1u : 0u);
        EXPECT_EQ(groupOf(phase[i]), second ? 1u : 0u);
        EXPECT_EQ(v[i].x, second ? 0 : 1);
        if (id[i] == 9) {
            EXPECT_EQ(x[i].x, 7);
        }
    }
}

TEST(Build, JitterIsSeededAndBounded) {
    const std::string body = R"("block": {"size": [0.5, 0.5, 0.5]}, "jitter": 0.2)";
    const auto build = [](const Scene& scene) {
        Exec exec({.backend = "cpu", .threads = 1});
        World world(exec);
        buildWorld(scene, world);
        const auto x = world.particles.x.download();
        const auto id = world.particles.id.download();
        std::vector<Vec3> byId(x.size());
        for (size_t i = 0; i < x.size(); ++i) byId[id[i]] = xyz(x[i]);
        return byId;
    };
    const Scene scene = sceneOf(body);
    Scene other = scene;
    other.seed = 2;
    const auto a = build(scene), b = build(scene), c = build(other),
               lattice = fillBody(scene.bodies[0], 0.1f);
    EXPECT_EQ(a, b);
    EXPECT_NE(a, c);
    double largest = 0, mean = 0;
    for (size_t i = 0; i < a.size(); ++i) {
        const Vec3 shift = a[i] - lattice[i];
        for (const double s : {shift.x, shift.y, shift.z})
            largest = std::max(largest, std::abs(s)), mean += s;
    }
    EXPECT_LE(largest, 0.02 + 1e-6);
    EXPECT_GT(largest, 0.018) << "375 uniform numbers come near the end of their range";
    EXPECT_NEAR(mean / 375, 0, 4 * 0.02 / std::sqrt(3 * 375.0)) << "four standard errors of a uniform mean";
}

TEST(Build, FailsBeforeAllocatingTooMuchMemory) {
    const Scene scene =
        sceneOf(R"("block": {"size": [120, 120, 120]})");  // 1.7e9 particles: exceeds every test machine
    EXPECT_EQ(countParticles(scene), 1728000000u);
    Exec exec({.backend = "cpu", .threads = 1});
    World world(exec);
    const size_t before = exec.peakBytes();
    try {
        buildWorld(scene, world);
        FAIL() << "the builder took the scene";
    } catch (const Error& error) {
        EXPECT_EQ(error.code, Exit::Simulation);
        EXPECT_NE(std::string(error.what()).find("1728000000 particles need about"), std::string::npos)
            << error.what();
    }
    EXPECT_EQ(exec.peakBytes(), before);
    EXPECT_EQ(world.count(), 0u);
}

TEST(Build, DefaultCameraShowsTheWholeScene) {
    const Scene scene = sceneOf(R"("block": {"size": [1, 1, 1]}, "center": [10, 0, 0])");
    const CameraView& view = scene.cameras.at(0);
    EXPECT_EQ(view.look, (Vec3{10, 0, 0}));
    EXPECT_GT(length(view.eye - view.look), 1.0f);
}

TEST(Build, CoincidentParticlesAreCounted) {
    const auto of = [](const std::string& bodies) {
        return coincidences(readSceneText(
            R"({"materials": {"water": {"spacing": 0.1}}, "bodies": [)" + bodies + "]}", "t.json"));
    };
    const std::string block = R"("block": {"size": [0.2, 0.2, 0.2]})";
    EXPECT_TRUE(of("{" + block + "}").empty());
    const auto points =
        of(R"({"name": "p", "points": [[0, 0, 0], [1, 0, 0], [0, 0, 0], [0, 0, 0], [1, 0, 0]]})");
    ASSERT_EQ(points.size(), 1u);
    EXPECT_EQ(points[0].body, 0u);
    EXPECT_EQ(points[0].other, 0u);
    EXPECT_EQ(points[0].count, 3u);
    EXPECT_EQ(points[0].first, (Vec3{0, 0, 0}));
    // the second block shares one layer of 2 x 2 with the first
    const auto blocks =
        of(R"({"name": "a", )" + block + R"(}, {"name": "b", "center": [0.1, 0, 0], )" + block + "}");
    ASSERT_EQ(blocks.size(), 1u);
    EXPECT_EQ(blocks[0].body, 1u);
    EXPECT_EQ(blocks[0].other, 0u);
    EXPECT_EQ(blocks[0].count, 4u);
    EXPECT_TRUE(of(R"({"name": "p", "jitter": 0.1, "points": [[0, 0, 0], [0, 0, 0]]})").empty());
}

TEST(Build, MemoryEstimateMatchesTheSolver) {
    const Scene scene = sceneOf(R"("block": {"size": [2.5, 2.5, 2.5]})");
    Exec exec({.backend = "cpu"});
    World world(exec);
    buildWorld(scene, world);
    Solver solver(world);
    solver.step();
    const double n = double(countParticles(scene));
    ASSERT_EQ(n, 25.0 * 25 * 25);
    const double estimated = double(estimateMemory(scene).total()) / n;
    EXPECT_NEAR(estimated, solver.bytesPerParticle(), 0.15 * solver.bytesPerParticle());
}

TEST(Build, MemoryEstimateIncludesTensionAdhesionAndStrainViscosity) {
    const auto bytes = [](const char* more) {
        const Scene scene = readSceneText(std::string(R"({"materials": {"water": {"spacing": 0.1)") + more +
                                              R"(}, "sand": {"kind": "grains", "spacing": 0.1}},
                              "bodies": [{"name": "it", "material": "water", "block": {"size": [2.5, 2.5, 2.5]}},
                                         {"name": "bed", "material": "sand", "center": [0, -1.5, 0],
                                          "block": {"size": [2.5, 0.5, 2.5]}}]})",
                                          "t.json");
        Exec exec({.backend = "cpu"});
        World world(exec);
        buildWorld(scene, world);
        Solver solver(world);
        solver.step();
        const double n = double(countParticles(scene)), estimated = double(estimateMemory(scene).total()) / n;
        EXPECT_NEAR(estimated, solver.bytesPerParticle(), 0.15 * solver.bytesPerParticle()) << more;
        return estimated;
    };
    const double plain = bytes(""), tense = bytes(R"(, "surfaceTension": 0.1)"),
                 sticky = bytes(R"(, "surfaceTension": 0.1, "adhesion": 0.1)"),
                 viscous = bytes(R"(, "strainViscosity": 0.1)");
    EXPECT_NEAR(viscous - plain, 80, 8);
    EXPECT_GT(tense, plain + 20);
    EXPECT_GT(sticky, tense + 10);
}

// Solid bodies have tables; soft ones have a member for each cluster of each particle.
TEST(Build, MemoryEstimateIncludesBodies) {
    for (const char* material :
         {R"("kind": "rigid")", R"("kind": "soft", "clusterSpacing": 2, "clusterRadius": 4)"}) {
        const Scene scene =
            readSceneText(std::string(R"({"materials": {"stuff": {"spacing": 0.04, )") + material +
                              R"(}}, "bodies": [{"name": "it", "block": {"size": [1, 1, 1]}}]})",
                          "t.json");
        Exec exec({.backend = "cpu"});
        World world(exec);
        buildWorld(scene, world);
        Solver solver(world);
        solver.step();
        const double estimated = double(estimateMemory(scene).total()) / 15625;
        EXPECT_GT(estimated, 0.9 * solver.bytesPerParticle()) << material;
        // clusters at the surface hold fewer
        EXPECT_LT(estimated, 1.6 * solver.bytesPerParticle()) << material;
    }
}

TEST(Build, MemoryEstimateIncludesClothAndRopes) {
    for (const char* text : {R"("kind": "cloth"}}, "bodies": [{"name": "it", "grid": {"size": [5, 0, 5]}}]})",
                             R"("kind": "rope"}}, "bodies": [{"name": "it",
                                "rope": {"points": [[0, 0, 0], [600, 0, 0]]}}]})"}) {
        const Scene scene =
            readSceneText(std::string(R"({"materials": {"stuff": {"spacing": 0.04, )") + text, "t.json");
        Exec exec({.backend = "cpu"});
        World world(exec);
        buildWorld(scene, world);
        Solver solver(world);
        solver.step();
        const double estimated = double(estimateMemory(scene).total()) / double(world.count());
        EXPECT_GT(estimated, 0.85 * solver.bytesPerParticle()) << text;
        EXPECT_LT(estimated, 1.6 * solver.bytesPerParticle()) << text;
    }
}

// Against the grids that are built: equal fields at rest are shared, each one that deforms has its own.
TEST(Build, MemoryEstimateIncludesFields) {
    const auto bytesOf = [](const std::string& shapes) {
        const Scene scene = readSceneText(
            R"({"materials": {"water": {"spacing": 0.1}}, "bodies": [{"name": "it", "material": "water",
                "block": {"size": [1, 1, 1]}}], "shapes": [)" +
                shapes + "]}",
            "t.json");
        Exec exec({.backend = "cpu"});
        World world(exec);
        buildWorld(scene, world);
        std::set<const ShapeGeometry*> grids;
        size_t bytes = 0;
        for (const Shape& shape : world.shapes)
            if (shape.geometry && grids.insert(shape.geometry.get()).second)
                bytes += shape.geometry->volume.distance.size() * sizeof(float) +
                         shape.geometry->motion.size() * sizeof(Vec3);
        const SolverMemory memory = estimateMemory(scene);
        EXPECT_EQ(memory.shapes, bytes) << shapes;
        EXPECT_EQ(memory.total(), memory.state + memory.lists + memory.scratch + memory.shapes);
        return bytes;
    };
    const std::string ball = R"({"name": "a", "sdf": {"shape": "sphere", "cell": 0.05}})",
                      other =
                          R"({"name": "b", "position": [3, 0, 0], "sdf": {"shape": "sphere", "cell": 0.05}})",
                      fish = R"({"name": "c", "sdf": {"shape": "sphere", "cell": 0.05,
                                 "animation": {"wave": {"amplitude": 0.01}}}})";
    EXPECT_EQ(bytesOf(R"({"name": "floor", "plane": {"normal": [0, 1, 0]}})"), 0u);
    const size_t one = bytesOf(ball);
    EXPECT_EQ(one, size_t{27 * 27 * 27 * 4});
    EXPECT_EQ(bytesOf(ball + ", " + other), one);
    EXPECT_EQ(bytesOf(ball + ", " + fish), one + 4 * one);
}

}  // namespace
}  // namespace coalesce
