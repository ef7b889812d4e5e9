// The rotation in a matrix. Reference: eigenvectors of Horn's matrix by Jacobi's method, in double.
#include <array>
#include <cmath>
#include <gtest/gtest.h>

#include "kernels/math/rotation.h"
#include "support/random_values.h"

namespace coalesce::test {
namespace {

using Matrix3 = std::array<std::array<double, 3>, 3>;  // [row][column]
using Matrix4 = std::array<std::array<double, 4>, 4>;
using Vector4 = std::array<double, 4>;  // x y z w

Matrix3 operator*(const Matrix3& a, const Matrix3& b) {
    Matrix3 c{};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            for (int k = 0; k < 3; ++k) c[i][j] += a[i][k] * b[k][j];
    return c;
}
Matrix3 diagonal(double x, double y, double z) {
    return {{{x, 0, 0}, {0, y, 0}, {0, 0, z}}};
}
Matrix3 transposed(const Matrix3& a) {
    Matrix3 t{};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) t[i][j] = a[j][i];
    return t;
}
Matrix3 matrixOf(Vector4 q) {
    const double size = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (double& c : q) c /= size;
    const auto [x, y, z, w] = q;
    return {{{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
             {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
             {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}}};
}
Vector4 toDouble(Quat q) {
    return {q.x, q.y, q.z, q.w};
}
Matrix3 randomTurn(uint64_t seed, uint64_t index) {
    return matrixOf(toDouble(randomRotation(seed, index)));
}
Mat3 toFloat(const Matrix3& a) {
    const auto column = [&](int j) {
        return Vec3{static_cast<float>(a[0][j]), static_cast<float>(a[1][j]), static_cast<float>(a[2][j])};
    };
    return {column(0), column(1), column(2)};
}
// as the kernel sees it, so that rounding the matrix is no error of the kernel
Matrix3 widened(const Mat3& a) {
    return {{{a.x.x, a.y.x, a.z.x}, {a.x.y, a.y.y, a.z.y}, {a.x.z, a.y.z, a.z.z}}};
}

// tr(R(q)ᵀ A), with the quaternion as it is or normalized
double overlap(const Matrix3& a, const Vector4& q) {
    const Matrix3 r = matrixOf(q);
    double sum = 0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) sum += r[i][j] * a[i][j];
    return sum;
}

// K with qᵀKq = tr(R(q)ᵀA) for unit q, found from that equation itself: by polarization, not from a formula
Matrix4 hornMatrix(const Matrix3& a) {
    const auto form = [&](const Vector4& q) {
        const double size2 = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
        return size2 * overlap(a, q);
    };
    Matrix4 k{};
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
            Vector4 sum{}, difference{};
            sum[i] += 1, sum[j] += 1, difference[i] += 1, difference[j] -= 1;
            k[i][j] = i == j ? form(sum) / 4 : (form(sum) - form(difference)) / 4;
        }
    return k;
}

struct Eigen {
    Vector4 value;                  // descending
    std::array<Vector4, 4> vector;  // [which], unit
};
Eigen jacobi(Matrix4 m) {
    std::array<Vector4, 4> v{};
    for (int i = 0; i < 4; ++i) v[i][i] = 1;
    for (int sweep = 0; sweep < 60; ++sweep)
        for (int p = 0; p < 4; ++p)
            for (int q = p + 1; q < 4; ++q) {
                if (m[p][q] == 0) continue;
                const double theta = 0.5 * std::atan2(2 * m[p][q], m[q][q] - m[p][p]);
                const double c = std::cos(theta), s = std::sin(theta);
                for (int k = 0; k < 4; ++k) {
                    const double a = m[k][p], b = m[k][q];
                    m[k][p] = c * a - s * b, m[k][q] = s * a + c * b;
                }
                for (int k = 0; k < 4; ++k) {
                    const double a = m[p][k], b = m[q][k];
                    m[p][k] = c * a - s * b, m[q][k] = s * a + c * b;
                }
                m[p][q] = m[q][p] = 0;
                for (int k = 0; k < 4; ++k) {
                    const double a = v[p][k], b = v[q][k];
                    v[p][k] = c * a - s * b, v[q][k] = s * a + c * b;
                }
            }
    std::array<int, 4> order{0, 1, 2, 3};
    std::sort(order.begin(), order.end(), [&](int a, int b) { return m[a][a] > m[b][b]; });
    const auto [a, b, c, d] = order;
    return {{m[a][a], m[b][b], m[c][c], m[d][d]}, {v[a], v[b], v[c], v[d]}};
}

double dot4(const Vector4& a, const Vector4& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}
// angle of the turn between two rotations [rad]
double angleBetween(Vector4 a, Vector4 b) {
    const double scale = std::sqrt(dot4(a, a) * dot4(b, b));
    const double along = std::abs(dot4(a, b)) / scale;
    Vector4 rest;
    const double side = dot4(a, b) < 0 ? -1 : 1;
    for (int k = 0; k < 4; ++k) rest[k] = a[k] / std::sqrt(dot4(a, a)) - side * b[k] / std::sqrt(dot4(b, b));
    // the half chord is exact where the cosine is flat
    return along > 0.9 ? 4 * std::asin(std::min(1.0, 0.5 * std::sqrt(dot4(rest, rest))))
                       : 2 * std::acos(std::min(1.0, along));
}
double frobenius(const Matrix3& a) {
    double sum = 0;
    for (const auto& row : a)
        for (const double c : row) sum += c * c;
    return std::sqrt(sum);
}

// overlap lost against the best rotation, relative to |A|
double loss(const Matrix3& a, Quat q) {
    return (jacobi(hornMatrix(a)).value[0] - overlap(a, toDouble(q))) / frobenius(a);
}

double unitError(Quat q) {
    return std::abs(std::sqrt(dot4(toDouble(q), toDouble(q))) - 1);
}

TEST(Rotation, ReferenceFindsKnownRotations) {
    for (uint64_t k = 0; k < 50; ++k) {
        const Quat q = randomRotation(3, k);
        const Matrix3 s = diagonal(1, 0.5, 0.2), turn = matrixOf(toDouble(q)), other = randomTurn(4, k);
        const Eigen e = jacobi(hornMatrix(turn * other * s * transposed(other)));
        EXPECT_NEAR(e.value[0], 1.7, 1e-12);
        // next: two of the three stretches count against
        EXPECT_NEAR(e.value[1], 1 - 0.5 - 0.2, 1e-12);
        EXPECT_LT(angleBetween(e.vector[0], toDouble(q)), 1e-6);
    }
}

// A deformed body and an arbitrary start: the best rotation is found in one call wherever it is unique.
TEST(Rotation, MatchesReferenceForRandomMatricesFromAnyStart) {
    double worstLoss = 0, worstAngle = 0, worstUnit = 0;
    int clear = 0;
    for (uint64_t k = 0; k < 10000; ++k) {
        Matrix3 wanted;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) wanted[i][j] = randomFloat(11, 9 * k + 3 * i + j, -1, 1);
        // from dust to boulders
        const double scale = std::pow(10.0, randomFloat(12, k, -12, 12));
        const Mat3 a = toFloat(diagonal(scale, scale, scale) * wanted);
        const Matrix3 seen = widened(a);
        const Quat q = extractRotation(a, randomRotation(13, k));
        const Eigen e = jacobi(hornMatrix(seen));
        // (1 − gap/2.7)^1024 of what the start has of the second best is left: below 1e-7 from a gap of 0.05
        const double gap = (e.value[0] - e.value[1]) / frobenius(seen);
        worstUnit = std::max(worstUnit, unitError(q));
        if (gap < 0.05) continue;
        ++clear;
        worstLoss = std::max(worstLoss, loss(seen, q));
        worstAngle = std::max(worstAngle, angleBetween(e.vector[0], toDouble(q)) * gap);
    }
    EXPECT_GT(clear, 8000);
    EXPECT_LT(worstLoss, 1e-12);
    EXPECT_LT(worstAngle, 2e-6) << "[rad]";
    EXPECT_LT(worstUnit, 2e-7);
}

// Nearly singular, flat, line-like and mirrored matrices.
TEST(Rotation, MatchesReferenceForSingularAndMirroredMatrices) {
    struct Stretch {
        const char* name;
        double x, y, z;
    };
    for (const Stretch& s :
         {Stretch{"plate", 1, 0.7, 1e-6}, Stretch{"plate of no thickness", 1, 1, 0},
          Stretch{"mirrored", 1, 0.8, -0.5}, Stretch{"mirrored plate", 1, 0.8, -1e-5},
          Stretch{"thick rod", 1, 0.05, 0.05}, Stretch{"nearly isotropic", 1, 1.0001, 0.9999}}) {
        double worstLoss = 0, worstAngle = 0;
        for (uint64_t k = 0; k < 2000; ++k) {
            const Mat3 a =
                toFloat(randomTurn(21, k) * diagonal(s.x, s.y, s.z) * transposed(randomTurn(22, k)));
            const Matrix3 seen = widened(a);
            const Quat q = extractRotation(a, randomRotation(23, k));
            const Eigen e = jacobi(hornMatrix(seen));
            worstLoss = std::max(worstLoss, loss(seen, q));
            worstAngle = std::max(worstAngle, angleBetween(e.vector[0], toDouble(q)));
            ASSERT_LT(unitError(q), 2e-7);
        }
        EXPECT_LT(worstLoss, 1e-12) << s.name;
        EXPECT_LT(worstAngle, 5e-6) << s.name;
    }
}

// Where the matrix leaves axes undetermined, a family of rotations is equally good: the nearest to the start
// is returned.
TEST(Rotation, IsNearestToTheStartForUndeterminedAxes) {
    struct Open {
        const char* name;
        double x, y, z;
        int family;  // how many eigenvalues share the largest
    };
    for (const Open& o :
         {Open{"rod", 1, 0, 0, 2}, Open{"mirrored, two alike", 1, 0.6, -0.6, 2},
          Open{"point mirrored", -1, -1, -1, 3}, Open{"mirrored plate of two alike", 1, 1, -1, 3}}) {
        double worstLoss = 0, worstAngle = 0;
        for (uint64_t k = 0; k < 2000; ++k) {
            const Matrix3 exact = randomTurn(31, k) * diagonal(o.x, o.y, o.z) * transposed(randomTurn(32, k));
            const Mat3 a = toFloat(exact);
            const Quat start = randomRotation(33, k);
            const Quat q = extractRotation(a, start);
            // the projection of the start to the family is the nearest of it
            const Eigen e = jacobi(hornMatrix(exact));
            ASSERT_NEAR(e.value[0], e.value[o.family - 1], 1e-12);
            ASSERT_GT(e.value[0], e.value[o.family] + 0.5);
            Vector4 nearest{};
            for (int m = 0; m < std::min(o.family, 3); ++m)
                for (int c = 0; c < 4; ++c) nearest[c] += dot4(e.vector[m], toDouble(start)) * e.vector[m][c];
            worstLoss = std::max(worstLoss, loss(widened(a), q));
            // a start at right angles to the family has no nearest
            if (dot4(nearest, nearest) < 0.01) continue;
            worstAngle = std::max(worstAngle, angleBetween(nearest, toDouble(q)));
        }
        EXPECT_LT(worstLoss, 5e-7) << o.name;
        EXPECT_LT(worstAngle, 1e-3) << o.name;
    }
    // a point has no shape: it keeps its rotation
    const Quat start = randomRotation(34, 1);
    const Quat q = extractRotation(Mat3{}, start);
    EXPECT_EQ(0, std::memcmp(&q, &start, sizeof q));
}

// A step that starts where it ended stays there, so that nothing spins by itself. Rounding tells the two best
// rotations of a line of points apart by 1e-7, and the 1024th power makes 1e-4 of that: it settles, slowly.
TEST(Rotation, OfARodDriftsLittleWhenRepeated) {
    for (uint64_t k = 0; k < 20; ++k) {
        const Mat3 a = toFloat(randomTurn(41, k) * diagonal(1, 0, 0) * transposed(randomTurn(42, k)));
        const Quat first = extractRotation(a, randomRotation(43, k));
        Quat q = first;
        for (int step = 0; step < 1000; ++step) q = extractRotation(a, q);
        EXPECT_LT(angleBetween(toDouble(first), toDouble(q)), 0.2) << "[rad]";
    }
    // what has width does not move at all
    const Mat3 thin = toFloat(randomTurn(44, 0) * diagonal(1, 0.02, 0.02) * transposed(randomTurn(45, 0)));
    const Quat first = extractRotation(thin, extractRotation(thin, randomRotation(46, 0)));
    Quat q = first;
    for (int step = 0; step < 10000; ++step) q = extractRotation(thin, q);
    EXPECT_LT(angleBetween(toDouble(first), toDouble(q)), 1e-5) << "[rad]";
}

// A start exactly half a turn away still gives the right result.
TEST(Rotation, IsFoundFromHalfATurnAway) {
    const Quat halves[] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0.6f, 0.8f, 0, 0}};
    for (const Quat half : halves)
        for (uint64_t k = 0; k < 200; ++k) {
            const Quat wanted = k == 0 ? Quat{} : randomRotation(51, k);
            const Matrix3 turn = matrixOf(toDouble(wanted));
            const Mat3 a = toFloat(turn * diagonal(1, 0.8, 0.6));
            const Quat q = extractRotation(a, normalized(wanted * half));
            ASSERT_LT(loss(widened(a), q), 1e-9);
            ASSERT_LT(angleBetween(toDouble(q), toDouble(wanted)), 1e-5) << k;
        }
}

// A warm start does not change a unique result.
TEST(Rotation, DoesNotDependOnTheStartIfUnique) {
    for (uint64_t k = 0; k < 500; ++k) {
        const Mat3 a = toFloat(randomTurn(61, k) * diagonal(1, 0.6, 0.3) * transposed(randomTurn(62, k)));
        const Quat cold = extractRotation(a, randomRotation(63, k)), warm = extractRotation(a, cold);
        ASSERT_LT(angleBetween(toDouble(cold), toDouble(warm)), 2e-6);
    }
}

TEST(Rotation, KeepsTheStartForNonFiniteMatrices) {
    const float nan = std::nanf("");
    const Quat start = randomRotation(71, 0);
    const Quat q = extractRotation({{nan, 0, 0}, {0, 1, 0}, {0, 0, 1}}, start);
    EXPECT_EQ(0, std::memcmp(&q, &start, sizeof q));
}

// e^a against the library's, in double.
TEST(Exponential, IsWithinTwoTenMillionths) {
    double worst = 0;
    for (int k = 0; k <= 1600000; ++k) {
        const float a = -80 + 1e-4f * static_cast<float>(k);
        const double exact = std::exp(static_cast<double>(a));
        worst = std::max(worst, std::abs(exponential(a) / exact - 1));
    }
    EXPECT_LT(worst, 2e-7);
    EXPECT_EQ(exponential(0), 1);
    EXPECT_EQ(exponential(-0.0f), 1);
}

}  // namespace
}  // namespace coalesce::test
