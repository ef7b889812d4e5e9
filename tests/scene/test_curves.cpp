// Values over time: expressions, interpolation between keys, camera paths.
#include <cmath>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

#include "scene/timeline/camera_path.h"
#include "scene/timeline/expression.h"
#include "scene/timeline/interpolation.h"

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
    for (const double beyond : {1e20, -1e300, HUGE_VAL, double(NAN)}) {
        EXPECT_TRUE(std::isnan(gradientNoise(beyond))) << beyond;
        EXPECT_TRUE(std::isnan(portableSin(beyond * 1e300)) || std::abs(beyond) < 1e300) << beyond;
    }
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
    return length(a - b);
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

CameraView moving(CameraSpline spline, bool constantSpeed, float fov = 45) {
    CameraView camera;
    camera.spline = spline, camera.constantSpeed = constantSpeed, camera.fov = fov;
    return camera;
}

TEST(CameraPath, IsTheCentripetalCatmullRomSpline) {
    const std::vector<CameraKey> keys = someKeys();
    const CameraPath path(keys, moving(CameraSpline::catmullRom, false));
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
    const CameraPath even(keys, moving(CameraSpline::catmullRom, true));
    EXPECT_NEAR(even.length(), length, 1e-4 * length);
}

TEST(CameraPath, PassesItsKeysAtTheirTimesWithContinuousVelocity) {
    const std::vector<CameraKey> keys = someKeys();
    for (const CameraSpline spline : {CameraSpline::catmullRom, CameraSpline::hermite}) {
        const CameraPath path(keys, moving(spline, false));
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
    const CameraPath path(keys, moving(CameraSpline::hermite, false));
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
        const CameraPath path(keys, moving(spline, true));
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
    const CameraPath straight({keys[0], keys[1]}, moving(CameraSpline::catmullRom, true));
    EXPECT_LT(distance(straight.at(0.75).eye, Vec3d{1, 1, 0.25}), 1e-9);
}

TEST(CameraPath, StandsAndPansAndDoesNotDivideByZero) {
    std::vector<CameraKey> keys(3);
    for (size_t k = 0; k < 3; ++k)
        keys[k].t = double(k), keys[k].eye = {1, 1, 1}, keys[k].look = {float(k), 0, 0};
    for (const bool constantSpeed : {false, true}) {
        const CameraPath pan(keys, moving(CameraSpline::catmullRom, constantSpeed));
        EXPECT_LT(distance(pan.at(0.5).look, Vec3d{0.5, 0, 0}), 1e-9);
        EXPECT_LT(distance(pan.at(0.5).eye, Vec3d{1, 1, 1}), 1e-12);
        for (CameraKey& key : keys) key.look = {5, 0, 0};
        const CameraPath still(keys, moving(CameraSpline::catmullRom, constantSpeed));
        EXPECT_LT(distance(still.at(1.3).look, Vec3d{5, 0, 0}), 1e-12);
        for (size_t k = 0; k < 3; ++k) keys[k].look = {float(k), 0, 0};
    }
    keys[1].fov = 30, keys[1].roll = 10;
    const CameraPath zoom(keys, moving(CameraSpline::catmullRom, false, 50));
    EXPECT_EQ(zoom.at(1).fov, 30);
    EXPECT_EQ(zoom.at(2).fov, 50);
    EXPECT_EQ(zoom.at(1).roll, 10);
    EXPECT_EQ(zoom.at(1).orthographicHeight, 0);
    CameraView flat = moving(CameraSpline::catmullRom, false);
    flat.orthographicHeight = 4;
    keys[2].orthographicHeight = 1;
    EXPECT_EQ(CameraPath(keys, flat).at(0).orthographicHeight, 4);
    EXPECT_EQ(CameraPath(keys, flat).at(2).orthographicHeight, 1);
}

}  // namespace
}  // namespace coalesce
