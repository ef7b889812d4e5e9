// Smoothing kernels against their definitions: quadrature and differences in double.
// The formulas are retyped from Müller et al. 2003, eq. 20 and 21, and from Monaghan's cubic spline.
#include <cmath>
#include <gtest/gtest.h>

#include "kernels/smoothing.h"

namespace coalesce {
namespace {

constexpr double kPiD = 3.14159265358979323846;
const float kSupports[] = {0.001f, 0.04f, 0.1f, 1.0f, 16.0f, 100.0f};  // [m]

// Simpson's rule with n (even) intervals
template <class F>
double integrate(double from, double to, F&& f, int n = 2000) {
    const double step = (to - from) / n;
    double sum = f(from) + f(to);
    for (int i = 1; i < n; ++i) sum += (i % 2 ? 4 : 2) * f(from + i * step);
    return sum * step / 3;
}
template <class F>
double integrateBall(double h, F&& ofDistance) {
    return integrate(0, h, [&](double r) { return 4 * kPiD * r * r * ofDistance(r); });
}

double poly6Of(float h, double r) {
    return poly6(smoothing(h), static_cast<float>(r * r));
}
double spikySlopeOf(float h, double r) {  // dW/dr
    return -spikyOverR(smoothing(h), static_cast<float>(r * r)) * r;
}
// the potential whose gradient the spiky gradient is: W = 15/(π h⁶) (h − r)³
double spikyPotential(double h, double r) {
    return r < h ? 15 / (kPiD * std::pow(h, 6)) * std::pow(h - r, 3) : 0;
}

// Float rounding of a handful of factors, some of them ninth powers: 20 ulp.
constexpr double kRelative = 20 * 0x1p-24;

TEST(Smoothing, Poly6IntegratesToOne) {
    for (float h : kSupports)
        EXPECT_NEAR(integrateBall(h, [&](double r) { return poly6Of(h, r); }), 1, kRelative) << "h = " << h;
}

TEST(Smoothing, CubicSplineIntegratesToOne) {
    for (float h : kSupports)
        EXPECT_NEAR(integrateBall(h, [&](double r) { return cubicSpline(h, static_cast<float>(r)); }), 1,
                    kRelative)
            << "h = " << h;
}

// ∫ of a kernel is 1, so by parts −(4π/3) ∫ r³ dW/dr dr = 1: the slope is that of a normalized kernel.
TEST(Smoothing, SpikySlopeBelongsToANormalizedKernel) {
    for (float h : kSupports)
        EXPECT_NEAR(integrate(0, h, [&](double r) { return -4 * kPiD / 3 * r * r * r * spikySlopeOf(h, r); }),
                    1, kRelative)
            << "h = " << h;
}

TEST(Smoothing, Poly6IsItsFormula) {
    for (float h : kSupports) {
        const double atZero = 315 / (64 * kPiD * std::pow(double{h}, 3));
        for (int i = 0; i <= 100; ++i) {
            const double r = i * 0.01 * h, q2 = i * i * 1e-4;
            EXPECT_NEAR(poly6Of(h, r), atZero * std::pow(1 - q2, 3), kRelative * atZero)
                << "h = " << h << ", q = " << 0.01 * i;
        }
    }
}

// Central differences of a cubic with step ε h err by W''' ε² h²/6 = 90/(π h⁴) ε²/6: 1e-8 of the steepest
// slope.
TEST(Smoothing, SpikyGradientIsTheSlopeOfItsPotential) {
    const double epsilon = 1e-4;
    for (float h : kSupports) {
        const double steepest = 45 / (kPiD * std::pow(double{h}, 4));
        for (int i = 1; i < 100; ++i) {
            const double r = i * 0.01 * h, e = epsilon * h;
            const double difference = (spikyPotential(h, r + e) - spikyPotential(h, r - e)) / (2 * e);
            EXPECT_NEAR(spikySlopeOf(h, r), difference, 1e-6 * steepest)
                << "h = " << h << ", q = " << 0.01 * i;
        }
    }
}

// The float values themselves carry 1e-7 of W(0), which a difference over 2 · 0.005 h turns into 1e-5 W(0)/h;
// the step's own error is W''' (0.005 h)²/6, about 1e-3 of W(0)/h at most.
TEST(Smoothing, CubicSplineSlopeIsItsDifference) {
    for (float h : kSupports) {
        const double scale = cubicSpline(h, 0) / h;
        for (int i = 1; i < 100; ++i) {
            const double r = i * 0.01 * h, e = 0.005 * h;
            const double difference = (double{cubicSpline(h, static_cast<float>(r + e))} -
                                       cubicSpline(h, static_cast<float>(r - e))) /
                                      (2 * e);
            EXPECT_NEAR(cubicSplineSlope(h, static_cast<float>(r)), difference, 2e-3 * scale)
                << "q = " << 0.01 * i;
        }
        // continuous where its two pieces meet
        EXPECT_NEAR(cubicSpline(h, 0.5f * h), 0.25 * cubicSpline(h, 0), 1e-6 * cubicSpline(h, 0));
        EXPECT_NEAR(cubicSplineSlope(h, 0.4999999f * h), cubicSplineSlope(h, 0.5000001f * h), 1e-5 * scale);
    }
}

TEST(Smoothing, VanishesAtTheSupportAndBeyond) {
    for (float h : kSupports)
        for (float q : {1.0f, 1.0000002f, 1.5f, 10.0f, 1e6f}) {
            const Smoothing s = smoothing(h);
            const float r = q * h;
            EXPECT_EQ(poly6(s, r * r), 0) << "h = " << h << ", q = " << q;
            EXPECT_NEAR(spikyOverR(s, r * r) * r * h * h * h * h, 0, 1e-12) << "h = " << h << ", q = " << q;
            EXPECT_EQ(cubicSpline(h, r), 0) << "h = " << h << ", q = " << q;
            EXPECT_NEAR(cubicSplineSlope(h, r), 0, 0) << "h = " << h << ", q = " << q;
        }
}

TEST(Smoothing, CoincidentPointsPushNowhereAndStayFinite) {
    for (float h : kSupports) {
        const float factor = spikyOverR(smoothing(h), 0.0f);
        EXPECT_TRUE(isFinite(factor)) << "h = " << h;
        EXPECT_EQ(factor * 0.0f, 0);
    }
}

TEST(Smoothing, LanesEqualTheScalar) {
    for (float h : kSupports) {
        alignas(64) float r2[kLanes], w[kLanes], slope[kLanes];
        for (int first = 0; first < 10; ++first) {
            for (int lane = 0; lane < kLanes; ++lane) r2[lane] = h * h * 0.0075f * (first * kLanes + lane);
            const LaneFloat wide = load(r2, LaneIndex{0});
            const SmoothingT<LaneFloat> s = smoothing(LaneFloat(h));
            store(w, LaneIndex{0}, poly6(s, wide));
            store(slope, LaneIndex{0}, spikyOverR(s, wide));
            for (int lane = 0; lane < kLanes; ++lane) {
                EXPECT_EQ(w[lane], poly6(smoothing(h), r2[lane])) << "h = " << h << ", r² = " << r2[lane];
                EXPECT_EQ(slope[lane], spikyOverR(smoothing(h), r2[lane]))
                    << "h = " << h << ", r² = " << r2[lane];
            }
        }
    }
}

// ---- half spaces: everything beyond a plane at distance s, in slices parallel to it ----

TEST(HalfSpace, Poly6ShareIsTheIntegralOverIt) {
    for (float h : {0.04f, 1.0f})
        for (int i = 0; i <= 20; ++i) {
            const double q = 0.05 * i;
            const double share = integrate(
                q * h, h,
                [&](double z) {
                    const double rim = std::sqrt(std::max(0.0, double{h} * h - z * z));
                    return integrate(
                        0, rim,
                        [&](double rho) {
                            const double a = double{h} * h - z * z - rho * rho;
                            return 2 * kPiD * rho * 315 / (64 * kPiD * std::pow(double{h}, 9)) * a * a * a;
                        },
                        200);
                },
                400);
            EXPECT_NEAR(poly6HalfSpace(static_cast<float>(q)), share, 1e-6) << "q = " << q;
        }
    EXPECT_NEAR(poly6HalfSpace(0), 0.5, 1e-7);
    EXPECT_EQ(poly6HalfSpace(-1), poly6HalfSpace(0));
    EXPECT_NEAR(poly6HalfSpace(1), 0, 1e-7);
    EXPECT_EQ(poly6HalfSpace(5), poly6HalfSpace(1));
}

// The component of ∇W along the plane's normal, summed over the half space.
TEST(HalfSpace, SpikyGradientIsTheIntegralOverIt) {
    for (float h : {0.04f, 1.0f})
        for (int i = 0; i <= 20; ++i) {
            const double q = 0.05 * i;
            const double sum = integrate(
                q * h, h,
                [&](double z) {
                    const double rim = std::sqrt(std::max(0.0, double{h} * h - z * z));
                    return integrate(
                        0, rim,
                        [&](double rho) {
                            const double r = std::sqrt(z * z + rho * rho);
                            const double slope =
                                r < h && r > 0 ? 45 / (kPiD * std::pow(double{h}, 6)) * (h - r) * (h - r) : 0;
                            return 2 * kPiD * rho * slope * (r > 0 ? z / r : 0);
                        },
                        400);
                },
                400);
            EXPECT_NEAR(spikyHalfSpaceGradient(h, static_cast<float>(q)) * h, sum * h, 2e-4) << "q = " << q;
        }
    EXPECT_EQ(spikyHalfSpaceGradient(0.1f, 1), 0);
    EXPECT_EQ(spikyHalfSpaceGradient(0.1f, 2), 0);
}

}  // namespace
}  // namespace coalesce
