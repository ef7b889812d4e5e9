// The checks of bodies, heaps and trajectories against analytic values, on particles placed by the test.
#include <cmath>
#include <gtest/gtest.h>

#include "checks/cloth_state.h"
#include "checks/measure.h"
#include "checks/shape_distance.h"
#include "core/error.h"
#include "core/hash.h"
#include "geometry/math/rigid_fit.h"
#include "scene/build/groups.h"
#include "scene/format/scene.h"
#include "scene/reader.h"

namespace coalesce {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double d = 0.1;  // [m] spacing of every material
constexpr uint32_t kWater = 0, kStone = 1, kSand = 2;

// Bodies a, b of stone, water and sand: groups 0, 1, 2, 3.
Scene sceneOf(const std::string& check) {
    return readSceneText(
        R"({"materials": {"water": {"spacing": 0.1}, "stone": {"kind": "rigid", "spacing": 0.1},
            "sand": {"kind": "grains", "spacing": 0.1}},
        "bodies": [{"name": "a", "material": "stone", "points": [[0, 0, 0]]}, {"name": "b", "material": "stone", "points": [[1, 0, 0]]},
            {"name": "pool", "material": "water", "points": [[2, 0, 0]]}, {"name": "heap", "material": "sand", "points": [[3, 0, 0]]}],
        "shapes": [{"name": "floor", "plane": {"normal": [0, 1, 0]}}, {"name": "ball", "sphere": {"radius": 0.5}, "position": [5, 1, 0]},
                   {"name": "gate", "sphere": {"radius": 0.5}, "position": [9, 1, 0], "trigger": true}],
        "duration": 4, "expect": {)" +
            check + "}}",
        "t.json");
}

struct Cloud : ParticleSnapshot {
    void add(Vec3d at, uint32_t material, uint32_t group, Vec3d velocity = {0, 0, 0}, double m = 1) {
        id.push_back(uint32_t(id.size()));
        phase.push_back(makePhase(material, group));
        x.push_back(at);
        v.push_back(velocity);
        mass.push_back(m);
    }
    // A lattice from a corner on.
    void lattice(Vec3d corner, int nx, int ny, int nz, uint32_t material, uint32_t group) {
        for (int j = 0; j < ny; ++j)
            for (int k = 0; k < nz; ++k)
                for (int i = 0; i < nx; ++i)
                    add({corner[0] + (i + 0.5) * d, corner[1] + (j + 0.5) * d, corner[2] + (k + 0.5) * d},
                        material, group);
    }
};

// One check over a run of snapshots.
struct Watch {
    Scene scene;
    ParticleSnapshot start;
    MeasureState state;
    Watch(const std::string& check, const ParticleSnapshot& begin) : scene(sceneOf(check)), start(begin) {}
    std::optional<double> operator()(ParticleSnapshot now) {
        if (now.shapes.empty()) now.shapes = scene.shapes;
        const Check& check = scene.expect.at(0);
        const auto meaning = GroupNames(scene).find(check.group);
        std::vector<uint32_t> selected;
        for (uint32_t i = 0; i < now.id.size(); ++i)
            if (meaning->has(now.phase[i])) selected.push_back(i);
        return measure(scene, check, now, start, selected, state);
    }
};
double value(const std::string& check, const ParticleSnapshot& now, const ParticleSnapshot& start) {
    return Watch(check, start)(now).value();
}
double value(const std::string& check, const ParticleSnapshot& now) {
    return value(check, now, now);
}

// A rotation about an axis.
Quatd turn(Vec3d axis, double degrees) {
    const double l = std::sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]),
                 half = degrees * kPi / 360, s = std::sin(half) / l;
    return {std::cos(half), s * axis[0], s * axis[1], s * axis[2]};
}
// The group's particles, rotated about a point and translated.
void moveGroup(ParticleSnapshot& s, uint32_t group, const Quatd& q, Vec3d about, Vec3d by) {
    for (size_t i = 0; i < s.x.size(); ++i) {
        if (groupOf(s.phase[i]) != group) continue;
        const Vec3d r = rotate(q, {s.x[i][0] - about[0], s.x[i][1] - about[1], s.x[i][2] - about[2]});
        for (int k = 0; k < 3; ++k) s.x[i][k] = about[k] + r[k] + by[k];
    }
}

TEST(RigidFit, FindsTheTransformAndTheResidual) {
    std::vector<Vec3d> p, q;
    std::vector<double> mass;
    const Quatd r = turn({1, 2, -3}, 170);
    for (uint64_t i = 0; i < 50; ++i) {
        Vec3d a;
        for (uint64_t k = 0; k < 3; ++k) a[k] = double(mix(3 * i + k) >> 40) / (1 << 24);
        p.push_back(a);
        a = rotate(r, a);
        q.push_back({a[0] + 5, a[1] - 2, a[2] + 1});
        mass.push_back(1 + double(i % 3));
    }
    RigidFit fit = fitRigid(p, q, mass);
    EXPECT_LT(fit.max, 1e-12);
    EXPECT_NEAR(angleOf(multiply(fit.rotation, r.conjugate())), 0, 1e-7);
    // mirrored points cannot be reached by a rotation
    for (Vec3d& a : q) a[0] = -a[0];
    EXPECT_GT(fitRigid(p, q, mass).rms, 0.05);
    // the rotation of a rod about its axis is undefined; the residual is 0 all the same
    p.clear(), q.clear(), mass.clear();
    for (int i = 0; i < 5; ++i) {
        p.push_back({0.1 * i, 0, 0}), q.push_back({0, 0.1 * i, 7}), mass.push_back(1);
    }
    EXPECT_LT(fitRigid(p, q, mass).max, 1e-12);
    // a single point
    EXPECT_LT(fitRigid({{1, 2, 3}}, {{4, 5, 6}}, {1}).max, 1e-12);
}

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

// A row of posts, each falling at its own time.
TEST(Measure, WaveOfFalls) {
    Cloud start;
    const int row = 50;
    for (int k = 0; k < row; ++k) start.lattice({0.5 * k, 0, 0}, 2, 3, 2, kStone, uint32_t(k));
    const auto run = [&](const std::string& statistic, auto&& fallsAt) {
        Watch watch(R"("wave": {"max": 1, "group": "stone", "statistic": ")" + statistic + "\"}", start);
        std::optional<double> seen;
        for (int frame = 0; frame <= 600; ++frame) {
            ParticleSnapshot now = start;
            now.time = frame / 60.0;
            for (int k = 0; k < row; ++k) {
                const double since = now.time - fallsAt(k);
                const double angle = std::clamp(900 * since, 0.0, 90.0);
                if (angle > 0)
                    moveGroup(now, uint32_t(k), turn({0, 0, 1}, -angle), {0.5 * k, 0, 0}, {0, 0, 0});
            }
            seen = watch(now);
        }
        return seen;
    };
    const auto steady = [](int k) { return 1 + 0.1 * k; };  // ten a second
    EXPECT_EQ(run("fallen", steady), 1);
    EXPECT_EQ(run("disorder", steady), 0);
    EXPECT_NEAR(*run("speed", steady), 10, 0.1);
    EXPECT_LT(*run("variation", steady), 0.05);
    // slower by half in the second half of the row
    const auto slower = [](int k) { return 1 + 0.1 * k + (k > 25 ? 0.1 * (k - 25) : 0); };
    EXPECT_NEAR(*run("variation", slower), 10 / ((4 * 10 + 5 * 5.0) / 9) - 1, 0.1);
    // posts 7 and 30 fall early, and the last one stands
    const auto unruly = [](int k) { return k == 7 ? 0.2 : k == 30 ? 2.0 : k == 49 ? 99 : 1 + 0.1 * k; };
    EXPECT_NEAR(*run("fallen", unruly), 0.98, 1e-12);
    EXPECT_EQ(run("disorder", unruly), 2);
    EXPECT_FALSE(run("speed", unruly).has_value());
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

TEST(Measure, MomentumExchange) {
    Cloud start;
    start.add({0, 0, 0}, kStone, 0, {1, 0, 0}, 3);
    start.add({1, 0, 0}, kWater, 2, {-2, 0, 0}, 1);
    start.add({2, 0, 0}, kWater, 2, {-2, 4, 0}, 1);
    start.add({9, 9, 9}, kSand, 3, {0, 0, 7}, 50);  // takes no part
    const std::string check = R"("momentum_exchange": {"max": 1, "group": "a", "other": "pool"})";
    Cloud now = start;
    EXPECT_FALSE(Watch(check, start)(now)) << "nothing is exchanged";
    // the stone loses 3 · 0.4 = 1.2 kg m/s; the water gains as much
    now.v = {{0.6, 0, 0}, {-1.2, 0, 0}, {-1.6, 4, 0}, {0, 0, -7}};
    EXPECT_NEAR(value(check, now, start), 0, 1e-12);
    // it gains 1.2 and, across, 0.5 that nothing has lost: 0.5 of 1.3
    now.v[2] = {-1.6, 4.5, 0};
    EXPECT_NEAR(value(check, now, start), 100 * 0.5 / 1.3, 1e-10);
    // it gains nothing
    now.v[1] = start.v[1], now.v[2] = start.v[2];
    EXPECT_NEAR(value(check, now, start), 100, 1e-10);
}

TEST(Measure, AngularMomentum) {
    Cloud start;
    start.lattice({-0.15, 0, -0.15}, 3, 3, 3, kStone, 0);
    const Vec3d c{0, 0.15, 0};
    for (size_t i = 0; i < start.x.size(); ++i)  // 2 rad/s about y, and drifting
        start.v[i] = {2 * (start.x[i][2] - c[2]) + 5, 1, -2 * (start.x[i][0] - c[0])};
    Cloud now = start;
    moveGroup(now, 0, turn({0, 1, 0}, 40), c, {1, 1, 1});
    for (size_t i = 0; i < now.x.size(); ++i)
        now.v[i] = {2 * 0.99 * (now.x[i][2] - 1) + 5, 1, -2 * 0.99 * (now.x[i][0] - 1)};
    EXPECT_NEAR(value(R"("angular_momentum": {"max": 1})", now, start), 0.01, 1e-9)
        << "turned, moved, and 1 % slower";
    // without initial rotation: relative to the upper bound
    for (auto& v : start.v) v = {5, 0, 0};
    const double sums = value(R"("angular_momentum": {"max": 1})", now, start);
    // Σ m r² over the lattice is 27 · 3 · (2/3) d²; only two thirds contribute to the rotation about y
    EXPECT_NEAR(sums, std::sqrt(2.0 / 3), 1e-9);
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

TEST(Measure, CrossingsOfAPlaneAndOfACup) {
    Cloud start;
    start.add({0.5, 1, 0.5}, kSand, 3);
    start.add({0.5, 0.5, 0.5}, kSand, 3);
    start.add({5, 1, 0.5}, kSand, 3);
    Watch plane(
        R"("crossings": {"max": 0, "point": [0, 0.2, 0], "regionMin": [0, -9, 0], "regionMax": [1, 9, 1]})",
        start);
    Cloud now = start;
    EXPECT_EQ(plane(now), 0);
    now.x[0][1] = 0.1;  // through it
    now.x[2][1] = 0.1;  // beside the region
    EXPECT_EQ(plane(now), 1);
    now.x[0][1] = 1;
    EXPECT_EQ(plane(now), 1) << "the way back is not counted, the first way stays";
    now.x[0][1] = 0;
    now.x[1] = {0.9, -0.2, 0.9};
    EXPECT_EQ(plane(now), 2) << "a particle counts once";

    Watch cup(R"("crossings": {"max": 0, "regionMin": [0, 0, 0], "regionMax": [1, 2, 1]})", start);
    now = start;
    EXPECT_EQ(cup(now), 0);
    now.x[0] = {0.5, 3, 0.5};  // over the rim
    EXPECT_EQ(cup(now), 0);
    now.x[0] = {0.5, 1, 0.5};  // and back in
    EXPECT_EQ(cup(now), 0);
    now.x[1] = {-0.1, 0.5, 0.5};  // through the wall
    EXPECT_EQ(cup(now), 1);
    now.x[2] = {0.9, 1, 0.5};  // into it through the wall
    EXPECT_EQ(cup(now), 2);
}

TEST(Measure, FlowAndItsVariation) {
    // 600 grains in a row fall through y = 0, 3 every frame
    const auto at = [](int frame, bool slowing) {
        Cloud s;
        s.time = frame / 60.0;
        const int gone = slowing ? int(3 * frame * (1 - frame / 400.0)) : 3 * frame;
        for (int i = 0; i < 600; ++i) s.add({0, i < gone ? -1.0 : 1.0, 0}, kSand, 3);
        return s;
    };
    Watch flow(R"("flow": {"max": 1, "point": [0, 0, 0]})", at(0, false)),
        variation(R"("flow_variation": {"max": 1, "point": [0, 0, 0]})", at(0, false)),
        slowing(R"("flow_variation": {"max": 1, "point": [0, 0, 0], "parts": 2})", at(0, true));
    std::optional<double> rate, even, uneven;
    for (int frame = 0; frame <= 100; ++frame) {
        rate = flow(at(frame, false)), even = variation(at(frame, false)), uneven = slowing(at(frame, true));
    }
    EXPECT_NEAR(*rate, 180, 1e-9);
    EXPECT_NEAR(*even, 0, 1e-9);
    // 3 · 50 · (1 − 1/8) = 131 in the first half, 225 in all
    EXPECT_NEAR(*uneven, 131.0 / 112.5 - 1, 1e-9);
}

TEST(Measure, FlowCountsWhatASinkRemoves) {
    // the same grains; a sink removes them two frames after they have passed, or as they pass
    for (const int later : {0, 2}) {
        const auto at = [&](int frame) {
            Cloud s;
            s.time = frame / 60.0;
            for (int i = 3 * std::max(0, frame - later); i < 600; ++i) {
                s.add({0, i < 3 * frame ? -0.5 : 0.04, 0}, kSand, 3, {0, -6, 0});
                s.id.back() = uint32_t(i);
            }
            return s;
        };
        Watch flow(R"("flow": {"max": 1, "point": [0, 0, 0]})", at(0));
        std::optional<double> rate;
        for (int frame = 0; frame <= 100; ++frame) rate = flow(at(frame));
        EXPECT_NEAR(*rate, 180, 1e-9) << later;
    }
    // what is removed before the plane has not passed it
    const auto before = [](int frame) {
        Cloud s;
        s.time = frame / 60.0;
        for (int i = 3 * frame; i < 600; ++i) s.add({0, 1, 0}, kSand, 3), s.id.back() = uint32_t(i);
        return s;
    };
    Watch none(R"("flow": {"max": 1, "point": [0, 0, 0]})", before(0));
    std::optional<double> rate;
    for (int frame = 0; frame <= 100; ++frame) rate = none(before(frame));
    EXPECT_EQ(*rate, 0);
}

TEST(Measure, SlideAndAcceleration) {
    Cloud start;
    start.add({0, 0, 0}, kStone, 0);
    start.add({0, 1, 0}, kStone, 0);
    const auto at = [&](double t) {
        Cloud s = start;
        s.time = t;
        for (auto& x : s.x) x[0] += 0.3 * t + 0.5 * 2.59 * t * t, x[1] -= t;
        return s;
    };
    Watch slide(R"("slide": {"max": 1, "direction": [2, 0, 0], "since": 1})", start),
        way(R"("slide": {"max": 1})", start),
        acceleration(R"("acceleration": {"max": 1, "direction": [1, 0, 0]})", start);
    EXPECT_FALSE(slide(at(0.5)).has_value());
    EXPECT_NEAR(*slide(at(1)), 0, 1e-12);
    EXPECT_NEAR(*slide(at(2)), 0.3 + 0.5 * 2.59 * 3, 1e-9);
    EXPECT_NEAR(*way(at(0)), 0, 1e-12);
    EXPECT_NEAR(*way(at(1)), std::hypot(0.3 + 0.5 * 2.59, 1), 1e-9) << "along no direction, its length";
    std::optional<double> a;
    for (int frame = 0; frame <= 60; ++frame) a = acceleration(at(1 + frame / 60.0));
    EXPECT_NEAR(*a, 2.59, 1e-9);
}

TEST(Measure, VelocityIsTheMeanOfTheRegionAndTheWindow) {
    Cloud s;
    for (int i = 0; i < 4; ++i) s.add({double(i), 0, 0}, kSand, i), s.v.back() = {3, 4 * double(i), 0};
    Watch frame(R"("velocity": {"max": 1, "direction": [0, 2, 0]})", s),
        window(
            R"("velocity": {"max": 1, "from": 0, "direction": [0, -1, 0], "regionMin": [0.5, -1, -1], "regionMax": [9, 1, 1]})",
            s),
        along(R"("velocity": {"max": 1})", s),
        nowhere(R"("velocity": {"max": 1, "regionMin": [9, 0, 0]})", s);
    for (const double y : {5.0, 1.0}) {
        s.v[3][1] = y;
        for (Watch* one : {&frame, &window, &along, &nowhere}) (*one)(s);
    }
    EXPECT_NEAR(*frame(s), (0 + 4 + 8 + 1) / 4.0, 1e-12);
    EXPECT_NEAR(*window(s), -(4 + 8 + 5 + 2 * (4 + 8 + 1)) / 9.0, 1e-12) << "of three frames";
    EXPECT_NEAR(*along(s), 3, 1e-12);
    EXPECT_FALSE(nowhere(s).has_value());
}

TEST(Measure, BouncesAreRelativeToTheStartOrThePreviousOne) {
    // from 1.05 m onto a floor at 0, each arc keeps 0.8 of the height
    const double g = 9.81;
    Cloud ball;
    ball.add({0, 1.05, 0}, kStone, 0);
    Watch kept(R"("bounce": {"min": 0})", ball), ratio(R"("bounce": {"min": 0, "statistic": "ratio"})", ball),
        count(R"("bounce": {"min": 0, "statistic": "count"})", ball);
    double h = 1, until = std::sqrt(2 * h / g), from = -until;  // of the present arc, contact to contact
    std::optional<double> k, r, n;
    for (int frame = 0; frame < 150; ++frame) {
        const double t = frame / 100.0;
        while (t > until) {
            h *= 0.8;
            from = until;
            until += 2 * std::sqrt(2 * h / g);
        }
        const double top = 0.5 * (from + until);
        ball.time = t;
        ball.x[0][1] = 0.05 + h - 0.5 * g * (t - top) * (t - top);
        k = kept(ball), r = ratio(ball), n = count(ball);
        if (frame < 40) {
            EXPECT_FALSE(k.has_value()) << "no maximum yet";
        }
    }
    // contacts at 0.45, 1.26 s: one maximum at 0.86 s
    EXPECT_NEAR(*n, 1, 0);
    EXPECT_NEAR(*k, 0.8, 1e-6);
    EXPECT_NEAR(*r, 0.8, 1e-6);
}

TEST(Measure, LoadIsTheMeanOfTheWindowOrTheLastFrame) {
    Cloud s;
    s.add({0, 1, 0}, kStone, 0);
    s.reports.resize(3);
    Watch last(R"("load": {"max": 1, "shape": "ball"})", s),
        mean(R"("load": {"max": 1, "shape": "ball", "from": 0, "to": 1})", s),
        along(R"("load": {"max": 1, "shape": "ball", "from": 0, "to": 1, "axis": "y"})", s),
        twist(R"("torque": {"max": 1, "shape": "ball", "axis": "z"})", s),
        entered(R"("entered": {"max": 1, "shape": "gate"})", s);
    for (const float f : {1.0f, 3.0f}) {
        s.reports[1].force = {3 * f, -4 * f, 0};
        s.reports[1].torque = {0, 0, -f};
        s.reports[2].entered = 7;
        for (Watch* one : {&last, &mean, &along}) (*one)(s);
    }
    EXPECT_NEAR(*last(s), 15, 1e-6);
    EXPECT_NEAR(*mean(s), 5 * (1 + 3 + 3) / 3.0, 1e-5);
    EXPECT_NEAR(*along(s), -4 * (1 + 3 + 3) / 3.0, 1e-5);
    EXPECT_NEAR(*twist(s), -3, 1e-6);
    EXPECT_EQ(*entered(s), 7);
}

// Markers of smoke above a triangle that rises past some of them, and past one beside it; spray does not count.
TEST(Measure, PiercedCountsPassiveParticlesOfTheClass) {
    Cloud start;
    for (const Vec3d& corner : {Vec3d{0, 0, 0}, Vec3d{0, 0, 1}, Vec3d{1, 0, 0}}) start.add(corner, kStone, 0);
    auto cloth = std::make_shared<ClothState>();
    cloth->bodies.push_back({.group = 0, .rows = 3, .triangles = 1});
    cloth->triangles.push_back({0, 1, 2, 0});
    cloth->idOf = {0, 1, 2};
    start.cloth = cloth;
    start.passive = {{0.2, 0.1, 0.2}, {0.2, 0.3, 0.3}, {0.8, 0.1, 0.8}, {0.3, 0.1, 0.2}};
    start.passiveIds = {3, 5, 8, 9};
    for (const PassiveClass kind :
         {PassiveClass::smoke, PassiveClass::smoke, PassiveClass::smoke, PassiveClass::spray})
        start.passiveTags.push_back(makeTag(kind, 0));
    Cloud end = start;
    for (Vec3d& corner : end.x) corner[1] += 0.2;
    // the first one has left: the others are found by their ids
    end.passive.erase(end.passive.begin()), end.passiveIds.erase(end.passiveIds.begin());
    end.passiveTags.erase(end.passiveTags.begin());
    const std::string check = R"("tight": {"check": "pierced", "group": "a", "class": )";
    const auto after = [&](const std::string& kind, const Cloud& last) {
        Watch watch(check + kind + R"(, "max": 0})", start);
        EXPECT_EQ(watch(start), 0);
        return watch(last);
    };
    EXPECT_EQ(after("\"smoke\"", end), 0);
    EXPECT_EQ(after("\"any\"", end), 1) << "the spray";
    for (Vec3d& corner : end.x) corner[1] += 0.2;
    EXPECT_EQ(after("\"smoke\"", end), 1) << "the upper one, but not the one beside the triangle";
}

}  // namespace
}  // namespace coalesce
