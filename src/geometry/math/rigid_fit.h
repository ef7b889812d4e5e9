// The best rigid transform between two point sets, in double. Used by checks; shares no code with the
// solver's shape matching.
#pragma once

#include <vector>

#include "geometry/math/quatd.h"

namespace coalesce {

struct RigidFit {
    Vec3d from, to;              // centers of mass
    Quatd rotation{1, 0, 0, 0};  // to ≈ rotation (from)
    double rms = 0, max = 0;     // residual distances
};
// Minimizes Σ m |R (p − p̄) + q̄ − q|² over proper rotations: the eigenvector of the largest eigenvalue of
// the symmetric 4×4 matrix made from Σ m (p − p̄)(q − q̄)ᵀ. Horn 1987, "Closed-form solution of absolute
// orientation using unit quaternions". Rods and single points have many best rotations: returns one of them.
RigidFit fitRigid(const std::vector<Vec3d>& p, const std::vector<Vec3d>& q, const std::vector<double>& mass);

}  // namespace coalesce
