#include "geometry/math/rigid_fit.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

namespace coalesce {

RigidFit fitRigid(const std::vector<Vec3d>& p, const std::vector<Vec3d>& q, const std::vector<double>& mass) {
    RigidFit fit;
    double total = 0;
    for (size_t i = 0; i < p.size(); ++i) {
        total += mass[i];
        fit.from += mass[i] * p[i], fit.to += mass[i] * q[i];
    }
    if (!(total > 0)) return fit;
    fit.from /= total, fit.to /= total;

    Eigen::Matrix3d s;
    for (size_t i = 0; i < p.size(); ++i) s += mass[i] * (p[i] - fit.from) * (q[i] - fit.to).transpose();
    // rows and columns w, x, y, z
    Eigen::Matrix4d m;
    m << s(0, 0) + s(1, 1) + s(2, 2), s(1, 2) - s(2, 1), s(2, 0) - s(0, 2), s(0, 1) - s(1, 0),  //
        s(1, 2) - s(2, 1), s(0, 0) - s(1, 1) - s(2, 2), s(0, 1) + s(1, 0), s(2, 0) + s(0, 2),   //
        s(2, 0) - s(0, 2), s(0, 1) + s(1, 0), s(1, 1) - s(0, 0) - s(2, 2), s(1, 2) + s(2, 1),   //
        s(0, 1) - s(1, 0), s(2, 0) + s(0, 2), s(1, 2) + s(2, 1), s(2, 2) - s(0, 0) - s(1, 1);
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix4d> eigen(m);  // values ascend
    const Eigen::Vector4d best = eigen.eigenvectors().col(3) * (eigen.eigenvectors()(0, 3) < 0 ? -1 : 1);
    fit.rotation = {best[0], best[1], best[2], best[3]};

    double sum = 0;
    for (size_t i = 0; i < p.size(); ++i) {
        const Vec3d error = rotate(fit.rotation, p[i] - fit.from) + fit.to - q[i];
        const double r2 = dot(error, error);
        sum += r2, fit.max = std::max(fit.max, r2);
    }
    fit.rms = std::sqrt(sum / double(p.size()));
    fit.max = std::sqrt(fit.max);
    return fit;
}

}  // namespace coalesce
