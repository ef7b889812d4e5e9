// The best rigid transform between two sets of points.
#include <gtest/gtest.h>
#include <numbers>
#include <vector>

#include "core/hash.h"
#include "geometry/math/rigid_fit.h"

namespace coalesce::test {
namespace {

TEST(RigidFit, FindsTheTransformAndTheResidual) {
    std::vector<Vec3d> p, q;
    std::vector<double> mass;
    const Quatd r(Eigen::AngleAxisd(170 * std::numbers::pi / 180, Vec3d{1, 2, -3}.normalized()));
    for (uint64_t i = 0; i < 50; ++i) {
        Vec3d a;
        for (uint64_t k = 0; k < 3; ++k) a[k] = double(mix(3 * i + k) >> 40) / (1 << 24);
        p.push_back(a);
        a = rotate(r, a);
        q.push_back({a[0] + 5, a[1] - 2, a[2] + 1});
        mass.push_back(1 + double(i % 3));
    }
    RigidFit fit = fitRigid(p, q, mass);
    EXPECT_LT(fit.max, 1e-12);
    EXPECT_NEAR(angleOf(multiply(fit.rotation, r.conjugate())), 0, 1e-7);
    // mirrored points cannot be reached by a rotation
    for (Vec3d& a : q) a[0] = -a[0];
    EXPECT_GT(fitRigid(p, q, mass).rms, 0.05);
    // the rotation of a rod about its axis is undefined; the residual is 0 all the same
    p.clear(), q.clear(), mass.clear();
    for (int i = 0; i < 5; ++i) {
        p.push_back({0.1 * i, 0, 0}), q.push_back({0, 0.1 * i, 7}), mass.push_back(1);
    }
    EXPECT_LT(fitRigid(p, q, mass).max, 1e-12);
    // a single point
    EXPECT_LT(fitRigid({{1, 2, 3}}, {{4, 5, 6}}, {1}).max, 1e-12);
}

}  // namespace
}  // namespace coalesce::test
