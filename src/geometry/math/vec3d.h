// Vectors in double, for geometry on the host.
//
// The type is Eigen's; the functions have the names of kernels/math/vec.h. Results enter the simulation as
// positions and shapes, so their bits are part of the state hash: dot and length add their terms in order
// (Eigen's dot product adds pairwise), and the build disables Eigen's vectorization.
#pragma once

#include <Eigen/Core>
#include <cmath>

#include "kernels/math/vec.h"

namespace coalesce {

using Vec3d = Eigen::Vector3d;  // zero by default, see EIGEN_INITIALIZE_MATRICES_BY_ZERO

inline double dot(const Vec3d& a, const Vec3d& b) {
    return a.x() * b.x() + a.y() * b.y() + a.z() * b.z();
}
inline Vec3d cross(const Vec3d& a, const Vec3d& b) {
    return {a.y() * b.z() - a.z() * b.y(), a.z() * b.x() - a.x() * b.z(), a.x() * b.y() - a.y() * b.x()};
}
inline double length(const Vec3d& a) {
    return std::sqrt(dot(a, a));
}
inline Vec3d normalizeOr(const Vec3d& a, const Vec3d& fallback) {
    const double l = length(a);
    if (l > 1e-150) return (1 / l) * a;
    return fallback;
}

inline Vec3d toDouble(Vec3 a) {
    return {a.x, a.y, a.z};
}
inline Vec3 toFloat(const Vec3d& a) {
    return {float(a.x()), float(a.y()), float(a.z())};
}

// An axis-aligned box.
struct Box3d {
    Vec3d low, high;
    Vec3d size() const { return high - low; }
    Vec3d center() const { return 0.5 * (low + high); }
};

}  // namespace coalesce
