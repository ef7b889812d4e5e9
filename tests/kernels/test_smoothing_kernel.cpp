// The smoothing kernel against its definition: quadrature and differences in double.
// The formulas are retyped from Müller et al. 2003 (spiky kernel, eq. 21).
#include <cmath>
#include <gtest/gtest.h>

#include "kernels/math/smoothing_kernel.h"

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

double weightOf(float h, double r) {
    return spiky(smoothing(h), static_cast<float>(r * r)).weight;
}
double slopeOf(float h, double r) {  // dW/dr
    return -spiky(smoothing(h), static_cast<float>(r * r)).slope * r;
}
double definition(double h, double r) {
    return r < h ? 15 / (kPiD * std::pow(h, 6)) * std::pow(h - r, 3) : 0;
}

// Float rounding of a handful of factors, some of them fifth powers: 20 ulp.
constexpr double kRelative = 20 * 0x1p-24;

TEST(Smoothing, IntegratesToOne) {
    for (float h : kSupports)
        EXPECT_NEAR(integrateBall(h, [&](double r) { return weightOf(h, r); }), 1, kRelative) << "h = " << h;
}

// q² is at least 1e-12, so the weight of coincident points is off by 3e-6
TEST(Smoothing, MatchesItsFormula) {
    for (float h : kSupports)
        for (int i = 0; i <= 100; ++i) {
            const double r = i * 0.01 * h;
            EXPECT_NEAR(weightOf(h, r), definition(h, r), 4e-6 * definition(h, 0))
                << "h = " << h << ", q = " << 0.01 * i;
        }
}

// Central differences of a cubic with step ε h err by its third derivative, 90/(π h⁴) ε²/6: 1e-8 of the
// steepest slope.
TEST(Smoothing, SlopeIsTheDerivativeOfTheWeight) {
    const double epsilon = 1e-4;
    for (float h : kSupports) {
        const double steepest = 45 / (kPiD * std::pow(double{h}, 4));
        for (int i = 1; i < 100; ++i) {
            const double r = i * 0.01 * h, e = epsilon * h;
            const double difference = (definition(h, r + e) - definition(h, r - e)) / (2 * e);
            EXPECT_NEAR(slopeOf(h, r), difference, 1e-6 * steepest) << "h = " << h << ", q = " << 0.01 * i;
        }
    }
}

TEST(Smoothing, VanishesAtTheSupportAndBeyond) {
    for (float h : kSupports)
        for (float q : {1.000001f, 1.5f, 10.0f, 1e6f}) {
            const PairWeight<float> w = spiky(smoothing(h), q * h * q * h);
            EXPECT_EQ(w.weight, 0) << "h = " << h << ", q = " << q;
            EXPECT_EQ(w.slope, 0) << "h = " << h << ", q = " << q;
        }
}

TEST(Smoothing, CoincidentPointsHaveFiniteZeroGradient) {
    for (float h : kSupports) {
        const PairWeight<float> w = spiky(smoothing(h), 0.0f);
        EXPECT_TRUE(isFinite(w.slope)) << "h = " << h;
        EXPECT_EQ(w.slope * 0.0f, 0);
        EXPECT_NEAR(w.weight, definition(h, 0), 4e-6 * definition(h, 0));
    }
}

// from a micrometer to a megameter nothing overflows or vanishes
TEST(Smoothing, WorksAtEveryScale) {
    for (float h : {1e-6f, 1e-3f, 1e3f, 1e6f}) {
        const PairWeight<float> w = spiky(smoothing(h), 0.25f * h * h);
        EXPECT_NEAR(w.weight / definition(h, 0.5 * h), 1, 4e-6) << "h = " << h;
        EXPECT_TRUE(isFinite(w.slope) && w.slope > 0) << "h = " << h;
    }
}

// Halves and powers of two do not round: the bits are those of the formulas in q² and 1 − q.
TEST(Smoothing, HalvesDoNotRound) {
    for (float h : kSupports) {
        const SmoothingT<float> s = smoothing(h);
        for (int i = 0; i <= 1000; ++i) {
            const float r2 = h * h * 0.0012f * float(i), q2 = max(r2 * (-2 * s.minusHalfOverH2), 1e-12f);
            const float inverseQ = rsqrt(q2), a = max(fma(-q2, inverseQ, 1.0f), 0.0f), a2 = a * a;
            const PairWeight<float> w = spiky(s, r2);
            EXPECT_EQ(w.weight, s.weight / 8 * (a2 * a)) << "h = " << h << ", r² = " << r2;
            EXPECT_EQ(w.slope, s.slope / 4 * (a2 * inverseQ)) << "h = " << h << ", r² = " << r2;
        }
    }
}

TEST(Smoothing, LanesEqualScalar) {
    for (float h : kSupports) {
        alignas(64) float r2[kLanes], weight[kLanes], slope[kLanes];
        for (int first = 0; first < 10; ++first) {
            for (int lane = 0; lane < kLanes; ++lane) r2[lane] = h * h * 0.0075f * (first * kLanes + lane);
            const PairWeight<LaneFloat> wide = spiky(smoothing(LaneFloat(h)), load(r2, LaneIndex{0}));
            store(weight, LaneIndex{0}, wide.weight);
            store(slope, LaneIndex{0}, wide.slope);
            for (int lane = 0; lane < kLanes; ++lane) {
                const PairWeight<float> one = spiky(smoothing(h), r2[lane]);
                EXPECT_EQ(weight[lane], one.weight) << "h = " << h << ", r² = " << r2[lane];
                EXPECT_EQ(slope[lane], one.slope) << "h = " << h << ", r² = " << r2[lane];
            }
        }
    }
}

// ---- half spaces: everything beyond a plane at distance s, in slices parallel to it ----

double overHalfSpace(double h, double q, double (*integrand)(double h, double r, double z)) {
    return integrate(
        q * h, h,
        [&](double z) {
            const double rim = std::sqrt(std::max(0.0, h * h - z * z));
            return integrate(
                0, rim,
                [&](double rho) { return 2 * kPiD * rho * integrand(h, std::sqrt(z * z + rho * rho), z); },
                400);
        },
        400);
}

TEST(HalfSpace, ShareMatchesTheIntegral) {
    for (float h : {0.04f, 1.0f})
        for (int i = 0; i <= 20; ++i) {
            const double q = 0.05 * i;
            const double share =
                overHalfSpace(h, q, [](double s, double r, double) { return definition(s, r); });
            EXPECT_NEAR(halfSpaceShare(static_cast<float>(q)), share, 1e-5) << "q = " << q;
        }
    EXPECT_NEAR(halfSpaceShare(0), 0.5, 1e-7);
    EXPECT_EQ(halfSpaceShare(-1), halfSpaceShare(0));
    EXPECT_EQ(halfSpaceShare(1), 0);
    EXPECT_EQ(halfSpaceShare(5), 0);
}

// The component of ∇W along the plane's normal, summed over the half space.
TEST(HalfSpace, SlopeMatchesTheIntegral) {
    for (float h : {0.04f, 1.0f})
        for (int i = 0; i <= 20; ++i) {
            const double q = 0.05 * i;
            const double sum = overHalfSpace(h, q, [](double s, double r, double z) {
                return r > 0 && r < s ? 45 / (kPiD * std::pow(s, 6)) * (s - r) * (s - r) * z / r : 0;
            });
            EXPECT_NEAR(halfSpaceSlope(h, static_cast<float>(q)) * h, sum * h, 2e-4) << "q = " << q;
        }
    EXPECT_EQ(halfSpaceSlope(0.1f, 1), 0);
    EXPECT_EQ(halfSpaceSlope(0.1f, 2), 0);
}

// In a plane, behind a line, with the kernel's norm there: 10/(π h²) (1 − r/h)³. The fit is good to 1e-4.
TEST(HalfPlane, ShareAndSlopeAreConsistent) {
    const auto sliced = [](double t) {
        return integrate(
            0, std::sqrt(std::max(0.0, 1 - t * t)),
            [&](double s) {
                return 2 * 10 / kPiD * std::pow(1 - std::min(1.0, std::sqrt(t * t + s * s)), 3);
            },
            400);
    };
    for (int i = 0; i <= 20; ++i) {
        const double q = 0.05 * i;
        EXPECT_NEAR(halfPlaneShare(static_cast<float>(q)), integrate(q, 1, sliced, 400), 1.2e-4)
            << "q = " << q;
        EXPECT_NEAR(0.1f * halfPlaneSlope(0.1f, static_cast<float>(q)), sliced(q), 0.011) << "q = " << q;
        if (i == 0 || i == 20) continue;
        const double step = 1e-3, by = halfPlaneShare(static_cast<float>(q - step)) -
                                       halfPlaneShare(static_cast<float>(q + step));
        EXPECT_NEAR(0.1f * halfPlaneSlope(0.1f, static_cast<float>(q)), by / (2 * step), 1e-3) << "q = " << q;
    }
    EXPECT_NEAR(halfPlaneShare(0), 0.5, 1e-6);
    EXPECT_EQ(halfPlaneShare(2), 0);
    EXPECT_EQ(halfPlaneSlope(0.1f, 2), 0);
}

}  // namespace
}  // namespace coalesce
