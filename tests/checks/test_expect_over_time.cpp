// The checks of `expect` on a world that changes: times, shapes in motion, later bodies, rest shapes.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "checks/expect.h"
#include "scene/build/build.h"
#include "scene/format/scene.h"
#include "scene/reader.h"
#include "scene/timeline/timeline.h"

namespace coalesce {
namespace {

TEST(Expectations, KindsOverAWholeWindowHaveOneValue) {
    const Scene scene = readSceneText(
        R"({"materials": {"stone": {"kind": "rigid", "spacing": 0.1}},
        "bodies": [{"name": "a", "material": "stone", "points": [[0, 0, 0]]}, {"material": "stone", "points": [[1, 0, 0]]}],
        "duration": 4, "expect": {"acceleration": {"from": 1, "to": 2, "direction": [1, 0, 0], "group": "a",
            "expected": 2, "tolerance": 0.01}}})",
        "t.json");
    Exec exec({.backend = "cpu", .threads = 1});
    World world(exec);
    buildWorld(scene, world);
    Expectations e(scene);
    for (int frame = 0; frame <= 180; ++frame) {
        const float t = float(frame) / 60;
        auto x = world.particles.x.download();
        const auto phase = world.particles.phase.download();
        for (size_t i = 0; i < x.size(); ++i)  // at rest until 1 s and after 2 s
            if (groupOf(phase[i]) == 0) x[i].x = t < 1 ? 0 : t > 2 ? 1 : (t - 1) * (t - 1);
        world.particles.x.upload(x);
        world.time = t;
        e.observe(world, {});
    }
    const CheckResult r = e.results().back();
    EXPECT_TRUE(r.passed()) << r.text;
    EXPECT_NEAR(*r.measured, 2, 1e-3);
}

// The test moves particles, the timeline shapes and gravity.
TEST(Expectations, ShapesAndGravityHaveTheValuesOfTheirTime) {
    const Scene scene = readSceneText(
        R"({"materials": {"sand": {"kind": "grains", "spacing": 0.1}}, "world": {"gravity": [0, -10, 0]},
        "bodies": [{"points": [[0, 5, 0]]}],
        "shapes": [{"name": "ball", "sphere": {"radius": 0.5}}, {"name": "hull", "convex": {"shape": "cube", "height": 1}, "position": [3.2, 5, 0]}],
        "timeline": [{"at": 1, "set": "shapes.ball.position", "to": [0, 4.52, 0]},
            {"at": 1, "until": 1.2, "set": "shapes.hull.position", "from": [3.2, 5, 0], "to": [-2.8, 5, 0]},
            {"at": 1, "set": "world.gravity", "to": [0, 10, 0]}],
        "duration": 2, "bounds": {"min": [-10, -10, -10], "max": [10, 10, 10]},
        "expect": {"before": {"check": "overlap", "other": "ball", "at": 0.9, "max": 0},
            "separated": {"other": "ball", "at": 1.1, "max": 0},
            "passed": {"max": 0},
            "kept": {"check": "energy", "at": 1.9, "max": 1},
            "lowest": {"check": "energy", "since": "lowest", "at": 1.9, "max": 1},
            "gained": {"check": "energy", "max": 1}}})",
        "t.json");
    Exec exec({.backend = "cpu", .threads = 1});
    World world(exec);
    buildWorld(scene, world);
    Timeline timeline(scene);
    Expectations e(scene);
    e.observe(world, {});
    for (int frame = 0; frame < 120; ++frame) {
        timeline.advance(world);
        world.time += 1.0 / 60;
        // from 1 s on it falls upwards; at the end it is faster than that
        const float t = std::max(0.0f, float(world.time) - 1);
        world.particles.x.upload({{{0, 5 + 5 * t * t, 0, 1}}});
        world.particles.v.upload({{{0, 10 * t + (frame == 119 ? 1 : 0), 0, 0}}});
        e.observe(world, {});
    }
    const auto measured = [&](const std::string& name) {
        for (const CheckResult& r : e.results())
            if (r.check == name) return r.measured.value_or(-1);
        return -1.0;
    };
    EXPECT_EQ(measured("before"), 0);
    // the ball reaches up to 5.02 m, the particle's own down to 5.05 - 0.05 m
    EXPECT_NEAR(measured("separated"), 0.2, 1e-3);
    EXPECT_EQ(measured("passed"), 1) << "the hull comes by";
    EXPECT_NEAR(measured("kept"), 0, 1e-3);
    EXPECT_NEAR(measured("lowest"), 0, 1e-3);
    // (11^2 - 10^2) / 2 J more than gravity gives, of 15 m above the floor under the first gravity
    EXPECT_NEAR(measured("gained"), 100 * 10.5 / 150, 1e-3);
}

TEST(Expectations, WettedIsTheShareOfASubmergedSurfaceWithLiquidNearIt) {
    const Scene scene = readSceneText(
        R"({"materials": {"water": {"spacing": 0.1}}, "bodies": [{"block": {"min": [0, 0, 0], "max": [1, 1, 1]}}],
        "shapes": [{"name": "cube", "convex": {"shape": "cube", "height": 0.4}, "position": [0.5, 0.5, 0.5]}],
        "expect": {"wetted": {"shape": "cube", "distance": 1.6, "min": 0.95, "always": true}}})",
        "t.json");
    Exec exec({.backend = "cpu", .threads = 1});
    // water up to a height around the cube, with a gap at its side x = 0.7 m below y = 0.8 m
    const auto share = [&](double gap, double height, size_t drops = 0) {
        World world(exec);
        buildWorld(scene, world);
        auto x = world.particles.x.download();
        for (Vec4& p : x) {
            const double r[] = {p.x - 0.5, p.y - 0.5, p.z - 0.5};
            const bool inside = std::max({std::abs(r[0]), std::abs(r[1]), std::abs(r[2])}) < 0.2;
            const bool beside = r[0] > 0.2 && r[0] < 0.2 + gap && r[1] < 0.3;
            if (p.y > height || inside || beside) p = {50, 0, 0, p.w};  // elsewhere
        }
        for (size_t drop = 0; drop < drops; ++drop) x[x.size() - 1 - drop] = {0.5, 0.75, 0.5, x[0].w};
        world.particles.x.upload(x);
        Expectations e(scene);
        for (int frame = 0; frame < 2; ++frame) e.observe(world, {});
        return e.results().back().measured;
    };
    EXPECT_DOUBLE_EQ(share(0, 1).value(), 1);
    EXPECT_DOUBLE_EQ(share(0.1, 1).value(), 1) << "the nearest liquid is 1.5 d away";
    EXPECT_NEAR(share(0.2, 1).value(), 5.0 / 6, 1e-6) << "2.5 d: this side is dry";
    EXPECT_DOUBLE_EQ(share(0, 0.7).value(), 1) << "only the lower halves of the sides are submerged";
    EXPECT_NEAR(share(0.2, 0.7).value(), 5.0 / 6, 1e-6) << "the column over the dry side is empty";
    EXPECT_FALSE(share(0, 0.2)) << "nothing is submerged";
    EXPECT_FALSE(share(0, 0.2, 1)) << "a drop lies on the cube";
}

// In the frame of a shape the path of a particle is straight in each substep, not in each frame.
TEST(Expectations, PathsMayBendAroundASurfaceBetweenTwoSubsteps) {
    const auto passed = [](int substeps, Vec3 from, Vec3 to) {
        const Scene scene = readSceneText(
            R"({"materials": {"sand": {"kind": "grains", "spacing": 0.02}}, "bodies": [{"points": [[0, 5, 0]]}],
            "solver": {"substeps": )" +
                std::to_string(substeps) + R"(}, "shapes": [{"convex": {"shape": "cube", "height": 1}}],
            "expect": {"passed": {"max": 0, "always": true}}})",
            "t.json");
        Exec exec({.backend = "cpu", .threads = 1});
        World world(exec);
        buildWorld(scene, world);
        Expectations e(scene);
        for (const Vec3 x : {from, to}) {
            world.particles.x.upload({{vec4(x, 1.0f)}});
            e.observe(world, {});
        }
        return e.results().back().measured.value_or(-1);
    };
    // past an edge of the cube: the bend must be 9 %, then 33 %, of the length away from the segment
    const Vec3 near[] = {{0.57f, 0.4f, 0}, {0.4f, 0.57f, 0}}, far[] = {{0.52f, 0.4f, 0}, {0.4f, 0.52f, 0}};
    EXPECT_EQ(passed(2, near[0], near[1]), 0);
    EXPECT_EQ(passed(1, near[0], near[1]), 1);
    EXPECT_EQ(passed(2, far[0], far[1]), 1);
    // into the cube, and through it
    EXPECT_EQ(passed(2, {0, 0.52f, 0}, {0, 0.48f, 0}), 1);
    EXPECT_EQ(passed(2, {0.6f, 0.1f, 0}, {-0.6f, 0.2f, 0}), 1);
}

TEST(Expectations, PoseComparesWithTheRestShapeNotTheDisturbedStart) {
    const auto measured = [](const char* body) {
        const Scene scene =
            readSceneText(std::string(R"({"materials": {"stone": {"kind": "rigid", "spacing": 0.1}},
                "bodies": [{"block": {"size": [0.5, 0.5, 0.5]}, "center": [1, 2, 3], "rotation": [10, 20, 30])") +
                              body + R"(}], "expect": {"pose": {"at": 0, "max": 1}}})",
                          "t.json");
        Exec exec({.backend = "cpu", .threads = 1});
        World world(exec);
        buildWorld(scene, world);
        Expectations e(scene);
        e.observe(world, {});
        return *e.results().back().measured;
    };
    EXPECT_LT(measured(""), 1e-5);
    // uniform in ±0.3 d on each axis: an RMS of 0.3 d, minus the six fitted unknowns of 375
    EXPECT_NEAR(measured(R"(, "jitter": 0.3)"), 0.3 * std::sqrt(1 - 6 / 375.0), 0.02);
    // stretched by 1.2 along x: the layers at −2 … 2 d are off by 0.2 of that, an RMS of 0.2 √2
    EXPECT_NEAR(measured(R"(, "deform": [1.2, 1, 1])"), 0.2 * std::sqrt(2), 1e-4);
}

}  // namespace
}  // namespace coalesce
