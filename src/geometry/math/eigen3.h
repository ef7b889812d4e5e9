// Eigenvalues of a symmetric 3 × 3 matrix.
#pragma once

#include <array>
#include <utility>

#include "geometry/math/vec3d.h"

namespace coalesce {

struct Symmetric3 {
    double m[3][3] = {};
    // + n nᵀ
    void add(Vec3d n) {
        const double v[] = {n.x, n.y, n.z};
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) m[i][j] += v[i] * v[j];
    }
};

struct Eigen3 {
    std::array<double, 3> values;  // ascending
    std::array<Vec3d, 3> vectors;  // unit
};

// Jacobi rotations until nothing is left beside the diagonal.
inline Eigen3 eigenOf(Symmetric3 a) {
    double v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int sweep = 0; sweep < 30; ++sweep) {
        double beside = 0, on = 0;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) (i == j ? on : beside) += a.m[i][j] * a.m[i][j];
        if (beside <= 1e-30 * on) break;
        for (int p = 0; p < 2; ++p)
            for (int q = p + 1; q < 3; ++q) {
                if (a.m[p][q] == 0) continue;
                const double theta = (a.m[q][q] - a.m[p][p]) / (2 * a.m[p][q]);
                const double t = (theta >= 0 ? 1 : -1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
                const double c = 1 / std::sqrt(t * t + 1), s = t * c;
                for (int k = 0; k < 3; ++k) {
                    const double kp = a.m[k][p], kq = a.m[k][q];
                    a.m[k][p] = c * kp - s * kq, a.m[k][q] = s * kp + c * kq;
                }
                for (int k = 0; k < 3; ++k) {
                    const double pk = a.m[p][k], qk = a.m[q][k];
                    a.m[p][k] = c * pk - s * qk, a.m[q][k] = s * pk + c * qk;
                    const double vp = v[k][p], vq = v[k][q];
                    v[k][p] = c * vp - s * vq, v[k][q] = s * vp + c * vq;
                }
            }
    }
    std::array<int, 3> order{0, 1, 2};
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
            if (a.m[order[j]][order[j]] > a.m[order[j + 1]][order[j + 1]]) std::swap(order[j], order[j + 1]);
    Eigen3 e;
    for (int k = 0; k < 3; ++k) {
        e.values[k] = a.m[order[k]][order[k]];
        e.vectors[k] = {v[0][order[k]], v[1][order[k]], v[2][order[k]]};
    }
    return e;
}

}  // namespace coalesce
