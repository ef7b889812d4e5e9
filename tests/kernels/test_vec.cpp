// Vectors and rotations against the same in double, written from their definitions.
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "kernels/math/fixed_point_sum.h"
#include "kernels/math/vec.h"
#include "support/random_values.h"

namespace coalesce {
namespace {

using Double3 = std::array<double, 3>;

Double3 toDouble(Vec3 a) {
    return {a.x, a.y, a.z};
}
double dotOf(Double3 a, Double3 b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
double lengthOf(Double3 a) {
    return std::sqrt(dotOf(a, a));
}
double distanceOf(Vec3 a, Double3 b) {
    return lengthOf({a.x - b[0], a.y - b[1], a.z - b[2]});
}

// Rows of the rotation matrix of a unit quaternion, in double. The quaternion is normalized first.
std::array<Double3, 3> matrixOf(Quat q) {
    const double n = std::sqrt(double{q.x} * q.x + double{q.y} * q.y + double{q.z} * q.z + double{q.w} * q.w);
    const double x = q.x / n, y = q.y / n, z = q.z / n, w = q.w / n;
    return {{{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
             {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
             {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}}};
}
Double3 times(const std::array<Double3, 3>& m, Double3 a) {
    return {dotOf(m[0], a), dotOf(m[1], a), dotOf(m[2], a)};
}

// Three products and two sums: the rounding error stays below 3 ulp/2 of the sum of magnitudes (Higham
// 2002, 3.1).
TEST(Vec3, DotCrossAndLengthMatchDouble) {
    for (int i = 0; i < 2000; ++i) {
        const Vec3 a = test::randomVec3(1, i, -10, 10), b = test::randomVec3(2, i, -10, 10);
        const Double3 A = toDouble(a), B = toDouble(b);
        const double bound = 3 * 0x1p-24 * lengthOf(A) * lengthOf(B) * 1.8;  // Σ|a b| ≤ √3 |a| |b|
        EXPECT_NEAR(dot(a, b), dotOf(A, B), bound);
        EXPECT_LT(distanceOf(cross(a, b), {A[1] * B[2] - A[2] * B[1], A[2] * B[0] - A[0] * B[2],
                                           A[0] * B[1] - A[1] * B[0]}),
                  2 * bound);
        EXPECT_NEAR(length(a), lengthOf(A), 3 * 0x1p-23 * lengthOf(A));
    }
}

TEST(Vec3, OperatorsWorkPerComponent) {
    const Vec3 a{1, 2, 3}, b{10, 20, 40};
    EXPECT_EQ(a + b, (Vec3{11, 22, 43}));
    EXPECT_EQ(b - a, (Vec3{9, 18, 37}));
    EXPECT_EQ(-a, (Vec3{-1, -2, -3}));
    EXPECT_EQ(2.0f * a, (Vec3{2, 4, 6}));
    EXPECT_EQ(fma(2.0f, a, b), (Vec3{12, 24, 46}));
    Vec3 c = a;
    c += b;
    EXPECT_EQ(c, a + b);
    c -= a;
    EXPECT_EQ(c, b);
    EXPECT_EQ(select(true, a, b), a);
    EXPECT_EQ(select(false, a, b), b);
    EXPECT_EQ(xyz(vec4(a, 7.0f)), a);
    EXPECT_EQ(vec4(a, 7.0f).w, 7);
    EXPECT_EQ(cross(Vec3{1, 0, 0}, Vec3{0, 1, 0}), (Vec3{0, 0, 1}));
}

TEST(Vec3, NormalizeOrReturnsFallbackForZero) {
    const Vec3 up{0, 1, 0};
    EXPECT_EQ(normalizeOr({0, 0, 0}, up), up);
    EXPECT_EQ(normalizeOr({1e-16f, 0, 0}, up), up);
    EXPECT_EQ(normalizeOr({0, 0, -5}, up), (Vec3{0, 0, -1}));
    for (int i = 0; i < 500; ++i)
        EXPECT_NEAR(length(normalizeOr(test::randomVec3(3, i, -1e3f, 1e3f), up)), 1, 3e-7);
}

TEST(Vec3, IsFiniteDetectsInfinityAndNaN) {
    const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
    for (float good : {0.0f, -0.0f, 1e-45f, 3.4e38f, -3.4e38f}) EXPECT_TRUE(isFinite(good)) << good;
    for (float bad : {inf, -inf, nan, -nan}) {
        EXPECT_FALSE(isFinite(bad));
        EXPECT_FALSE(isFinite(Vec3{bad, 0, 0}));
        EXPECT_FALSE(isFinite(Vec3{0, bad, 0}));
        EXPECT_FALSE(isFinite(Vec3{0, 0, bad}));
    }
    EXPECT_TRUE(isFinite(Vec3{1, 2, 3}));
}

TEST(Vec4, IsAlignedForOneLoad) {
    EXPECT_EQ(sizeof(Vec4), 16u);
    EXPECT_EQ(alignof(Vec4), 16u);
}

// The quaternion's own rounding turns by about 1e-7; the arithmetic adds as much.
constexpr double kRotationError = 1e-6;

TEST(Quat, RotationMatchesItsMatrix) {
    for (int i = 0; i < 2000; ++i) {
        const Quat q = test::randomRotation(4, i);
        const Vec3 a = test::randomVec3(5, i, -3, 3);
        EXPECT_LT(distanceOf(rotate(q, a), times(matrixOf(q), toDouble(a))),
                  kRotationError * (1 + length(a)));
    }
}

TEST(Quat, InverseRotateUndoesRotate) {
    for (int i = 0; i < 2000; ++i) {
        const Quat q = test::randomRotation(6, i);
        const Vec3 a = test::randomVec3(7, i, -3, 3);
        EXPECT_LT(distanceOf(inverseRotate(q, rotate(q, a)), toDouble(a)), kRotationError * (1 + length(a)));
        EXPECT_NEAR(length(rotate(q, a)), length(a), kRotationError * (1 + length(a)));
    }
}

TEST(Quat, ProductAppliesTheRightFactorFirst) {
    for (int i = 0; i < 500; ++i) {
        const Quat p = test::randomRotation(8, 2 * i), q = test::randomRotation(8, 2 * i + 1);
        const Vec3 a = test::randomVec3(9, i, -3, 3);
        const Double3 expected = times(matrixOf(p), times(matrixOf(q), toDouble(a)));
        EXPECT_LT(distanceOf(rotate(p * q, a), expected), 2 * kRotationError * (1 + length(a)));
    }
}

TEST(Quat, RotatesRightHanded) {
    const float half = std::sqrt(0.5f);
    const Quat quarterAboutY{0, half, 0, half};
    EXPECT_LT(distanceOf(rotate(quarterAboutY, {1, 0, 0}), {0, 0, -1}), kRotationError);
    EXPECT_EQ(rotate(Quat{}, {1, 2, 3}), (Vec3{1, 2, 3}));
}

// Any number of threads may add to a sum in fixed point; it never wraps.
TEST(FixedPoint, LargeValuesAreLimitedAndNanCountsNothing) {
    EXPECT_EQ(toFixed(-12345.75f), -12345);
    for (const float large : {1e15f, 3e16f, 1e30f, std::numeric_limits<float>::infinity()}) {
        EXPECT_EQ(toFixed(large), int64_t(1e15f));
        EXPECT_EQ(toFixed(-large), -int64_t(1e15f));
    }
    EXPECT_EQ(toFixed(std::numeric_limits<float>::quiet_NaN()), 0);
}

}  // namespace
}  // namespace coalesce
