// Frames along curves, against curves whose frames are known: plane ones, where a frame keeps its angle to
// the plane, and a helix, where it turns about the tangent by −∫ τ ds against the curve's own normal.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <vector>

#include "kernels/draw/rope_tube.h"
#include "support/random_values.h"

namespace coalesce::test {
namespace {

Vec3 unit(Vec3 a) {
    return normalizeOr(a, {0, 0, 0});
}

struct Station {
    Vec3 x, t;  // place, unit tangent
};

// A meter straight on, three quarters of a circle of radius 0.3 m, a meter straight on; in a plane turned
// like q.
std::vector<Station> straightCurvedStraight(Quat q, double step) {
    std::vector<Station> line;
    const double radius = 0.3, bend = 1.5 * M_PI * radius;
    for (double s = 0; s < 2 + bend; s += step) {
        const double angle = std::clamp(s - 1, 0.0, bend) / radius;
        double x = std::min(s, 1.0) + radius * std::sin(angle), y = radius * (1 - std::cos(angle));
        const double rest = std::max(s - 1 - bend, 0.0);
        x += rest * std::cos(angle), y += rest * std::sin(angle);
        line.push_back(
            {rotate(q, {static_cast<float>(x), static_cast<float>(y), 0}),
             rotate(q, {static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle)), 0})});
    }
    return line;
}

TEST(RopeFrames, DoNotTwistOnPlanarCurves) {
    const Quat turns[] = {{}, {0.5f, 0.5f, 0.5f, 0.5f}, {0, 0.6f, 0, 0.8f}, {0.36f, 0.48f, 0, 0.8f}};
    for (const Quat q : turns) {
        const std::vector<Station> line = straightCurvedStraight(q, 0.02);
        const Vec3 across = rotate(q, {0, 0, 1});
        Vec3 r = firstFrame(line[0].t);
        const float angle = dot(r, across);
        for (size_t k = 1; k < line.size(); ++k) {
            r = carryFrame(r, line[k - 1].x, line[k - 1].t, line[k].x, line[k].t);
            ASSERT_NEAR(dot(r, across), angle, 1e-4) << "station " << k;  // rounding of 170 steps
            ASSERT_NEAR(dot(r, line[k].t), 0, 1e-5);
            ASSERT_NEAR(length(r), 1, 1e-5);
        }
    }
}

// Radius a, rise 2π b per turn: τ = b / (a² + b²) per meter.
TEST(RopeFrames, RotateAgainstTheNormalOfAHelixByItsTorsion) {
    const double a = 0.4, b = 0.15, c = std::sqrt(a * a + b * b);
    const auto f = [](double value) { return static_cast<float>(value); };
    const auto at = [&](double s) {
        const double u = s / c;
        return Station{{f(a * std::cos(u)), f(a * std::sin(u)), f(b * u)},
                       {f(-a * std::sin(u) / c), f(a * std::cos(u) / c), f(b / c)}};
    };
    const double step = 0.02, torsion = b / (c * c);
    Vec3 r{-1, 0, 0};  // the curve's normal at the start
    double s = 0;
    for (; s < 4; s += step) {
        const Station here = at(s), next = at(s + step);
        r = carryFrame(r, here.x, here.t, next.x, next.t);
    }
    const double u = s / c;
    const Vec3 normal{f(-std::cos(u)), f(-std::sin(u)), 0}, t = at(s).t;
    const double angle = std::atan2(dot(cross(normal, r), t), dot(normal, r));
    EXPECT_NEAR(std::remainder(angle + torsion * s, 2 * M_PI), 0, 1e-3);
    EXPECT_GT(torsion * s, 2.5) << "a frame that stays with the normal would pass as well";
}

TEST(RopeFrames, FirstFrameIsPerpendicularToTheTangentAndContinuous) {
    const Vec3 axis{0.48f, -0.64f, 0.6f};
    for (int k = 0; k < 1000; ++k) {
        const Vec3 t = unit(randomVec3(11, static_cast<uint64_t>(k), -1, 1));
        const Vec3 r = firstFrame(t);
        EXPECT_NEAR(dot(r, t), 0, 1e-4);
        EXPECT_NEAR(length(r), 1, 1e-3);
        const Vec3 near = unit(t + Vec3{1e-3f, -1e-3f, 1e-3f});
        if (dot(axis, t) > -0.9f) {
            EXPECT_LT(length(firstFrame(near) - r), 0.02f);
        }
    }
}

TEST(RopeFrames, AreUnchangedForEqualStations) {
    const Vec3 r{0, 1, 0}, t{1, 0, 0}, x{3, 2, 1};
    EXPECT_EQ(carryFrame(r, x, t, x, t), r);
}

TEST(RopeCurve, InterpolatesItsPointsWithContinuousTangent) {
    const Vec3 p[] = {{0, 0, 0}, {1, 0.2f, 0}, {1.8f, 1, 0.3f}, {2, 2, 0}, {1, 3, 1}};
    EXPECT_EQ(curveAt(p[0], p[1], p[2], p[3], 0).place, p[1]);
    EXPECT_LT(length(curveAt(p[0], p[1], p[2], p[3], 1).place - p[2]), 1e-6f);
    EXPECT_LT(length(curveAt(p[0], p[1], p[2], p[3], 1).slope - curveAt(p[1], p[2], p[3], p[4], 0).slope),
              1e-6f);
    // the slope is the derivative of the place
    const float h = 1e-2f;
    const Vec3 about =
        curveAt(p[0], p[1], p[2], p[3], 0.4f + h).place - curveAt(p[0], p[1], p[2], p[3], 0.4f - h).place;
    EXPECT_LT(length((0.5f / h) * about - curveAt(p[0], p[1], p[2], p[3], 0.4f).slope), 1e-3f);
}

}  // namespace
}  // namespace coalesce::test
