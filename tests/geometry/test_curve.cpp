// Curves through points against straight lines and circles.
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

#include "geometry/math/curve.h"

namespace coalesce {
namespace {

TEST(Curve, StraightLineHasUniformSpeed) {
    const std::vector<Vec3> points = {{0, 1, 0}, {3, 1, 4}};
    const Curve curve(points);
    EXPECT_NEAR(curve.length(), 5, 1e-12);
    for (int k = 0; k <= 10; ++k) {
        const auto [at, direction] = curve.at(0.5 * k);
        EXPECT_NEAR(at.x(), 0.3 * k, 1e-12);
        EXPECT_NEAR(at.y(), 1, 1e-12);
        EXPECT_NEAR(at.z(), 0.4 * k, 1e-12);
        EXPECT_NEAR(direction.x(), 0.6, 1e-12);
        EXPECT_NEAR(direction.z(), 0.8, 1e-12);
    }
    EXPECT_NEAR(curve.at(-1).at.x(), 0, 1e-12) << "held to its ends";
    EXPECT_NEAR(curve.at(9).at.x(), 3, 1e-12);
}

// A circle through 48 points: the spline between points of one circle errs by about (π/48)⁴.
TEST(Curve, FollowsACircleByArcLength) {
    std::vector<Vec3> points;
    const double pi = std::numbers::pi;
    const int n = 48;
    // two more than a turn, for the ends have no neighbor to be smooth with
    for (int k = -1; k <= n + 1; ++k)
        points.push_back({static_cast<float>(2 * std::cos(2 * pi * k / n)), 0,
                          static_cast<float>(2 * std::sin(2 * pi * k / n))});
    const Curve curve(points);
    const double step = 4 * pi / n;
    EXPECT_NEAR(curve.length(), (n + 2) * step, 2e-3);
    for (int k = 0; k < 200; ++k) {
        const double angle = 2 * pi * k / 200;
        const auto [at, direction] = curve.at(step + 2 * angle);
        EXPECT_NEAR(at.x(), 2 * std::cos(angle), 2e-3);
        EXPECT_NEAR(at.z(), 2 * std::sin(angle), 2e-3);
        EXPECT_NEAR(direction.x(), -std::sin(angle), 4e-3);
        EXPECT_NEAR(direction.z(), std::cos(angle), 4e-3);
    }
}

TEST(Curve, InterpolatesItsPointsAndAcceptsDuplicates) {
    const std::vector<Vec3> points = {{0, 0, 0}, {1, 2, 0}, {1, 2, 0}, {4, 0, 1}};
    const Curve curve(points);
    double nearest = 1e9;
    for (int k = 0; k <= 2000; ++k)
        nearest = std::min(nearest, length(curve.at(curve.length() * k / 2000).at - toDouble(points[1])));
    EXPECT_LT(nearest, 2e-3);
    EXPECT_NEAR(length(curve.at(curve.length()).at - toDouble(points[3])), 0, 1e-12);
    const std::vector<Vec3> same = {{1, 1, 1}, {1, 1, 1}};
    EXPECT_EQ(Curve(same).length(), 0);
    EXPECT_EQ(Curve(same).at(0.5).at.x(), 1);
}

}  // namespace
}  // namespace coalesce
