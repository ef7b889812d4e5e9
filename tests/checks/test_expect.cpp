// The checks of `expect` against values worked out by hand or by the definition, and the logic of times and
// limits.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <numbers>

#include "checks/expect.h"
#include "checks/measure.h"
#include "core/error.h"
#include "core/hash.h"
#include "scene/build/build.h"
#include "scene/format/scene.h"
#include "scene/reader.h"
#include "session/run_scene.h"
#include "support/temporary_folder.h"

namespace coalesce {
namespace {

constexpr double kSpacing = 0.1;  // [m]

// A scene of one block of nx × ny × nz particles with its lower corner at the origin, and a check.
Scene sceneOf(int nx, int ny, int nz, const std::string& check, const std::string& more = "") {
    return readSceneText(
        "{\"materials\": {\"water\": {\"spacing\": 0.1}}, \"bodies\": [{\"name\": \"block\", \"block\": "
        "{\"min\": [0, 0, 0], \"max\": [" +
            std::to_string(nx * kSpacing) + "," + std::to_string(ny * kSpacing) + "," +
            std::to_string(nz * kSpacing) + "]}}], \"expect\": {" + check + "}" + more + "}",
        "t.json");
}

// Its particles at rest, as placed by the builder.
ParticleSnapshot lattice(int nx, int ny, int nz) {
    ParticleSnapshot s;
    for (int j = 0; j < ny; ++j)
        for (int k = 0; k < nz; ++k)
            for (int i = 0; i < nx; ++i) {
                s.id.push_back(uint32_t(s.id.size()));
                s.phase.push_back(0);
                s.x.push_back({(i + 0.5) * kSpacing, (j + 0.5) * kSpacing, (k + 0.5) * kSpacing});
                s.v.push_back({0, 0, 0});
                s.mass.push_back(1);
                s.pull.push_back({0, -9.81, 0});
            }
    return s;
}

double value(const Scene& scene, const ParticleSnapshot& now, const ParticleSnapshot& start) {
    std::vector<uint32_t> all(now.id.size());
    for (uint32_t i = 0; i < all.size(); ++i) all[i] = i;
    MeasureState state;
    return measure(scene, scene.expect.at(0), now, start, all, state).value();
}
double value(const std::string& check, const ParticleSnapshot& now) {
    return value(sceneOf(4, 4, 4, check), now, lattice(4, 4, 4));
}

TEST(Measure, KernelIntegratesToOneAndLatticeHasVolumeFractionOne) {
    const double h = 0.2;
    double integral = 0;
    const int n = 20000;
    for (int i = 0; i < n; ++i) {
        const double r = (i + 0.5) * h / n;
        integral += 4 * std::numbers::pi * r * r * kernelOf(h, r * r) * h / n;
    }
    EXPECT_NEAR(integral, 1, 1e-6);
    EXPECT_EQ(kernelOf(h, h * h), 0);
    // by hand, h = 2 d: (1 − q)³ of the particle itself, 6 at d, 12 at √2 d, 8 at √3 d
    const double sum =
        1 + 6 * 0.125 + 12 * std::pow(1 - std::sqrt(2.0) / 2, 3) + 8 * std::pow(1 - std::sqrt(3.0) / 2, 3);
    EXPECT_NEAR(latticeVolume(0.1, 0.2), std::numbers::pi * h * h * h / 15 / sum, 1e-12);
}

TEST(Measure, DensityErrorOfACompressedLattice) {
    ParticleSnapshot s = lattice(9, 9, 9);
    for (auto& p : s.x)
        for (double& c : p) c *= 0.9;
    // reference: all pairs
    const double h = 0.2, V = latticeVolume(0.1, h);
    double mean = 0, most = 0;
    for (size_t i = 0; i < s.x.size(); ++i) {
        double fraction = 0;
        for (const auto& q : s.x)
            fraction += V * kernelOf(h, std::pow(s.x[i][0] - q[0], 2) + std::pow(s.x[i][1] - q[1], 2) +
                                            std::pow(s.x[i][2] - q[2], 2));
        mean += std::max(0.0, fraction - 1) / double(s.x.size());
        most = std::max(most, fraction - 1);
    }
    EXPECT_GT(most, 0.25) << "0.9^-3 is 1.37";
    EXPECT_NEAR(value(sceneOf(9, 9, 9, R"("density_error": {"max": 1})"), s, s), mean, 1e-6)
        << "the scene's spacing is a float";
    EXPECT_NEAR(value(sceneOf(9, 9, 9, R"("density_error": {"max": 1, "statistic": "max"})"), s, s), most,
                1e-6);
    const ParticleSnapshot full = lattice(9, 9, 9);
    EXPECT_LT(value(sceneOf(9, 9, 9, R"("density_error": {"max": 1, "statistic": "max"})"), full, full),
              1e-6);
    // a ball that the user has thrown, of a material that the scene does not have
    ParticleSnapshot withBall = s;
    withBall.id.push_back(uint32_t(s.id.size())), withBall.phase.push_back(makePhase(1, 1));
    withBall.x.push_back({50, 0, 0}), withBall.v.push_back({0, 0, 0});
    withBall.mass.push_back(1), withBall.pull.push_back({0, -9.81, 0});
    EXPECT_NEAR(value(sceneOf(9, 9, 9, R"("density_error": {"max": 1})"), withBall, s), mean, 1e-6);
}

TEST(Measure, PercentileOfTheDensityErrorAndMeanVolumeFraction) {
    ParticleSnapshot s = lattice(9, 9, 9);
    for (auto& p : s.x)
        for (double& c : p) c *= 0.6 + 0.4 * c;  // less and less compressed
    const double h = 0.2, V = latticeVolume(0.1, h);
    std::vector<double> errors;
    double mean = 0;
    for (const auto& p : s.x) {
        double fraction = 0;
        for (const auto& q : s.x) fraction += V * kernelOf(h, dot(p - q, p - q));
        mean += fraction / double(s.x.size());
        errors.push_back(std::max(0.0, fraction - 1));
    }
    std::sort(errors.begin(), errors.end());
    const double percentile = errors[721];  // 0.99 · 728 is 720.7
    EXPECT_LT(percentile, 0.99 * errors[728]);
    EXPECT_NEAR(value(sceneOf(9, 9, 9, R"("density_error": {"max": 1, "statistic": "p99"})"), s, s),
                percentile, 1e-6);
    EXPECT_NEAR(value(sceneOf(9, 9, 9, R"("volume_fraction": {"max": 1})"), s, s), mean, 1e-6);
}

TEST(Measure, LevelIsTheTopOfTheColumns) {
    const ParticleSnapshot s = lattice(4, 4, 4);
    EXPECT_NEAR(value(R"("level": {"max": 1})", s), 0.4, 1e-6);
    ParticleSnapshot drop =
        s;  // a particle of the upper layer rises, and so does only its column, one of four
    drop.x[63][1] = 1.15;
    EXPECT_NEAR(value(R"("level": {"max": 1})", drop), 0.4 + 0.8 / 4, 1e-6);
    EXPECT_NEAR(value(R"("level": {"max": 1, "regionMax": [0.2, 9, 0.2]})", drop), 0.4, 1e-6)
        << "it flies outside the region";
    EXPECT_NEAR(value(R"("level": {"max": 9, "unit": "d"})", s), 4, 1e-5) << "spacing is a float";
}

TEST(Measure, SpeedsAndMomentum) {
    ParticleSnapshot s = lattice(4, 4, 4);
    for (size_t i = 0; i < 32; ++i) s.v[i] = {3, 4, 0};
    EXPECT_NEAR(value(R"("rest": {"max": 1})", s), 5 / std::sqrt(2.0), 1e-12);
    EXPECT_NEAR(value(R"("speed": {"max": 1})", s), 5, 1e-12);
    EXPECT_NEAR(value(R"("speed": {"max": 1, "statistic": "mean"})", s), 2.5, 1e-12);
    // 32 of 64 particles at 5 m/s from rest: |ΔP| = 160, M v_rms = 64 · 5/√2
    EXPECT_NEAR(value(R"("momentum": {"max": 1})", s), 160 / (64 * 5 / std::sqrt(2.0)), 1e-12);
    for (size_t i = 32; i < 64; ++i) s.v[i] = {-3, -4, 0};
    EXPECT_NEAR(value(R"("momentum": {"max": 1})", s), 0, 1e-12);
}

TEST(Measure, EnergyGrowthInPercentOfTheStart) {
    // 64 particles of 1 kg; the lowest lie at 0.05 m, the mean height above them is 0.15 m
    ParticleSnapshot s = lattice(4, 4, 4);
    const double scale = 64 * 9.81 * 0.15;
    for (auto& v : s.v) v = {0, 1, 0};
    EXPECT_NEAR(value(R"("energy": {"max": 1})", s), 100 * 0.5 * 64 / scale, 1e-4) << "gravity is a float";
    for (auto& v : s.v) v = {};
    for (auto& x : s.x) x[1] += 0.3;
    EXPECT_NEAR(value(R"("energy": {"max": 1})", s), 100 * 64 * 9.81 * 0.3 / scale, 1e-4);

    // relative to the minimum so far: down, then up again
    const Scene scene = sceneOf(4, 4, 4, R"("energy": {"max": 1, "since": "lowest"})");
    const ParticleSnapshot start = lattice(4, 4, 4);
    std::vector<uint32_t> all(64);
    for (uint32_t i = 0; i < 64; ++i) all[i] = i;
    MeasureState state;
    ParticleSnapshot low = start;
    for (auto& x : low.x) x[1] -= 0.03;
    EXPECT_NEAR(*measure(scene, scene.expect[0], start, start, all, state), 0, 1e-12);
    EXPECT_NEAR(*measure(scene, scene.expect[0], low, start, all, state), 0, 1e-12);
    EXPECT_NEAR(*measure(scene, scene.expect[0], start, start, all, state), 100 * 0.03 / 0.15, 1e-4);
}

TEST(Measure, ExtentsOfAGroup) {
    ParticleSnapshot s = lattice(4, 4, 4);
    for (auto& x : s.x) x[1] *= 0.5, x[0] *= 2;
    EXPECT_NEAR(value(R"("height": {"max": 1})", s), (0.15 + 0.1) / 0.4, 1e-6);
    EXPECT_NEAR(value(R"("width": {"max": 1})", s), (0.6 + 0.1) / 0.4, 1e-6);
    // RMS distance of a uniform 4 × 4 grid of step d from its center: d √(2 · 1.25)
    EXPECT_NEAR(value(R"("spread": {"max": 1})", lattice(4, 4, 4)), 0.1 * std::sqrt(2.5), 1e-12);
    // on 0.4 m × 0.4 m; a particle that has run away does not count
    ParticleSnapshot heap = lattice(4, 4, 4);
    EXPECT_NEAR(value(R"("footprint": {"max": 1})", heap), 0.4 / std::sqrt(std::numbers::pi), 1e-6);
    heap.x[63][0] += 2, heap.x[62][0] -= 2;
    EXPECT_NEAR(value(R"("footprint": {"max": 1})", heap), 0.4 / std::sqrt(std::numbers::pi), 1e-6);
    EXPECT_NEAR(value(R"("spacing": {"max": 1})", lattice(4, 4, 4)), 1, 1e-6);
    ParticleSnapshot pair = lattice(4, 4, 4);
    pair.x[1] = pair.x[0];
    // 0 and 1 coincide; all other particles have further nearest neighbors
    EXPECT_NEAR(value(R"("spacing": {"max": 1})", pair), 62.0 / 64, 1e-6);
}

TEST(Measure, HeightsFrontsAndPositions) {
    ParticleSnapshot s = lattice(10, 10, 10);
    const ParticleSnapshot start = s;
    for (int i = 0; i < 10; ++i) s.x[990 + i][1] = 3;  // 1 % of the particles
    EXPECT_NEAR(value(sceneOf(10, 10, 10, R"("splash": {"max": 1})"), s, start), 3, 1e-12);
    EXPECT_NEAR(value(sceneOf(10, 10, 10, R"("rise": {"max": 1})"), s, start), 3 - 0.95, 1e-12);
    EXPECT_NEAR(value(sceneOf(10, 10, 10, R"("rise": {"max": 1, "surface": 2.5})"), s, start), 0.5, 1e-12);
    EXPECT_NEAR(value(sceneOf(10, 10, 10, R"("drift": {"max": 1})"), start, start), 0, 1e-12);
    EXPECT_NEAR(value(sceneOf(10, 10, 10, R"("contains": {"min": 1, "regionMax": [9, 1, 9]})"), s, start),
                0.99, 1e-12);
    EXPECT_NEAR(value(sceneOf(10, 10, 10, R"("outside": {"max": 1, "regionMax": [9, 1, 9]})"), s, start), 10,
                1e-12);

    s = start;
    s.x[0] = {7, 0.05, 0.05};  // one drop far ahead
    EXPECT_NEAR(value(sceneOf(10, 10, 10, R"("front": {"max": 1})"), s, start), 0.95, 1e-12);
    EXPECT_NEAR(value(sceneOf(10, 10, 10, R"("front": {"max": 1, "percentile": 100})"), s, start), 7, 1e-12);
    EXPECT_NEAR(value(sceneOf(10, 10, 10, R"("front": {"max": 1, "mode": "connected"})"), s, start), 0.95,
                1e-12);
    EXPECT_NEAR(value(sceneOf(10, 10, 10, R"("front": {"max": 1, "axis": "y"})"), s, start), 0.95, 1e-12);
}

TEST(Measure, DriftCountsFromTheReferenceTime) {
    const Scene scene = sceneOf(4, 4, 4, R"("drift": {"since": 1, "max": 1})");
    const ParticleSnapshot start = lattice(4, 4, 4);
    std::vector<uint32_t> all(64);
    for (uint32_t i = 0; i < 64; ++i) all[i] = i;
    MeasureState state;
    ParticleSnapshot now = start;
    EXPECT_FALSE(measure(scene, scene.expect[0], now, start, all, state).has_value()) << "before its time";
    now.time = 1;
    for (auto& x : now.x) x[0] += 5;
    EXPECT_NEAR(*measure(scene, scene.expect[0], now, start, all, state), 0, 1e-12);
    for (auto& x : now.x) x[2] += 0.25;
    EXPECT_NEAR(*measure(scene, scene.expect[0], now, start, all, state), 0.25, 1e-12);
}

TEST(HashGrid, FindsTheSamePairsAsAllAgainstAll) {
    std::vector<Vec3d> points;
    for (uint64_t i = 0; i < 400; ++i) {
        Vec3d p;
        for (int k = 0; k < 3; ++k) p[k] = double(mix(i * 3 + k) >> 40) / double(1 << 24) * 2 - 1;
        points.push_back(p);
    }
    points.push_back(points[0]);  // coincident
    for (const double reach : {0.05, 0.3, 5.0}) {
        std::map<std::pair<uint32_t, uint32_t>, int> found;
        HashGrid(points, reach).forEachPair([&](uint32_t i, uint32_t j, double) { found[{i, j}]++; });
        size_t expected = 0;
        for (uint32_t i = 0; i < points.size(); ++i)
            for (uint32_t j = 0; j < points.size(); ++j) {
                double r2 = 0;
                for (int k = 0; k < 3; ++k) r2 += std::pow(points[i][k] - points[j][k], 2);
                if (r2 >= reach * reach) continue;
                ++expected;
                EXPECT_EQ((found[{i, j}]), 1);
            }
        EXPECT_EQ(found.size(), expected) << reach;
    }
}

// A world whose particles the test moves.
struct ManualRun {
    Exec exec{{.backend = "cpu", .threads = 1}};
    World world{exec};
    explicit ManualRun(const Scene& scene) { buildWorld(scene, world); }
    void setSpeed(float speed) {
        auto v = world.particles.v.download();
        for (Vec4& one : v) one = {speed, 0, 0, one.w};
        world.particles.v.upload(v);
    }
    void setTime(double t) { world.time = t; }
};
CheckResult resultOf(const Expectations& e, const std::string& name) {
    for (const CheckResult& r : e.results())
        if (r.check == name) return r;
    ADD_FAILURE() << "no check " << name;
    return {};
}

TEST(Expectations, TimesAndLimits) {
    const Scene scene = sceneOf(
        2, 2, 2, R"("at_one": {"check": "rest", "at": 1, "max": 1}, "end": {"check": "rest", "max": 1},
        "always": {"check": "rest", "always": true, "max": 3}, "window": {"check": "rest", "from": 0.5, "to": 1.5, "min": 0.5},
        "near": {"check": "rest", "at": 1, "expected": 2, "tolerance": 0.1}, "later": {"check": "rest", "at": 50, "max": 0})",
        R"(, "duration": 2)");
    ManualRun run(scene);
    Expectations e(scene);
    const std::pair<double, float> motion[] = {{0, 0}, {0.5, 4}, {1, 2.1f}, {1.5, 1}, {2, 0}};
    for (const auto& [time, speed] : motion) {
        run.setTime(time);
        run.setSpeed(speed);
        e.observe(run.world, {});
    }
    EXPECT_EQ(resultOf(e, "at_one").verdict, Verdict::Failed);
    EXPECT_NEAR(*resultOf(e, "at_one").measured, 2.1, 1e-6);
    EXPECT_EQ(resultOf(e, "end").verdict, Verdict::Passed);
    EXPECT_EQ(resultOf(e, "always").verdict, Verdict::Failed);
    EXPECT_NEAR(*resultOf(e, "always").measured, 4, 1e-6);
    EXPECT_EQ(resultOf(e, "window").verdict, Verdict::Passed) << "1 is the least from 0.5 to 1.5 s";
    EXPECT_EQ(resultOf(e, "near").verdict, Verdict::Passed) << "2.1 is within 2 +- 0.2";
    EXPECT_EQ(resultOf(e, "later").verdict, Verdict::NotReached);
    EXPECT_EQ(resultOf(e, "finite").verdict, Verdict::Passed);
}

TEST(Expectations, BuiltInChecksDetectTheirFaults) {
    const Scene scene =
        sceneOf(2, 2, 2, R"("rest": {"max": 1})", R"(, "bounds": {"min": [0, 0, 0], "max": [1, 1, 1]})");
    {
        ManualRun run(scene);
        Expectations e(scene);
        e.observe(run.world, {});
        for (const char* name : {"finite", "balance", "no_overflow", "inside"})
            EXPECT_TRUE(resultOf(e, name).passed()) << name;
        auto x = run.world.particles.x.download();
        x[3].y = 1.5f;
        run.world.particles.x.upload(x);
        e.observe(run.world, {});
        EXPECT_EQ(resultOf(e, "inside").verdict, Verdict::Failed);
        x[3].y = 0.5f;
        run.world.particles.x.upload(x);
        e.observe(run.world, {});
        EXPECT_EQ(resultOf(e, "inside").verdict, Verdict::Failed) << "once outside is outside";
        x[2].x = std::nanf("");
        run.world.particles.x.upload(x);
        e.observe(run.world, {});
        EXPECT_EQ(resultOf(e, "finite").verdict, Verdict::Failed);
    }
    ManualRun run(scene);
    Expectations e(scene);
    Status status;
    status.worst.nonFinite = 1;
    status.truncated = true;
    run.world.particlesAdded += 1;
    e.observe(run.world, status);
    for (const char* name : {"finite", "balance", "no_overflow"})
        EXPECT_EQ(resultOf(e, name).verdict, Verdict::Failed) << name;
}

TEST(Expectations, ArrivalIsATimeAndFailsWithoutArrival) {
    const Scene scene = sceneOf(
        2, 2, 2,
        R"("arrival": {"position": 0.5, "percentile": 100, "max": 10}, "far": {"check": "arrival", "position": 99, "max": 10})",
        R"(, "duration": 2)");
    ManualRun run(scene);
    Expectations e(scene);
    for (int frame = 0; frame <= 20; ++frame) {
        run.setTime(0.1 * frame);
        auto x = run.world.particles.x.download();
        for (Vec4& p : x) p.x += 0.05f;
        run.world.particles.x.upload(x);
        e.observe(run.world, {});
    }
    // the foremost starts at 0.15 m and is at 0.15 + 0.05 (frame + 1): it passes 0.5 m in frame 6
    EXPECT_NEAR(*resultOf(e, "arrival").measured, 0.6, 1e-9);
    EXPECT_TRUE(resultOf(e, "arrival").passed());
    EXPECT_EQ(resultOf(e, "far").verdict, Verdict::Failed);
}

TEST(Expectations, FallingParticlesArriveFromAbove) {
    const Scene scene = sceneOf(
        2, 2, 2,
        R"("arrival": {"position": -0.48, "percentile": 0, "axis": "y", "max": 10}, "never": {"check": "arrival", "position": -99, "axis": "y", "max": 10})",
        R"(, "duration": 2)");
    ManualRun run(scene);
    Expectations e(scene);
    for (int frame = 0; frame <= 20; ++frame) {
        run.setTime(0.1 * frame);
        auto x = run.world.particles.x.download();
        for (Vec4& p : x) p.y -= 0.05f;
        run.world.particles.x.upload(x);
        e.observe(run.world, {});
    }
    // the lowest starts at 0.05 m and is at 0.05 - 0.05 (frame + 1): it is below -0.48 m in frame 10
    EXPECT_NEAR(*resultOf(e, "arrival").measured, 1.0, 1e-9);
    // it is above that all the time
    EXPECT_EQ(resultOf(e, "never").verdict, Verdict::Failed);
}

TEST(Expectations, GroupsAreBodiesOrMaterials) {
    const Scene scene = readSceneText(R"({"materials": {"water": {"spacing": 0.1}, "oil": {"spacing": 0.1}},
        "bodies": [{"name": "a", "material": "water", "points": [[0, 0, 0]], "velocity": [1, 0, 0]}, {"name": "b", "material": "oil", "points": [[1, 0, 0]], "velocity": [2, 0, 0]},
                   {"name": "c", "material": "oil", "points": [[2, 0, 0]], "velocity": [4, 0, 0]}],
        "expect": {"a": {"check": "speed", "group": "a", "at": 0, "max": 9}, "oil": {"check": "speed", "group": "oil", "statistic": "mean", "at": 0, "max": 9},
                   "all": {"check": "speed", "statistic": "mean", "at": 0, "max": 9}}})",
                                      "t.json");
    ManualRun run(scene);
    Expectations e(scene);
    e.observe(run.world, {});
    EXPECT_NEAR(*resultOf(e, "a").measured, 1, 1e-9);
    EXPECT_NEAR(*resultOf(e, "oil").measured, 3, 1e-9);
    EXPECT_NEAR(*resultOf(e, "all").measured, 7.0 / 3, 1e-9);
}

TEST(CompareCases, EachRelation) {
    const Scene scene = sceneOf(2, 2, 2, R"("m": {"check": "rest", "max": 100},
        "less": {"check": "compare", "measure": "m", "relation": "<", "of": "a", "to": "b"},
        "less_by": {"check": "compare", "measure": "m", "relation": "<", "of": "a", "to": "b", "margin": 2},
        "more": {"check": "compare", "measure": "m", "relation": ">", "of": "c", "to": "a", "factor": 3},
        "same": {"check": "compare", "measure": "m", "relation": "~", "of": "b", "to": "c", "tolerance": 0.45},
        "not_same": {"check": "compare", "measure": "m", "relation": "~", "cases": ["a", "b", "c"], "tolerance": 0.4},
        "grows": {"check": "compare", "measure": "m", "relation": "grows", "cases": ["a", "b", "c"]},
        "falls": {"check": "compare", "measure": "m", "relation": "falls", "cases": ["a", "b", "c"]},
        "near": {"check": "compare", "measure": "m", "relation": "converges", "of": "b", "to": "c", "base": "a", "factor": 0.7},
        "too_far": {"check": "compare", "measure": "m", "relation": "converges", "of": "b", "to": "c", "base": "a", "factor": 0.5},
        "missing": {"check": "compare", "measure": "m", "relation": "<", "of": "a", "to": "d"},
        "hash": {"cases": ["a", "b"]}, "other_hash": {"check": "hash", "cases": ["a", "c"]})",
                                R"(, "cases": {"a": {}, "b": {}, "c": {}, "d": {}})");
    const auto measured = [](const char* name, double value, uint64_t hash) {
        CheckResult r;
        r.check = "m";
        r.measured = value;
        r.verdict = Verdict::Passed;
        return CaseMeasures{name, {r}, hash};
    };
    // 1, 2, 3.5: |b − c| / |a − c| = 0.6
    const auto results =
        compareCases(scene, {measured("a", 1, 7), measured("b", 2, 7), measured("c", 3.5, 8)});
    const std::map<std::string, Verdict> expected{
        {"less", Verdict::Passed},        {"less_by", Verdict::Failed},  {"more", Verdict::Passed},
        {"same", Verdict::Passed},        {"not_same", Verdict::Failed}, {"grows", Verdict::Passed},
        {"falls", Verdict::Failed},       {"near", Verdict::Passed},     {"too_far", Verdict::Failed},
        {"missing", Verdict::NotReached}, {"hash", Verdict::Passed},     {"other_hash", Verdict::Failed}};
    ASSERT_EQ(results.size(), expected.size());
    for (const CheckResult& r : results) EXPECT_EQ(r.verdict, expected.at(r.check)) << r.text;
}

// What the solver reports, set by hand: 12 iterations in 3 solves, the largest residual, a rise of the objective.
TEST(Expectations, ConvergenceOfProjectiveDynamics) {
    const Scene scene = sceneOf(2, 2, 2, R"("few": {"check": "cg_iterations", "at": 0, "max": 4},
        "fewer": {"check": "cg_iterations", "at": 0, "max": 3}, "residual": {"at": 0, "max": 0.01},
        "smaller": {"check": "residual", "at": 0, "max": 0.001},
        "viscous": {"check": "cg_iterations", "solve": "strainViscosity", "at": 0, "max": 9},
        "viscous_residual": {"check": "residual", "solve": "strainViscosity", "at": 0, "max": 0.01}, "rises_little": {"check": "objective_falls", "at": 0, "max": 0.03},
        "objective_falls": {"at": 0, "max": 0})");
    ManualRun run(scene);
    run.world.globalStep = {
        .solves = 3, .iterations = 12, .residuals = 3, .breakdowns = 0, .residual = 0.004f};
    run.world.strainViscosity = {
        .solves = 2, .iterations = 20, .residuals = 2, .breakdowns = 0, .residual = 0.008f};
    run.world.convergence.objectiveRise = 0.02;
    Expectations e(scene);
    e.observe(run.world, {});
    for (const auto& [name, text] :
         std::map<std::string, std::string>{{"few", "few: ok, 4 (<= 4)"},
                                            {"fewer", "fewer: FAILED, 4 (<= 3)"},
                                            {"residual", "residual: ok, 0.004 (<= 0.01)"},
                                            {"smaller", "smaller: FAILED, 0.004 (<= 0.001)"},
                                            {"viscous", "viscous: FAILED, 10 (<= 9)"},
                                            {"viscous_residual", "viscous_residual: ok, 0.008 (<= 0.01)"},
                                            {"rises_little", "rises_little: ok, 0.02 (<= 0.03)"},
                                            {"objective_falls", "objective_falls: FAILED, 0.02 (<= 0)"}})
        EXPECT_EQ(resultOf(e, name).text, text);
    // nothing has been solved, or watched
    run.world.globalStep = {};
    run.world.convergence = {};
    Expectations unknown(scene);
    unknown.observe(run.world, {});
    EXPECT_EQ(resultOf(unknown, "few").text, "few: FAILED (<= 4); nothing was measured");
    EXPECT_EQ(resultOf(unknown, "residual").text, "residual: FAILED (<= 0.01); nothing was measured");
    EXPECT_EQ(resultOf(unknown, "objective_falls").text,
              "objective_falls: FAILED (<= 0); nothing was measured");
}

RunReport runOf(const std::string& text) {
    const test::TemporaryFolder folder;
    test::writeText(folder / "scene.json", text);
    RunOptions options;
    options.exec = {.backend = "cpu", .threads = 1};
    return runScene(folder / "scene.json", options);
}

// The same checks in whole runs. By definition: without a tolerance a solve takes all of its iterations, with one
// it ends below it; a single iteration does not get there; Chebyshev iterations know no residual. The matrix of
// [PD14] lowers the objective in every round; over-relaxed steps raise it.
TEST(Run, ChecksOfConvergenceJudgeTheSolver) {
    const RunReport report = runOf(R"({
        "about": "A sheet that falls, and a squeezed block of water.", "duration": 0.1,
        "solver": { "method": "projective" },
        "projective": { "rotationStiffness": 1, "chebyshev": 0, "tolerance": 0.001, "linearIterations": 200 },
        "materials": {
            "canvas": { "kind": "cloth", "spacing": 0.1, "compliance": 1e-3, "tetherStiffness": 0 },
            "water": { "spacing": 0.1 } },
        "bodies": [
            { "name": "sheet", "material": "canvas", "grid": { "size": [0.8, 0, 0.8] }, "center": [0, 1, 0],
              "attach": [{ "min": [-0.5, 0.9, -0.5], "max": [-0.35, 1.1, 0.5] }] },
            { "name": "block", "material": "water", "block": { "min": [2, 0, 0], "max": [2.6, 0.6, 0.6] }, "velocity": [0, -3, 0] } ],
        "shapes": [{ "name": "floor", "plane": { "normal": [0, 1, 0] } }],
        "cases": {
            "converged": { "expect.every": null },
            "every_iteration": { "projective.tolerance": 0, "projective.linearIterations": 7, "expect.residual": null },
            "one_iteration": { "projective.linearIterations": 1, "control": ["residual"], "expect.every": null },
            "chebyshev": { "projective.solver": "chebyshev", "control": ["residual"], "expect.every": null },
            "overshooting": { "projective.relaxation": 1, "projective.chebyshev": 0.998, "control": ["falls"], "expect.every": null },
            "position": { "solver.method": "position", "control": ["residual", "falls"], "expect.every": null }
        },
        "expect": {
            "residual": { "always": true, "max": 0.001 },
            "falls": { "check": "objective_falls", "always": true, "max": 1e-6 },
            "every": { "check": "cg_iterations", "always": true, "min": 7, "max": 7 } } })");
    EXPECT_TRUE(report.passed()) << report.text();
    ASSERT_EQ(report.cases.size(), 6u);
    for (const CaseReport& one : report.cases)
        for (const std::string& name : one.control)
            for (const CheckResult& check : one.checks)
                if (check.check == name) {
                    EXPECT_EQ(check.verdict, Verdict::Failed) << check.text;
                }
}

TEST(Run, ControlsMustFailAndShortRunsAreNotReached) {
    const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "coalesce_run_test.json";
    const std::string text = R"({"materials": {"water": {"spacing": 0.1}}, "duration": 0.1,
        "bodies": [{"name": "drop", "points": [[0, 0, 0]]}],
        "cases": {"falls": {}, "floats": {"world.gravity": [0, 0, 0], "control": ["moves"]}, "wrong": {"control": ["moves"]}},
        "expect": {"moves": {"check": "speed", "min": 0.5}}})";
    std::FILE* out = std::fopen(file.string().c_str(), "w");
    ASSERT_NE(out, nullptr);
    std::fputs(text.c_str(), out);
    std::fclose(out);
    RunOptions options;
    options.exec = {.backend = "cpu", .threads = 1};
    options.repeat = true;
    int frames = 0;
    std::vector<size_t> runs;
    options.onFrame = [&](const RunFrame& f) {
        frames += f.frame > 0;
        if (f.frame == 0) runs.push_back(10 * f.run + f.runs);
    };
    const RunReport report = runScene(file, options);
    ASSERT_EQ(report.cases.size(), 3u);
    EXPECT_EQ(runs, (std::vector<size_t>{13, 23, 33})) << "1 of 3 to 3 of 3";
    EXPECT_EQ(frames, 18) << "three cases of six frames; the repetition is silent";
    EXPECT_TRUE(report.cases[0].passed) << report.text();
    EXPECT_TRUE(report.cases[1].passed) << "a control that fails as it must";
    EXPECT_FALSE(report.cases[2].passed) << "a control that does not fail";
    EXPECT_FALSE(report.passed());
    EXPECT_NE(report.cases[0].hash, report.cases[1].hash);
    EXPECT_EQ(report.cases[0].hash, report.cases[2].hash);

    options.frames = 2;
    options.caseName = "wrong";
    const RunReport brief = runScene(file, options);
    EXPECT_TRUE(brief.passed()) << "a check at the end is not judged in a shorter run";
    EXPECT_EQ(brief.cases[0].frames, 2u);
    EXPECT_NE(brief.text().find("1 check not reached: the run ended before"), std::string::npos)
        << brief.text();

    // one that is stopped ends in order: what it has measured is there, later cases are not run, nothing is compared
    options.caseName.reset();
    options.frames.reset();
    frames = 0;
    options.stop = [&] { return frames == 8; };
    const RunReport stopped = runScene(file, options);
    ASSERT_EQ(stopped.cases.size(), 2u);
    EXPECT_FALSE(stopped.cases[0].stopped);
    EXPECT_TRUE(stopped.stopped && stopped.cases[1].stopped);
    EXPECT_EQ(stopped.cases[1].frames, 2u);
    EXPECT_NE(stopped.text().find("stopped after 2 of 6 frames"), std::string::npos) << stopped.text();
    EXPECT_EQ(stopped.text().find("NOT PASSED"), std::string::npos) << stopped.text();
    EXPECT_NE(stopped.json().find("\"stopped\": true"), std::string::npos) << stopped.json();
    EXPECT_NE(stopped.json().find("\"passed\": false"), std::string::npos) << stopped.json();
    options.stop = {};

    // what a set value breaks is no fault of the scene
    const auto blamesValues = [](const RunReport& r) { return r.text().find("--set") != std::string::npos; };
    EXPECT_FALSE(blamesValues(report));
    options.frames.reset();
    options.caseName = "falls";
    options.sets = {"world.gravity=[0, 0, 0]"};
    const RunReport set = runScene(file, options);
    EXPECT_FALSE(set.passed());
    EXPECT_TRUE(blamesValues(set)) << set.text();
    std::filesystem::remove(file);
}

}  // namespace
}  // namespace coalesce
