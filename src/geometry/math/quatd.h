// Rotations in double on the host: Eigen's quaternions, with products in a fixed order, see vec3d.h.
#pragma once

#include <Eigen/Geometry>
#include <cmath>

#include "geometry/math/vec3d.h"

namespace coalesce {

using Quatd = Eigen::Quaterniond;  // w first in constructors

inline Quatd toDouble(Quat q) {
    return {q.w, q.x, q.y, q.z};
}
inline Quat toFloat(const Quatd& q) {
    return {float(q.x()), float(q.y()), float(q.z()), float(q.w())};
}
inline Quatd multiply(const Quatd& a, const Quatd& b) {
    return {a.w() * b.w() - a.x() * b.x() - a.y() * b.y() - a.z() * b.z(),
            a.w() * b.x() + a.x() * b.w() + a.y() * b.z() - a.z() * b.y(),
            a.w() * b.y() - a.x() * b.z() + a.y() * b.w() + a.z() * b.x(),
            a.w() * b.z() + a.x() * b.y() - a.y() * b.x() + a.z() * b.w()};
}
inline Vec3d rotate(const Quatd& q, const Vec3d& a) {
    return multiply(multiply(q, {0, a.x(), a.y(), a.z()}), q.conjugate()).vec();
}
// Angle of the rotation [rad], 0 … π.
inline double angleOf(const Quatd& q) {
    return 2 * std::atan2(length(q.vec()), std::abs(q.w()));
}

}  // namespace coalesce
