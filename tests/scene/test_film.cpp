// Tracks, expressions, camera paths, time scale, tools in the timeline, shots.
#include <cmath>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

#include "core/error.h"
#include "scene/build/build.h"
#include "scene/format/writer.h"
#include "scene/reader.h"
#include "scene/timeline/camera_path.h"
#include "scene/timeline/expression.h"
#include "scene/timeline/film_camera.h"
#include "scene/timeline/interpolation.h"
#include "scene/timeline/measurements.h"
#include "scene/timeline/timeline.h"
#include "sim/solver/solver.h"
#include "sim/state/state_file.h"
#include "sim/state/state_hash.h"
#include "sim/world/time_step.h"
#include "support/small_scene.h"

namespace coalesce {
namespace {

using testing::HasSubstr;

// ---- expressions ----

double valueOf(const std::string& text, ExpressionTime time = {}) {
    std::string error;
    const Expression expression(text, error);
    EXPECT_EQ(error, "") << text;
    return expression.evaluate(time, [](const MeasureCall& call) {
        return call.of == "ball.2" && call.measure == Measure::y ? 7 : call.of == "my ball" ? 9 : -1;
    });
}
std::string errorOf(const std::string& text) {
    std::string error;
    Expression(text, error);
    return error;
}

TEST(Expression, FollowsTheUsualPrecedence) {
    EXPECT_EQ(valueOf("1 + 2 * 3 - 4 / 8"), 6.5);
    EXPECT_EQ(valueOf("10 - 3 - 2"), 5);
    EXPECT_EQ(valueOf("-2^2"), -4);
    EXPECT_EQ(valueOf("(1 + 2) * -(3 - 5)"), 6);
    EXPECT_EQ(valueOf("2.5e-1 * 4e2"), 100);
    EXPECT_EQ(valueOf("1 < 2 && !(3 <= 2) || 0"), 1);
    EXPECT_EQ(valueOf("if(t >= 1, 10, 20)", {.t = 0.5}), 20);
    EXPECT_EQ(valueOf("mod(-1, 3) + floor(-0.5) + round(2.5) + sign(-4)"), 3);
    EXPECT_EQ(valueOf("clamp(5, 0, 1) + min(2, 3) + max(2, 3) + mix(10, 20, 0.25) + abs(-1)"), 19.5);
    EXPECT_EQ(valueOf("smoothstep(1, 3, 2)"), 0.5);
    EXPECT_EQ(valueOf("t + 10 * film + 100 * frame", {1, 2, 3}), 321);
    EXPECT_EQ(valueOf("y(ball.2) + x('my ball')"), 16);
}

TEST(Expression, MatchesTheMathematicalLibrary) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> wide(-1e5, 1e5), near(-20, 20);
    for (int k = 0; k < 20000; ++k) {
        for (const double x : {wide(random), near(random)}) {
            EXPECT_NEAR(portableSin(x), std::sin(x), 4e-16 * (1 + std::abs(x) * 1e-6)) << x;
            EXPECT_NEAR(portableCos(x), std::cos(x), 4e-16 * (1 + std::abs(x) * 1e-6)) << x;
        }
        const double x = near(random) * 30;
        EXPECT_NEAR(portableExp(x) / std::exp(x), 1, 1e-15) << x;
    }
    EXPECT_EQ(portableExp(-1e9), 0);
    EXPECT_TRUE(std::isinf(portableExp(1e9)));
    EXPECT_TRUE(std::isnan(portableExp(NAN)));
}

TEST(Expression, NoiseIsSmoothAndBounded) {
    double largest = 0;
    for (double x = -50; x < 50; x += 0.01) {
        largest = std::max(largest, std::abs(gradientNoise(x)));
        EXPECT_NEAR(gradientNoise(x), gradientNoise(x + 1e-6), 1e-5);
    }
    EXPECT_LE(largest, 1);
    EXPECT_GT(largest, 0.4);
    EXPECT_EQ(gradientNoise(-3), 0);
}

TEST(Expression, ErrorsSayWhatAndWhere) {
    EXPECT_THAT(errorOf("1 + "), HasSubstr("a value is missing at the end (character 5)"));
    EXPECT_THAT(errorOf("1 + * 2"), HasSubstr("\"* 2\" is not expected here (character 5)"));
    EXPECT_THAT(errorOf("2 * sinn(t)"), HasSubstr("no function \"sinn\". Did you mean \"sin\"?"));
    EXPECT_THAT(errorOf("2 * time"), HasSubstr("no name \"time\"; there are t, film, frame and pi"));
    EXPECT_THAT(errorOf("min(1)"), HasSubstr("min takes 2 arguments, not 1"));
    EXPECT_THAT(errorOf("(1 + 2"), HasSubstr("is not closed"));
    EXPECT_THAT(errorOf("2^0.5"), HasSubstr("whole number"));
    EXPECT_THAT(errorOf("1.2.3"), HasSubstr("not a number"));
    EXPECT_THAT(errorOf("y('ball)"), HasSubstr("quote"));
    EXPECT_THAT(errorOf("y()"), HasSubstr("needs the name of a body"));
    EXPECT_THAT(errorOf("1 2"), HasSubstr("\"2\" is not expected"));
    EXPECT_THAT(errorOf(std::string(10000, '(')), HasSubstr("nested too deeply"));
    EXPECT_THAT(errorOf(std::string(10000, '-')), HasSubstr("nested too deeply"));
    std::string sum = "1";
    for (int k = 0; k < 2000; ++k) sum += "+1";
    EXPECT_THAT(errorOf(sum), HasSubstr("too long"));
}

// ---- interpolation ----

std::vector<TrackKey> keysOf(std::initializer_list<std::pair<double, double>> values, Ease ease) {
    std::vector<TrackKey> keys;
    for (const auto& [t, value] : values) keys.push_back({t, {value}, "", ease});
    return keys;
}

TEST(Interpolation, EasesAreTheirFormulas) {
    for (const double u : {0.0, 0.1, 0.25, 0.5, 0.9}) {
        const auto at = [&](Ease ease) { return valueAt(keysOf({{1, 10}, {3, 20}}, ease), 1 + 2 * u)[0]; };
        EXPECT_EQ(at(Ease::step), 10);
        EXPECT_NEAR(at(Ease::linear), 10 + 10 * u, 1e-12);
        EXPECT_NEAR(at(Ease::smooth), 10 + 10 * (3 * u * u - 2 * u * u * u), 1e-12);
        EXPECT_NEAR(at(Ease::easeIn), 10 + 10 * std::pow(u, 3), 1e-12);
        EXPECT_NEAR(at(Ease::easeOut), 20 - 10 * std::pow(1 - u, 3), 1e-12);
        EXPECT_NEAR(at(Ease::spline), 10 + 10 * u, 1e-12) << "two keys: a line";
    }
    EXPECT_EQ(valueAt(keysOf({{1, 10}, {3, 20}}, Ease::step), 3)[0], 20);
    EXPECT_EQ(valueAt(keysOf({{1, 10}, {3, 20}}, Ease::smooth), 0)[0], 10) << "held before the first key";
    EXPECT_EQ(valueAt(keysOf({{1, 10}, {3, 20}}, Ease::smooth), 9)[0], 20);
}

TEST(Interpolation, TheSplineIsSmoothAndDoesNotOvershoot) {
    const auto keys = keysOf({{0, 1}, {1, 1.1}, {1.5, 4}, {4, 4.2}, {5, 0}, {6, 0}}, Ease::spline);
    const auto at = [&](double t) { return valueAt(keys, t)[0]; };
    for (size_t k = 0; k < keys.size(); ++k) EXPECT_NEAR(at(keys[k].t), keys[k].value[0], 1e-12);
    for (size_t k = 0; k + 1 < keys.size(); ++k) {
        const double low = std::min(keys[k].value[0], keys[k + 1].value[0]),
                     high = std::max(keys[k].value[0], keys[k + 1].value[0]);
        for (double t = keys[k].t; t < keys[k + 1].t; t += 0.003) {
            EXPECT_GE(at(t), low - 1e-12) << t;
            EXPECT_LE(at(t), high + 1e-12) << t;
        }
    }
    for (size_t k = 1; k + 1 < keys.size(); ++k) {
        const double h = 1e-6, t = keys[k].t;
        EXPECT_NEAR((at(t) - at(t - h)) / h, (at(t + h) - at(t)) / h, 1e-4) << "continuous slope";
    }
}

// ---- camera paths ----

std::vector<CameraKey> someKeys() {
    std::vector<CameraKey> keys(5);
    const Vec3 eyes[] = {{0, 1, 0}, {2, 1, 0.5f}, {2.5f, 3, 0}, {-1, 2, 4}, {-3, 2, 4}};
    const double times[] = {0.5, 1, 3, 4, 4.25};
    for (size_t k = 0; k < keys.size(); ++k)
        keys[k].t = times[k], keys[k].eye = eyes[k], keys[k].look = {0.1f * float(k), 0, -1};
    return keys;
}
double distance(const Vec3d& a, const Vec3d& b) {
    return std::sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                     (a[2] - b[2]) * (a[2] - b[2]));
}
// Point of a centripetal Catmull-Rom spline by the pyramid of Barry and Goldman, SIGGRAPH 1988.
Vec3d barryGoldman(const Vec3d (&p)[4], double u) {
    double knot[4] = {0};
    for (int k = 1; k < 4; ++k) knot[k] = knot[k - 1] + std::sqrt(distance(p[k], p[k - 1]));
    const double t = knot[1] + u * (knot[2] - knot[1]);
    const auto mix = [&](const Vec3d& a, const Vec3d& b, double ta, double tb) {
        Vec3d out;
        for (int c = 0; c < 3; ++c) out[c] = ((tb - t) * a[c] + (t - ta) * b[c]) / (tb - ta);
        return out;
    };
    const Vec3d a1 = mix(p[0], p[1], knot[0], knot[1]), a2 = mix(p[1], p[2], knot[1], knot[2]),
                a3 = mix(p[2], p[3], knot[2], knot[3]);
    const Vec3d b1 = mix(a1, a2, knot[0], knot[2]), b2 = mix(a2, a3, knot[1], knot[3]);
    return mix(b1, b2, knot[1], knot[2]);
}

TEST(CameraPath, IsTheCentripetalCatmullRomSpline) {
    const std::vector<CameraKey> keys = someKeys();
    const CameraPath path(keys, CameraSpline::catmullRom, false, 45, 0);
    // every point of the path is near the reference curve, and every point of that near the path
    std::vector<Vec3d> reference, ours;
    for (size_t k = 0; k + 1 < keys.size(); ++k) {
        Vec3d p[4];
        for (int i = 0; i < 4; ++i) {
            const long at = long(k) + i - 1;
            const size_t last = keys.size() - 1;
            for (int c = 0; c < 3; ++c)
                p[i][c] = at < 0 ? 2 * toDouble(keys[0].eye)[c] - toDouble(keys[1].eye)[c]
                          : size_t(at) > last
                              ? 2 * toDouble(keys[last].eye)[c] - toDouble(keys[last - 1].eye)[c]
                              : toDouble(keys[size_t(at)].eye)[c];
        }
        for (int s = 0; s < 1000; ++s) reference.push_back(barryGoldman(p, s / 1000.0));
    }
    for (double t = keys.front().t; t <= keys.back().t; t += 0.001) ours.push_back(path.at(t).eye);
    const auto farthest = [](const std::vector<Vec3d>& a, const std::vector<Vec3d>& b) {
        double worst = 0;
        for (size_t i = 0; i < a.size(); i += 7) {
            double best = 1e9;
            for (const Vec3d& q : b) best = std::min(best, distance(a[i], q));
            worst = std::max(worst, best);
        }
        return worst;
    };
    EXPECT_LT(farthest(ours, reference), 5e-3) << "half the distance of reference points";
    EXPECT_LT(farthest(reference, ours), 2e-2);
    // independent of the timing: the length is that of the reference curve
    double length = 0;
    for (size_t i = 1; i < reference.size(); ++i) length += distance(reference[i], reference[i - 1]);
    length += distance(reference.back(), toDouble(keys.back().eye));
    const CameraPath even(keys, CameraSpline::catmullRom, true, 45, 0);
    EXPECT_NEAR(even.length(), length, 1e-4 * length);
}

TEST(CameraPath, PassesItsKeysAtTheirTimesWithContinuousVelocity) {
    const std::vector<CameraKey> keys = someKeys();
    for (const CameraSpline spline : {CameraSpline::catmullRom, CameraSpline::hermite}) {
        const CameraPath path(keys, spline, false, 45, 0);
        for (const CameraKey& key : keys) {
            EXPECT_LT(distance(path.at(key.t).eye, toDouble(key.eye)), 1e-6);
            EXPECT_LT(distance(path.at(key.t).look, toDouble(key.look)), 1e-6);
        }
        for (size_t k = 1; k + 1 < keys.size(); ++k) {
            const double t = keys[k].t, h = 1e-5;
            for (int c = 0; c < 3; ++c)
                EXPECT_NEAR((path.at(t).eye[c] - path.at(t - h).eye[c]) / h,
                            (path.at(t + h).eye[c] - path.at(t).eye[c]) / h, 2e-2)
                    << "key " << k;
        }
        EXPECT_EQ(path.at(0).eye, path.at(0.5).eye) << "held before the first key";
        EXPECT_EQ(path.at(99).eye, toDouble(keys.back().eye));
    }
}

TEST(CameraPath, HermiteTangentsAreDifferencesInTime) {
    const std::vector<CameraKey> keys = someKeys();
    const CameraPath path(keys, CameraSpline::hermite, false, 45, 0);
    // derivative at key 2 by a fourth-order difference within one segment's cubic
    const double t = keys[2].t, h = 1e-3;
    for (int c = 0; c < 3; ++c) {
        const auto f = [&](double s) { return path.at(s).eye[c]; };
        const double slope =
            (-25 * f(t) + 48 * f(t + h) - 36 * f(t + 2 * h) + 16 * f(t + 3 * h) - 3 * f(t + 4 * h)) /
            (12 * h);
        const double expected =
            (toDouble(keys[3].eye)[c] - toDouble(keys[1].eye)[c]) / (keys[3].t - keys[1].t);
        EXPECT_NEAR(slope, expected, 1e-8);
    }
}

TEST(CameraPath, ConstantSpeedIsConstant) {
    const std::vector<CameraKey> keys = someKeys();
    for (const CameraSpline spline :
         {CameraSpline::catmullRom, CameraSpline::hermite, CameraSpline::linear}) {
        const CameraPath path(keys, spline, true, 45, 0);
        const double speed = path.length() / (keys.back().t - keys.front().t), h = 1e-4;
        for (double t = 0.51; t < 4.24; t += 0.013) {
            const double v = distance(path.at(t + h).eye, path.at(t).eye) / h;
            // a chord over the corner of a polygon is shorter
            if (spline != CameraSpline::linear) {
                EXPECT_NEAR(v, speed, 2e-3 * speed) << t;
            }
            EXPECT_LT(v, speed * 1.001);
        }
    }
    // a quarter circle's chord points: after half the time half of the way
    const CameraPath straight({keys[0], keys[1]}, CameraSpline::catmullRom, true, 45, 0);
    EXPECT_LT(distance(straight.at(0.75).eye, Vec3d{1, 1, 0.25}), 1e-9);
}

TEST(CameraPath, StandsAndPansAndDoesNotDivideByZero) {
    std::vector<CameraKey> keys(3);
    for (size_t k = 0; k < 3; ++k)
        keys[k].t = double(k), keys[k].eye = {1, 1, 1}, keys[k].look = {float(k), 0, 0};
    for (const bool constantSpeed : {false, true}) {
        const CameraPath pan(keys, CameraSpline::catmullRom, constantSpeed, 45, 0);
        EXPECT_LT(distance(pan.at(0.5).look, Vec3d{0.5, 0, 0}), 1e-9);
        EXPECT_LT(distance(pan.at(0.5).eye, Vec3d{1, 1, 1}), 1e-12);
        for (CameraKey& key : keys) key.look = {5, 0, 0};
        const CameraPath still(keys, CameraSpline::catmullRom, constantSpeed, 45, 0);
        EXPECT_LT(distance(still.at(1.3).look, Vec3d{5, 0, 0}), 1e-12);
        for (size_t k = 0; k < 3; ++k) keys[k].look = {float(k), 0, 0};
    }
    keys[1].fov = 30, keys[1].roll = 10;
    const CameraPath zoom(keys, CameraSpline::catmullRom, false, 50, 0);
    EXPECT_EQ(zoom.at(1).fov, 30);
    EXPECT_EQ(zoom.at(2).fov, 50);
    EXPECT_EQ(zoom.at(1).roll, 10);
}

// ---- the timeline ----

Scene sceneWith(const std::string& more, const std::string& solver = R"("substeps": 2)") {
    return readSceneText(
        R"({"duration": 2, "solver": {)" + solver + R"(},
        "materials": {"sand": {"kind": "grains", "spacing": 0.1}, "water": {"spacing": 0.1}},
        "shapes": [{"name": "floor", "plane": {"normal": [0, 1, 0]}}, {"name": "gate", "box": {"size": [0.2, 0.2, 0.2]}, "position": [2, 2, 2]}],
        "bodies": [{"name": "heap", "material": "sand", "block": {"min": [0, 0.1, 0], "max": [0.4, 0.5, 0.4]}},
                   {"name": "pool", "material": "water", "block": {"min": [0.8, 0, 0], "max": [1.2, 0.3, 0.4]}}],)" +
            (more.find("\"cameras\"") == std::string::npos && more.find("\"camera\": {") == std::string::npos
                 ? R"("camera": {"name": "wide", "eye": [3, 2, 3], "look": [0, 0, 0]})" +
                       std::string(more.empty() ? "" : ",")
                 : "") +
            "\n" + more + "}",
        "f.json");
}

struct FilmRun {
    Scene scene;
    Exec exec{{.backend = "cpu", .threads = 1}};
    World world{exec};
    Solver solver{world};
    Timeline timeline;
    explicit FilmRun(const Scene& s) : scene(s), timeline(s) { buildWorld(scene, world); }
    void frames(int count) {
        for (int k = 0; k < count; ++k) timeline.advance(world), solver.step();
    }
    uint64_t hash() { return stateHash(world); }
};

TEST(Tracks, SetNumbersVectorsSwitchesAndChoices) {
    FilmRun run(sceneWith(R"("tracks": [
        {"set": "world.gravity", "expr": ["0", "-9.81 * (1 - t) ", "0"]},
        {"set": "materials.sand.damping", "keys": [{"t": 0, "value": 0}, {"t": 1, "value": 1, "ease": "smooth"}]},
        {"set": "solver.iterations", "keys": [{"t": 0, "value": 2}, {"t": 1, "value": 8}]},
        {"set": "solver.method", "keys": [{"t": 0, "word": "position"}, {"t": 0.5, "word": "velocity"}]}])"));
    const auto at = [&](double t) {
        run.world.time = t;
        run.timeline.advance(run.world);
    };
    at(0.25);
    EXPECT_FLOAT_EQ(run.world.parameters.world.gravity.y, -9.81f * 0.75f);
    EXPECT_FLOAT_EQ(run.world.materials[0].properties.damping, 0.15625f);
    EXPECT_EQ(run.world.parameters.solver.iterations, 4) << "3.5, rounded";
    EXPECT_EQ(run.world.parameters.solver.method, Method::position);
    at(0.5);
    EXPECT_EQ(run.world.parameters.solver.method, Method::velocity);
    at(0.25);
    EXPECT_EQ(run.world.parameters.solver.method, Method::position) << "a function of time alone";
}

TEST(Tracks, ACommandSetsAChoiceByItsWord) {
    FilmRun run(sceneWith(R"("timeline": [{"at": 0.02, "set": "solver.method", "word": "velocity"}])"));
    run.frames(1);
    EXPECT_EQ(run.world.parameters.solver.method, Method::position);
    run.frames(2);
    EXPECT_EQ(run.world.parameters.solver.method, Method::velocity);
}

TEST(Tracks, MoveShapesEvenlyWithinFrames) {
    FilmRun run(
        sceneWith(R"("tracks": [{"set": "shapes.gate.position", "expr": ["t", "1 + sin(2 * t) ", "0"]}])"));
    run.frames(1);
    for (int k = 0; k < 40; ++k) {
        const Vec3 p = poseAt(run.world.shapes[1], run.world.time).position;
        EXPECT_NEAR(p.x, run.world.time, 1e-5);
        EXPECT_NEAR(p.y, 1 + std::sin(2 * run.world.time), 1e-5);
        run.frames(1);
        EXPECT_GT(length(run.world.shapes[1].velocity), 0.9f) << "collisions see a motion";
    }
}

TEST(Tracks, MeasuresAreMeansInDouble) {
    FilmRun run(sceneWith(""));
    run.frames(7);
    const std::vector<Vec4> x = run.world.particles.x.download(), v = run.world.particles.v.download();
    const std::vector<uint32_t> phase = run.world.particles.phase.download();
    const GroupNames names(run.scene);
    double count = 0, sum[3] = {}, speed[3] = {}, top = -1e9;
    for (size_t i = 0; i < x.size(); ++i) {
        if (!names.find("pool")->has(phase[i])) continue;
        count += 1, sum[0] += double(x[i].x), sum[1] += double(x[i].y), sum[2] += double(x[i].z);
        speed[0] += double(v[i].x), speed[1] += double(v[i].y), speed[2] += double(v[i].z);
        top = std::max(top, double(x[i].y));
    }
    Measurements m(names, run.world);
    EXPECT_EQ(m.valueOf({Measure::count, "pool"}), count);
    EXPECT_NEAR(m.valueOf({Measure::x, "pool"}), sum[0] / count, 4e-6);
    EXPECT_NEAR(m.valueOf({Measure::y, "pool"}), sum[1] / count, 4e-6);
    EXPECT_NEAR(m.valueOf({Measure::z, "pool"}), sum[2] / count, 4e-6);
    EXPECT_NEAR(m.valueOf({Measure::speed, "pool"}), std::hypot(speed[0], speed[1], speed[2]) / count, 4e-6);
    EXPECT_EQ(m.valueOf({Measure::top, "pool"}), top);
    EXPECT_EQ(m.valueOf({Measure::x, "gate"}), 2);
}

TEST(Tracks, ALoadedStateContinuesWithTheSameBits) {
    const Scene scene = sceneWith(R"("tracks": [
        {"set": "solver.timeScale", "keys": [{"t": 0, "value": 1}, {"t": 0.3, "value": 0.3, "ease": "spline"}, {"t": 0.6, "value": 1}]},
        {"set": "world.gravity", "expr": ["speed(pool) ", "-9.81 + noise(5 * film) ", "y(heap) "]},
        {"set": "shapes.gate.position", "keys": [{"t": 0, "value": [-1, 0.1, 0.2]}, {"t": 0.5, "value": [1, 0.1, 0.2], "ease": "smooth"}]}],
        "timeline": [{"at": 0.1, "throw": {"from": [0.2, 1.5, 0.2], "velocity": [0, -3, 0]}, "every": 0.15, "until": 0.45},
                     {"at": 0.2, "until": 0.4, "pour": {"material": "water", "from": [1, 1.5, 0.2], "velocity": [0, -2, 0]}},
                     {"at": 0.1, "gust": {"from": [-1, 0.3, 0.2], "velocity": [5, 0, 0]}, "until": 0.3, "clock": "film"}])");
    FilmRun whole(scene);
    test::TemporaryFolder folder;
    std::vector<uint64_t> hashes;
    for (int frame = 1; frame <= 40; ++frame) {
        whole.frames(1);
        hashes.push_back(whole.hash());
        if (frame == 1 || frame == 9 || frame == 22)
            saveState(whole.world, folder / (std::to_string(frame) + ".state"));
    }
    for (const int from : {1, 9, 22}) {
        FilmRun resumed(scene);
        loadState(resumed.world, folder / (std::to_string(from) + ".state"));
        resumed.timeline.catchUp(resumed.world);
        for (int frame = from + 1; frame <= 40; ++frame) {
            resumed.frames(1);
            ASSERT_EQ(resumed.hash(), hashes[size_t(frame - 1)]) << "frame " << frame << " from " << from;
        }
    }
    FilmRun again(scene);
    again.frames(40);
    EXPECT_EQ(again.hash(), hashes.back());
}

// ---- time scale ----

TEST(TimeScale, OneChangesNoBit) {
    FilmRun plain(sceneWith("")),
        scaled(sceneWith(R"("tracks": [{"set": "solver.timeScale", "keys": [{"t": 0, "value": 1}]}])"));
    for (int k = 0; k < 20; ++k) {
        plain.frames(1), scaled.frames(1);
        ASSERT_EQ(plain.hash(), scaled.hash());
    }
}

TEST(TimeScale, AHalfIsTheRunWithTwiceTheFrames) {
    FilmRun slow(sceneWith(R"("tracks": [{"set": "solver.timeScale", "keys": [{"t": 0, "value": 0.5}]}])"));
    FilmRun fine(sceneWith("", R"("substeps": 1, "frameRate": 120)"));
    for (int k = 0; k < 20; ++k) {
        slow.frames(1), fine.frames(1);
        ASSERT_EQ(slow.world.time, fine.world.time);
        ASSERT_EQ(slow.hash(), fine.hash());
    }
}

TEST(TimeScale, SubstepsAreNeverLongerThanInRealTime) {
    Parameters::Solver solver;
    solver.substeps = 6;
    const double real = longestSubstep(solver);
    for (const float scale : {0.01f, 0.1f, 0.25f, 0.3f, 0.5f, 0.99f, 1.0f, 2.0f, 10.0f}) {
        solver.timeScale = scale;
        EXPECT_LE(longestSubstep(solver), real * (1 + 1e-4)) << scale;
        EXPECT_NEAR(frameLength(solver), double(scale) / 60, 1e-12);
    }
    solver.timeScale = 0.5f;
    EXPECT_EQ(fixedSubsteps(solver), 3);
}

TEST(TimeScale, SimulatedTimeIsItsSumOverFrames) {
    FilmRun run(sceneWith(
        R"("tracks": [{"set": "solver.timeScale", "keys": [{"t": 0, "value": 1}, {"t": 0.5, "value": 0.2}]}])"));
    double expected = 0;
    for (int k = 0; k < 40; ++k) {
        run.frames(1);
        expected += (k < 30 ? 1 - 0.8 * (k / 60.0) / 0.5 : 0.2) / 60;
        EXPECT_NEAR(run.world.time, expected, 1e-8);
    }
}

// ---- commands ----

TEST(FilmCommands, ThrowRepeatsAtItsTimes) {
    FilmRun run(sceneWith(
        R"("timeline": [{"at": 0.1, "every": 0.1, "until": 0.35, "throw": {"from": [0, 3, 0], "velocity": [0, 30, 0]}}])"));
    const size_t groups = run.world.groups.size();
    std::vector<int> thrown;  // frames
    size_t before = groups;
    for (int k = 0; k < 40; ++k) {
        run.frames(1);
        if (run.world.groups.size() > before) thrown.push_back(k);
        before = run.world.groups.size();
    }
    EXPECT_EQ(thrown, (std::vector<int>{6, 12, 18}));
}

TEST(FilmCommands, EveryFewFramesOfFilmInSlowMotionToo) {
    FilmRun run(sceneWith(R"("tracks": [{"set": "solver.timeScale", "keys": [{"t": 0, "value": 0.25}]}],
        "timeline": [{"at": 0, "everyFrames": 10, "clock": "film", "throw": {"from": [0, 3, 0], "velocity": [0, 90, 0]}}])"));
    const size_t groups = run.world.groups.size();
    run.frames(35);
    EXPECT_EQ(run.world.groups.size() - groups, 4u) << "frames 0, 10, 20, 30";
}

TEST(FilmCommands, PourLastsUntilItsEnd) {
    FilmRun run(sceneWith(
        R"("timeline": [{"at": 0.1, "until": 0.2, "pour": {"material": "water", "from": [1, 2, 0.2], "velocity": [0, -3, 0]}}])"));
    const size_t start = run.world.count();
    run.frames(6);
    EXPECT_EQ(run.world.count(), start);
    run.frames(6);
    const size_t poured = run.world.count();
    EXPECT_GT(poured, start);
    run.frames(10);
    EXPECT_EQ(run.world.count(), poured);
}

TEST(FilmCommands, APresetSetsItsValues) {
    test::TemporaryFolder folder;
    test::writeText(folder / "moon.json",
                    R"({"values": {"world.gravity": [0, -1.6, 0], "materials.sand.damping": 2}})");
    const std::string scene =
        R"({"materials": {"sand": {"kind": "grains", "spacing": 0.1}}, "bodies": [{"points": [[0, 1, 0]]}],
        "timeline": [{"at": 0.05, "preset": "moon.json"}]})";
    test::writeText(folder / "s.json", scene);
    FilmRun run(readScene(folder / "s.json", {}));
    run.frames(3);
    EXPECT_FLOAT_EQ(run.world.parameters.world.gravity.y, -9.81f);
    run.frames(1);
    EXPECT_FLOAT_EQ(run.world.parameters.world.gravity.y, -1.6f);
    EXPECT_EQ(run.world.materials[0].properties.damping, 2);
    test::writeText(folder / "moon.json", R"({"values": {"materials.sand.spacing": 0.2}})");
    try {
        readScene(folder / "s.json", {});
        ADD_FAILURE();
    } catch (const Error& error) {
        EXPECT_THAT(error.what(),
                    HasSubstr("s.json:2: timeline.0.preset: it sets materials.sand.spacing, which is fixed"));
    }
}

// ---- cameras ----

TEST(FilmCamera, CutsBlendsFollowsAndAims) {
    FilmRun run(sceneWith(R"("cameras": [
            {"name": "wide", "eye": [4, 0, 0], "look": [0, 0, 0], "fov": 40},
            {"name": "aim", "eye": [0, 5, 0], "look": [9, 9, 9], "target": "gate"},
            {"name": "chase", "eye": [0, 1, 3], "look": [0, 0, 0], "follow": "pool"},
            {"name": "round", "eye": [2, 1, 0], "look": [0, 1, 0], "orbit": 90}],
        "timeline": [{"at": 0.5, "camera": "aim"}, {"at": 1, "camera": "chase", "blend": 0.5}])"));
    const FilmCamera film(run.scene);
    const auto at = [&](uint64_t frame, std::optional<size_t> camera = {}) {
        run.world.frame = frame;
        return film.at(run.world, camera);
    };
    EXPECT_TRUE(film.moves());
    EXPECT_EQ(at(29).eye, (Vec3d{4, 0, 0}));
    EXPECT_EQ(at(29).fov, 40);
    EXPECT_EQ(at(30).eye, (Vec3d{0, 5, 0}));
    EXPECT_EQ(at(30).look, (Vec3d{2, 2, 2}));
    const FilmView chase = at(0, 2);
    EXPECT_NEAR(chase.look[0], 1.0, 0.06) << "the pool's center";
    EXPECT_NEAR(chase.eye[2] - chase.look[2], 3, 1e-6);
    EXPECT_NEAR(at(75).eye[1], 0.5 * (5 + at(75, 2).eye[1]), 1e-9) << "half way";
    EXPECT_EQ(at(90).eye, at(90, 2).eye);
    EXPECT_LT(distance(at(60, 3).eye, Vec3d{0, 1, -2}), 1e-6) << "a quarter turn";
    EXPECT_LT(distance(at(120, 3).eye, Vec3d{-2, 1, 0}), 1e-6);
}

TEST(FilmCamera, AKeyWithACutStartsANewPath) {
    const Scene scene =
        sceneWith(R"("cameras": [{"name": "fly", "eye": [1, 1, 1], "look": [0, 0, 0], "keys": [
        {"t": 0, "eye": [0, 1, 5], "look": [0, 0, 0]}, {"t": 1, "eye": [2, 1, 5], "look": [0, 0, 0]},
        {"t": 2, "eye": [9, 1, 5], "look": [0, 0, 0], "cut": true}, {"t": 3, "eye": [9, 3, 5], "look": [0, 0, 0]}]}])");
    const CameraMotion motion(scene.cameras[0]);
    const auto at = [&](double t) {
        return motion.at(t, [](const std::string&) { return std::nullopt; }).eye;
    };
    EXPECT_LT(distance(at(0.5), Vec3d{1, 1, 5}), 1e-9) << "the cut does not bend the path before";
    EXPECT_EQ(at(1.99), (Vec3d{2, 1, 5}));
    EXPECT_EQ(at(2), (Vec3d{9, 1, 5}));
    EXPECT_LT(distance(at(2.5), Vec3d{9, 2, 5}), 1e-9);
}

// ---- files ----

TEST(FilmFormat, WritesWhatItReads) {
    const std::string more = R"("tracks": [
        {"set": "solver.timeScale", "keys": [{"t": 0, "value": 1}, {"t": 1, "value": 0.25, "ease": "smooth"}]},
        {"set": "world.gravity", "clock": "film", "expr": ["0", "-9.81", "noise(t) "]},
        {"set": "solver.method", "keys": [{"t": 0, "word": "position"}]}],
        "cameras": [{"name": "fly", "eye": [1, 1, 1], "look": [0, 0, 0], "roll": 3, "spline": "hermite", "constantSpeed": true,
            "target": "heap", "follow": "gate", "keys": [{"t": 0, "eye": [0, 1, 5], "look": [0, 0, 0], "fov": 30, "roll": 2, "ease": "easeIn"},
            {"t": 1, "eye": [2, 1, 5], "look": [0, 0, 0], "cut": true}]}, {"name": "round", "eye": [2, 1, 0], "look": [0, 1, 0], "orbit": 90}],
        "timeline": [{"at": 1, "throw": {"from": [0, 3, 0], "velocity": [0, 3, 0]}, "every": 0.5, "until": 2},
            {"at": 1, "brush": {"from": [0, 1, 0], "to": [1, 0, 0]}, "everyFrames": 3, "clock": "film"},
            {"at": 1, "pour": {"material": "sand", "from": [0, 3, 0], "velocity": [0, -3, 0]}, "until": 2},
            {"at": 1, "gust": {"from": [0, 3, 0], "velocity": [0, -3, 0]}}, {"at": 1, "camera": "fly", "blend": 1},
            {"at": 1, "marker": "slow"}, {"at": 1, "set": "contacts.friction", "word": "velocity"}],
        "shots": [{"name": "one", "from": 0, "to": 1, "camera": "fly", "resolution": "320x180", "fps": 30, "quality": "record", "output": "one.mp4"}])";
    const Scene scene = sceneWith(more);
    EXPECT_EQ(scene.shots[0].fps, 30);
    EXPECT_EQ(scene.timeline[2].pour->material, 0u);
    EXPECT_EQ(scene.cameras.size(), 2u);
    EXPECT_EQ(scene.cameras[0].keys[0].ease, Ease::easeIn);
    EXPECT_EQ(scene.cameras[0].keys[1].ease, Ease::spline);
    EXPECT_EQ(readSceneText(scene.text, "f.json").text, scene.text);
}

TEST(FilmFormat, ErrorsHaveALineAndAdvice) {
    const auto complaint = [](const std::string& more) {
        try {
            sceneWith(more);
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string("none");
    };
    const auto track = [&](const std::string& text) { return complaint("\"tracks\": [\n" + text + "]"); };
    EXPECT_THAT(track(R"({"set": "materials.snd.damping", "keys": [{"t": 0, "value": 1}]})"),
                testing::AllOf(HasSubstr("f.json:7: tracks.0.keys.0"), HasSubstr("Did you mean \"sand\"?")));
    EXPECT_THAT(track(R"({"set": "solver.relaxation"})"), HasSubstr("needs either keys or expr"));
    EXPECT_THAT(track("{\"set\": \"solver.relaxation\", \"keys\": [{\"t\": 1, \"value\": 1},\n{\"t\": 1, "
                      "\"value\": 2}]}"),
                HasSubstr("f.json:8: tracks.0.keys.1.t: 1 s is not later than the key before, at 1 s"));
    EXPECT_THAT(track(R"({"set": "solver.relaxation", "keys": [{"t": 1}]})"),
                HasSubstr("either value or word"));
    EXPECT_THAT(track(R"({"set": "solver.relaxation", "keys": [{"t": 1, "value": 7}]})"),
                HasSubstr("7 is out of range: 0.1 to 2"));
    EXPECT_THAT(
        track(
            R"({"set": "solver.relaxation", "keys": [{"t": 1, "value": 1}, {"t": 2, "value": [1, 1, 1]}]})"),
        HasSubstr("another kind"));
    EXPECT_THAT(track(R"({"set": "solver.relaxation", "keys": [{"t": 1, "value": 1, "ease": "smoth"}]})"),
                HasSubstr("Did you mean \"smooth\"?"));
    EXPECT_THAT(track(R"({"set": "solver.method", "keys": [{"t": 1, "word": "velocty"}]})"),
                HasSubstr("Did you mean \"velocity\"?"));
    EXPECT_THAT(track(R"({"set": "solver.method", "keys": [{"t": 1, "value": 1}]})"),
                HasSubstr("set by a word: position, projective, velocity"));
    EXPECT_THAT(track(R"({"set": "solver.relaxation", "keys": [{"t": 1, "word": "x"}]})"),
                HasSubstr("takes numbers, no word"));
    EXPECT_THAT(track(R"({"set": "materials.sand.spacing", "keys": [{"t": 1, "value": 1}]})"),
                HasSubstr("fixed when particles are spawned"));
    EXPECT_THAT(track(R"({"set": "solver.frameRate", "keys": [{"t": 1, "value": 1}]})"),
                HasSubstr("use solver.timeScale"));
    EXPECT_THAT(track(R"({"set": "solver.timeScale", "expr": ["1"]})"), HasSubstr("takes keys only"));
    EXPECT_THAT(track(R"({"set": "solver.relaxation", "expr": ["1", "2"]})"),
                HasSubstr("one expression, or three"));
    EXPECT_THAT(track(R"({"set": "solver.relaxation", "expr": ["1 + sn(t) "]})"),
                HasSubstr("f.json:7: tracks.0.expr.0: \"1 + sn(t) \": there is no function"));
    EXPECT_THAT(track(R"({"set": "solver.relaxation", "expr": ["1 + 2 * t"]})"),
                HasSubstr("at 0.508 s 2.0166667 is out of range"));
    EXPECT_THAT(track(R"({"set": "solver.relaxation", "expr": ["y(hep) "]})"),
                HasSubstr("Did you mean \"heap\"?"));
    EXPECT_THAT(track(R"({"set": "shapes.gate.velocity", "expr": ["y(heap) ", "0", "0"]})"),
                HasSubstr("cannot depend on measures"));
    EXPECT_THAT(track("{\"set\": \"solver.relaxation\", \"expr\": [\"1\"]},\n{\"set\": "
                      "\"solver.relaxation\", \"expr\": [\"1\"]}"),
                HasSubstr("f.json:8: tracks.1.set: solver.relaxation has a track already, in line 7"));
    EXPECT_THAT(track("{\"set\": \"shapes.gate.position\", \"expr\": [\"1\", \"1\", \"1\"]},\n{\"set\": "
                      "\"shapes.gate.velocity\", \"expr\": [\"1\", \"1\", \"1\"]}"),
                HasSubstr("moves the shape already, in line 7"));
    EXPECT_THAT(
        complaint(
            R"("tracks": [{"set": "solver.relaxation", "expr": ["1"]}], "timeline": [{"at": 3, "set": "solver.relaxation", "to": 1}])"),
        HasSubstr("set by the timeline too, at 3 s"));

    const auto command = [&](const std::string& text) { return complaint("\"timeline\": [\n" + text + "]"); };
    EXPECT_THAT(
        command(R"({"at": 1, "camera": "wid"})"),
        HasSubstr("f.json:7: timeline.0.camera: no camera is called \"wid\". Did you mean \"wide\"?"));
    EXPECT_THAT(command(R"({"at": 1, "marker": "a", "blend": 1})"),
                HasSubstr("only a cut to a camera can blend"));
    EXPECT_THAT(command(R"({"at": 1, "every": 1, "marker": "a"})"),
                HasSubstr("only throw, cut and brush can be repeated"));
    EXPECT_THAT(
        command(R"({"at": 1, "everyFrames": 3, "throw": {"from": [0, 1, 0], "velocity": [0, 0, 1]}})"),
        HasSubstr("Add \"clock\": \"film\""));
    EXPECT_THAT(command(R"({"at": 1, "until": 2, "throw": {"from": [0, 1, 0], "velocity": [0, 0, 1]}})"),
                HasSubstr("have a duration"));
    EXPECT_THAT(command(R"({"at": 1, "throw": {"from": [0, 1, 0]}})"),
                HasSubstr("throw.velocity: is missing"));
    EXPECT_THAT(command(R"({"at": 1, "preset": "no.json"})"), HasSubstr("no.json"));
    EXPECT_THAT(command(R"({"at": 1, "set": "solver.method", "word": "velocity", "to": 1})"),
                HasSubstr("a choice changes at once"));
    EXPECT_THAT(
        command(R"({"at": 1, "pour": {"material": "watr", "from": [0, 1, 0], "velocity": [0, 0, 1]}})"),
        HasSubstr("Did you mean \"water\"?"));

    const auto camera = [&](const std::string& text) {
        return complaint("\"tracks\": [], \"camera\": {\"eye\": [1, 1, 1], \"look\": [0, 0, 0],\n" + text +
                         "}");
    };
    EXPECT_THAT(
        camera(R"("target": "hep")"),
        HasSubstr(
            "f.json:7: camera.target: no body, material or shape is called \"hep\". Did you mean \"heap\"?"));
    EXPECT_THAT(camera(R"("orbit": 3, "keys": [{"t": 0, "eye": [1, 1, 1], "look": [0, 0, 0]}])"),
                HasSubstr("by keys or on an orbit"));
    EXPECT_THAT(camera(R"("constantSpeed": true)"), HasSubstr("the camera has no keys"));
    EXPECT_THAT(camera(R"("keys": [{"t": 0, "eye": [1, 1, 1], "look": [1, 1, 1]}])"),
                HasSubstr("the same point"));
    EXPECT_THAT(
        camera(
            R"("keys": [{"t": 1, "eye": [1, 1, 1], "look": [0, 1, 1]}, {"t": 0, "eye": [1, 1, 1], "look": [0, 1, 1]}])"),
        HasSubstr("not later than the key before"));

    const auto shot = [&](const std::string& text) {
        return complaint("\"shots\": [\n{\"name\": \"a\", " + text + "}]");
    };
    EXPECT_THAT(shot(R"("from": 2, "to": 1)"),
                HasSubstr("f.json:7: shots.a.to: it must be later than `from`, 2 s"));
    EXPECT_THAT(shot(R"("to": 1, "camera": "wde")"), HasSubstr("Did you mean \"wide\"?"));
    EXPECT_THAT(shot(R"("to": 1, "size": "huge")"), HasSubstr("no size is called \"huge\""));
    EXPECT_THAT(shot(R"("to": 1, "quality": "ellipsoid")"), HasSubstr("Did you mean \"ellipsoids\"?"));
    EXPECT_THAT(shot(R"("to": 1, "resolution": "320")"), HasSubstr("not an image size"));
    EXPECT_THAT(shot(R"("to": 1, "preset": "no.json")"), HasSubstr("no.json"));
}

}  // namespace
}  // namespace coalesce
