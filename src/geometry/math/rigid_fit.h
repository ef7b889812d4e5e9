// The best rigid transform between two sets of points, in double: the measuring side's own, which shares
// nothing with the solver's shape matching.
#pragma once

#include <array>
#include <vector>

#include "geometry/math/point_grid.h"

namespace coalesce {

// Unit quaternion, w first.
using DoubleQuat = std::array<double, 4>;

struct RigidFit {
    Double3 from{}, to{};             // centers of mass
    DoubleQuat rotation{1, 0, 0, 0};  // to ≈ rotation (from)
    double rms = 0, max = 0;          // what is left of the distances
};
// Minimizes Σ m |R (p − p̄) + q̄ − q|² over proper rotations: the eigenvector of the largest eigenvalue of the
// symmetric 4×4 matrix made from Σ m (p − p̄)(q − q̄)ᵀ. Horn 1987, "Closed-form solution of absolute
// orientation using unit quaternions". Rods and single points have many best rotations: one of them.
RigidFit fitRigid(const std::vector<Double3>& p, const std::vector<Double3>& q,
                  const std::vector<double>& mass);

DoubleQuat multiply(const DoubleQuat& a, const DoubleQuat& b);
DoubleQuat conjugate(const DoubleQuat& q);
Double3 rotate(const DoubleQuat& q, const Double3& a);
// Angle of the rotation [rad], 0 … π.
double angleOf(const DoubleQuat& q);

}  // namespace coalesce
