#include "geometry/math/rigid_fit.h"

#include <cmath>

namespace coalesce {

namespace {

using Matrix4 = std::array<std::array<double, 4>, 4>;

// Eigenvector of the largest eigenvalue of a symmetric matrix, by Jacobi rotations.
DoubleQuat largestEigenvector(Matrix4 a) {
    Matrix4 v{};
    for (int i = 0; i < 4; ++i) v[i][i] = 1;
    for (int sweep = 0; sweep < 50; ++sweep) {
        double off = 0, diagonal = 0;
        for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 4; ++j) (i == j ? diagonal : off) += a[i][j] * a[i][j];
        if (off <= 1e-32 * diagonal) break;
        for (int p = 0; p < 4; ++p)
            for (int q = p + 1; q < 4; ++q) {
                if (a[p][q] == 0) continue;
                // the rotation in the plane (p, q) that makes a[p][q] zero
                const double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
                const double t = (theta < 0 ? -1 : 1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
                const double c = 1 / std::sqrt(t * t + 1), s = t * c;
                for (int k = 0; k < 4; ++k) {
                    const double x = a[k][p], y = a[k][q];
                    a[k][p] = c * x - s * y, a[k][q] = s * x + c * y;
                }
                for (int k = 0; k < 4; ++k) {
                    const double x = a[p][k], y = a[q][k];
                    a[p][k] = c * x - s * y, a[q][k] = s * x + c * y;
                }
                for (int k = 0; k < 4; ++k) {
                    const double x = v[k][p], y = v[k][q];
                    v[k][p] = c * x - s * y, v[k][q] = s * x + c * y;
                }
            }
    }
    int best = 0;
    for (int i = 1; i < 4; ++i)
        if (a[i][i] > a[best][best]) best = i;
    DoubleQuat q{v[0][best], v[1][best], v[2][best], v[3][best]};
    if (q[0] < 0)
        for (double& c : q) c = -c;
    return q;
}

}  // namespace

DoubleQuat multiply(const DoubleQuat& a, const DoubleQuat& b) {
    return {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
            a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
            a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
            a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
}

DoubleQuat conjugate(const DoubleQuat& q) {
    return {q[0], -q[1], -q[2], -q[3]};
}

Double3 rotate(const DoubleQuat& q, const Double3& a) {
    const DoubleQuat r = multiply(multiply(q, {0, a[0], a[1], a[2]}), conjugate(q));
    return {r[1], r[2], r[3]};
}

double angleOf(const DoubleQuat& q) {
    return 2 * std::atan2(std::sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]), std::abs(q[0]));
}

RigidFit fitRigid(const std::vector<Double3>& p, const std::vector<Double3>& q,
                  const std::vector<double>& mass) {
    RigidFit fit;
    double total = 0;
    for (size_t i = 0; i < p.size(); ++i) {
        total += mass[i];
        for (int k = 0; k < 3; ++k) fit.from[k] += mass[i] * p[i][k], fit.to[k] += mass[i] * q[i][k];
    }
    if (!(total > 0)) return fit;
    for (int k = 0; k < 3; ++k) fit.from[k] /= total, fit.to[k] /= total;

    double s[3][3] = {};
    for (size_t i = 0; i < p.size(); ++i)
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b) s[a][b] += mass[i] * (p[i][a] - fit.from[a]) * (q[i][b] - fit.to[b]);
    Matrix4 m;
    m[0] = {s[0][0] + s[1][1] + s[2][2], s[1][2] - s[2][1], s[2][0] - s[0][2], s[0][1] - s[1][0]};
    m[1] = {m[0][1], s[0][0] - s[1][1] - s[2][2], s[0][1] + s[1][0], s[2][0] + s[0][2]};
    m[2] = {m[0][2], m[1][2], s[1][1] - s[0][0] - s[2][2], s[1][2] + s[2][1]};
    m[3] = {m[0][3], m[1][3], m[2][3], s[2][2] - s[0][0] - s[1][1]};
    fit.rotation = largestEigenvector(m);

    double sum = 0;
    for (size_t i = 0; i < p.size(); ++i) {
        const Double3 turned =
            rotate(fit.rotation, {p[i][0] - fit.from[0], p[i][1] - fit.from[1], p[i][2] - fit.from[2]});
        double r2 = 0;
        for (int k = 0; k < 3; ++k) {
            const double miss = turned[k] + fit.to[k] - q[i][k];
            r2 += miss * miss;
        }
        sum += r2, fit.max = std::max(fit.max, r2);
    }
    fit.rms = std::sqrt(sum / static_cast<double>(p.size()));
    fit.max = std::sqrt(fit.max);
    return fit;
}

}  // namespace coalesce
