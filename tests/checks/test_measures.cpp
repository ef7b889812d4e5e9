// The checks of bodies, heaps and shapes against analytic values, on particles placed by the test. Those of motion:
// test_measures_motion.cpp; of cloth: test_measures_cloth.cpp.
#include "checks/measure_suite.h"
#include "checks/shape_distance.h"

namespace coalesce::test {
namespace {

TEST(ShapeDistance, OfEachKindOutsideAndInside) {
    const auto at = [](const std::string& shape, Vec3d p, double time = 0) {
        const Scene scene = readSceneText(
            R"({"materials": {"w": {}}, "bodies": [{"points": [[0, 0, 0]]}], "shapes": [{)" + shape + "}]}",
            "t.json");
        return ShapeDistance(scene.shapes[0], time)(p);
    };
    EXPECT_NEAR(at(R"("plane": {"normal": [0, 1, 0], "offset": 2})", {7, 2.5, 1}), 0.5, 1e-6);
    EXPECT_NEAR(at(R"("box": {"size": [2, 4, 2]}, "position": [1, 0, 0])", {5, 0, 0}), 3, 1e-6);
    EXPECT_NEAR(at(R"("box": {"size": [2, 2, 2]})", {4, 5, 0}), 5, 1e-6) << "an edge: 3, 4, 5";
    EXPECT_NEAR(at(R"("box": {"size": [2, 2, 2]})", {0.25, 0, 0}), -0.75, 1e-6);
    EXPECT_NEAR(at(R"("box": {"size": [2, 2, 2]}, "container": true)", {0.25, 0, 0}), 0.75, 1e-6);
    EXPECT_NEAR(at(R"("box": {"size": [2, 6, 2]}, "rotation": [0, 0, 90])", {4, 0, 0}), 1, 1e-6);
    EXPECT_NEAR(at(R"("sphere": {"radius": 1})", {0, 3, 0}), 2, 1e-6);
    EXPECT_NEAR(at(R"("capsule": {"radius": 1, "length": 4})", {0, 5, 0}), 2, 1e-6);
    EXPECT_NEAR(at(R"("capsule": {"radius": 1, "length": 4})", {3, 1, 0}), 2, 1e-6);
    EXPECT_NEAR(at(R"("sphere": {"radius": 1}, "velocity": [1, 0, 0])", {5, 0, 0}, 2), 2, 1e-6)
        << "where the shape is at that time";
}

TEST(Measure, PoseIsTheResidualOfTheBestRigidTransform) {
    Cloud start;
    start.lattice({0, 0, 0}, 3, 3, 3, kStone, 0);
    start.lattice({1, 0, 0}, 3, 3, 3, kStone, 1);
    Cloud now = start;
    moveGroup(now, 0, turn({1, 1, 0}, 77), {0.15, 0.15, 0.15}, {3, 0, 0});
    moveGroup(now, 1, turn({0, 1, 1}, -30), {0, 0, 0}, {0, 2, 0});
    EXPECT_LT(value(R"("pose": {"max": 1})", now, start), 1e-9);
    // pulling the middle layer of b along by 0.03 bends it: the fit takes the mean, 0.01, and no rotation
    now = start;
    for (size_t i = 27; i < 54; ++i)
        if ((i - 27) / 9 == 1) now.x[i][0] += 0.03;
    EXPECT_NEAR(value(R"("pose": {"max": 1, "statistic": "max"})", now, start), 0.02 / d, 1e-6);
    EXPECT_NEAR(value(R"("pose": {"max": 1})", now, start),
                std::sqrt((0.02 * 0.02 + 2 * 0.01 * 0.01) / 3) / d, 1e-6);
    EXPECT_LT(value(R"("pose": {"max": 1, "group": "a"})", now, start), 1e-9) << "the worst body is b";
}

TEST(Measure, PoseWithoutAGroupIsThatOfBodies) {
    Cloud start;
    start.lattice({0, 0, 0}, 3, 3, 3, kStone, 0);
    for (const uint32_t loose : {kWater, kSand}) start.lattice({2, 0, 0}, 3, 3, 3, loose, 1 + loose);
    // liquid and sand flow apart, the body stays as it is
    Cloud now = start;
    for (size_t i = 27; i < now.x.size(); ++i) now.x[i] = 3 * now.x[i][1] * now.x[i];
    EXPECT_LT(value(R"("pose": {"max": 1})", now, start), 1e-9);
    EXPECT_LT(value(R"("tilt": {"max": 1})", now, start), 1e-6);
    now.x[13][0] += 0.03;
    EXPECT_GT(value(R"("pose": {"max": 1})", now, start), 0.01) << "the body counts";
    Cloud water;
    water.lattice({2, 0, 0}, 3, 3, 3, kWater, 2);
    EXPECT_FALSE(Watch(R"("pose": {"max": 1})", water)(water)) << "nothing to judge is not a passed check";
}

TEST(Measure, TiltAndRotation) {
    Cloud start;
    start.lattice({0, 0, 0}, 3, 3, 3, kStone, 0);
    start.lattice({1, 0, 0}, 3, 3, 3, kStone, 1);
    Cloud now = start;
    moveGroup(now, 0, turn({0, 0, 1}, 25), {0, 0, 0}, {1, 0, 0});
    moveGroup(now, 1, turn({0, 1, 0}, 60), {0, 0, 0}, {0, 0, 0});
    EXPECT_NEAR(value(R"("tilt": {"max": 1})", now, start), 25, 1e-5) << "turning about y tilts nothing";
    EXPECT_NEAR(value(R"("tilt": {"max": 1, "statistic": "mean"})", now, start), 12.5, 1e-5);
    EXPECT_NEAR(value(R"("tilt": {"max": 1, "axis": "x"})", now, start), 60, 1e-5);
    EXPECT_NEAR(value(R"("rotation": {"max": 1})", now, start), 60, 1e-5);
    EXPECT_NEAR(value(R"("rotation": {"max": 1, "statistic": "min"})", now, start), 25, 1e-5);
    // full turns are counted when every frame is seen
    Watch run(R"("rotation": {"max": 1, "about": "z", "group": "a"})", start);
    std::optional<double> seen;
    for (int frame = 0; frame <= 100; ++frame) {
        now = start;
        moveGroup(now, 0, turn({0, 0, 1}, -10.0 * frame), {0.15, 0.15, 0.15}, {0, 0, 0});
        seen = run(now);
    }
    EXPECT_NEAR(*seen, -1000, 1e-6);
}

TEST(Measure, OverlapOfBodiesGrainsAndShapes) {
    Cloud s;
    s.add({-0.01, 1, 0}, kStone, 0);
    s.add({0.02, 1, 0}, kStone, 0);  // the same body: no contact
    s.add({0.1, 1, 0}, kStone, 1);   // 0.02 into the second, apart from the first
    EXPECT_NEAR(value(R"("overlap": {"max": 1})", s), 0.2, 1e-6);
    s.add({5, 5, 5}, kSand, 3);
    s.add({5, 5.05, 5}, kSand, 3);  // grains of one body touch each other
    EXPECT_NEAR(value(R"("overlap": {"max": 1})", s), 0.5, 1e-6);
    EXPECT_NEAR(value(R"("overlap": {"max": 1, "statistic": "mean"})", s), 0.35, 1e-6);
    EXPECT_EQ(value(R"("overlap": {"max": 1, "group": "a", "other": "heap"})", s), 0);
    EXPECT_NEAR(value(R"("separated": {"max": 1, "group": "b", "other": "a"})", s), 0.2, 1e-6);
    s.add({0.04, 1, 0}, kWater, 2);
    EXPECT_NEAR(value(R"("overlap": {"max": 1, "group": "stone"})", s), 0.2, 1e-6)
        << "water inside is no contact";
    EXPECT_NEAR(value(R"("separated": {"max": 1, "group": "a", "other": "pool"})", s), 0.8, 1e-6)
        << "unless it is asked for";
    // the floor at 0, the ball's top at 1.5
    s.add({3, 0.02, 0}, kSand, 3);
    s.add({5, 1.51, 0}, kSand, 3);
    EXPECT_NEAR(value(R"("overlap": {"max": 1, "other": "floor"})", s), 0.3, 1e-6);
    EXPECT_NEAR(value(R"("overlap": {"max": 1, "other": "ball"})", s), 0.4, 1e-6);
    EXPECT_NEAR(value(R"("overlap": {"max": 1, "other": "shapes", "statistic": "mean"})", s), 0.35, 1e-6);
    EXPECT_NEAR(value(R"("overlap": {"max": 1, "other": "shapes", "group": "a"})", s), 0, 1e-12);
}

TEST(Measure, ShareInside) {
    Cloud s;
    // the floor at 0, the ball's top at 1.5, its center at x = 5
    s.add({5, 1.49, 0}, kSand, 3);
    s.add({5, 1.51, 0}, kSand, 3);  // touches
    s.add({2, 0.2, 0}, kWater, 2);
    s.add({2, -0.01, 0}, kWater, 2);
    EXPECT_EQ(value(R"("share_inside": {"max": 1, "shape": "ball"})", s), 0.25);
    EXPECT_EQ(value(R"("share_inside": {"max": 1, "shape": "ball", "group": "heap"})", s), 0.5);
    EXPECT_EQ(value(R"("share_inside": {"max": 1, "shape": "floor", "group": "pool"})", s), 0.5);
    EXPECT_EQ(value(R"("share_inside": {"max": 1, "shape": "floor", "group": "heap"})", s), 0);
}

TEST(Measure, AngleOfAConeAndAPit) {
    for (const double degrees : {20.0, 33.0, 45.0}) {
        Cloud cone, pit;
        const double slope = std::tan(degrees * kPi / 180);
        for (int i = -30; i < 30; ++i)
            for (int k = -30; k < 30; ++k)
                for (int j = 0; j < 40; ++j) {
                    const double x = (i + 0.5) * d, y = (j + 0.5) * d, z = (k + 0.5) * d;
                    if (y < slope * (2.5 - std::hypot(x, z))) cone.add({x + 1, y, z - 2}, kSand, 3);
                    if (std::hypot(x, z) < 2.5 && y < 0.5 + slope * std::hypot(x, z))
                        pit.add({x, y, z}, kSand, 3);
                }
        EXPECT_NEAR(value(R"("angle": {"max": 1})", cone), degrees, 1.5);
        EXPECT_NEAR(value(R"("angle": {"max": 1, "center": [0, 0, 0], "low": 0})", pit), -degrees, 2.5);
    }
    Cloud flat;
    flat.lattice({0, 0, 0}, 20, 2, 20, kSand, 3);
    EXPECT_NEAR(value(R"("angle": {"max": 1})", flat), 0, 1e-9);
}

TEST(Measure, HeightInMetersPercentileAndRegion) {
    Cloud start;
    start.lattice({0, 0, 0}, 4, 10, 5, kSand, 3);  // 200 grains, 1 m high
    Cloud now = start;
    now.x[199][1] = 7;  // a stray one
    EXPECT_NEAR(value(R"("height": {"max": 1, "unit": "m"})", start), 1, 1e-6);
    EXPECT_NEAR(value(R"("height": {"max": 1, "unit": "d"})", start), 10, 1e-5);
    EXPECT_NEAR(value(R"("height": {"max": 1})", now, start), 7.05, 1e-6);
    EXPECT_NEAR(value(R"("height": {"max": 1, "percentile": 99})", now, start), 1, 1e-6);
    for (size_t i = 0; i < 200; ++i)
        if (now.x[i][0] > 0.2) now.x[i][1] *= 0.5;
    EXPECT_NEAR(
        value(R"("height": {"max": 1, "regionMin": [0.2, 0, 0], "regionMax": [1, 2, 1]})", now, start),
        0.45 + 0.1, 1e-6);
    EXPECT_NEAR(value(R"("width": {"max": 1, "unit": "m"})", start), 0.5, 1e-6);
}

TEST(Measure, AspectIsIndependentOfOrientation) {
    Cloud s;
    s.lattice({1, 2, 3}, 4, 16, 8, kWater, 2);  // a block's second moments are those of an ellipsoid as long
    EXPECT_NEAR(value(R"("aspect": {"max": 1})", s), 4, 1e-6);
    moveGroup(s, 2, turn({1, 2, -1}, 37), {0, 1, 0}, {5, 0, 1});
    EXPECT_NEAR(value(R"("aspect": {"max": 1})", s), 4, 1e-6);
    Cloud cube;
    cube.lattice({0, 0, 0}, 5, 5, 5, kWater, 2);
    EXPECT_NEAR(value(R"("aspect": {"max": 1})", cube), 1, 1e-6);
    Cloud row;
    row.lattice({0, 0, 0}, 7, 1, 1, kWater, 2);
    EXPECT_NEAR(value(R"("aspect": {"max": 1})", row), 7, 1e-6);
}

TEST(Measure, SubmergedIsTheShareOfTheBodyBelowTheLevel) {
    Cloud s;
    s.lattice({-1, 0, -1}, 20, 5, 20, kWater, 2);  // level 0.5 m
    for (int j = 0; j < 4; ++j) s.add({0.05, 0.35 + j * d, 0.05}, kStone, 0);
    EXPECT_NEAR(value(R"("submerged": {"max": 1, "group": "a", "other": "pool"})", s), 0.5, 1e-6)
        << "0.35 and 0.45 are below";
    for (size_t i = s.x.size() - 4; i < s.x.size(); ++i) s.x[i][1] += 0.025;
    EXPECT_NEAR(value(R"("submerged": {"max": 1, "group": "a", "other": "water"})", s), 1.75 / 4, 1e-6)
        << "a particle at the surface counts in part";
    // water on top of the body does not count for the level
    s.add({0.05, 3, 0.05}, kWater, 2);
    EXPECT_NEAR(value(R"("submerged": {"max": 1, "group": "a", "other": "pool"})", s), 1.75 / 4, 1e-6);
}

TEST(Measure, TouchedCountsPairsOfGroups) {
    Cloud s;
    s.add({0, 0, 0}, kStone, 0);
    s.add({0.104, 0, 0}, kStone, 1);      // touches a, d = 0.1
    s.add({0.104, 0.106, 0}, kWater, 2);  // just too far from b
    const char* check = R"("touched": {"min": 1, "groups": ["a", "b", "pool"]})";
    EXPECT_EQ(value(check, s), 1);
    s.x[2][1] = 0.1;
    EXPECT_EQ(value(check, s), 2);
}

TEST(Measure, ComponentsCenterAndOrder) {
    Cloud s;
    s.lattice({0, 0, 0}, 3, 1, 1, kStone, 0);
    s.lattice({0.44, 0, 0}, 2, 1, 1, kStone, 1);  // a gap of 0.24 from the last of a
    s.lattice({4, 2, 0}, 4, 1, 1, kWater, 2);
    EXPECT_NEAR(value(R"("components": {"max": 1})", s), 3, 0);
    EXPECT_NEAR(value(R"("components": {"max": 1, "distance": 2.5})", s), 2, 0);
    EXPECT_NEAR(value(R"("components": {"max": 1, "statistic": "mean"})", s), 3, 0);
    EXPECT_NEAR(value(R"("components": {"max": 1, "statistic": "largest", "distance": 2.5})", s), 5, 0);
    EXPECT_NEAR(value(R"("center": {"max": 1, "group": "pool"})", s), 2.05, 1e-12);
    EXPECT_NEAR(value(R"("center": {"max": 1, "axis": "x", "group": "a"})", s), 0.15, 1e-12);
    // mean x: 0.15, 0.54, 4.2
    EXPECT_NEAR(
        value(R"("order": {"min": 0, "measure": "center", "axis": "x", "groups": ["a", "b", "pool"]})", s),
        0.39, 1e-12);
    EXPECT_NEAR(
        value(R"("order": {"min": 0, "measure": "center", "axis": "x", "groups": ["a", "pool", "b"]})", s),
        0.54 - 4.2, 1e-12);
}

}  // namespace
}  // namespace coalesce::test
