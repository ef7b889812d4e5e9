// Vectors in double, for geometry on the host that is computed once and then kept as float.
#pragma once

#include <cmath>

#include "kernels/math/vec.h"

namespace coalesce {

struct Vec3d {
    double x = 0, y = 0, z = 0;
};

inline Vec3d operator+(Vec3d a, Vec3d b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
inline Vec3d operator-(Vec3d a, Vec3d b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
inline Vec3d operator*(double s, Vec3d a) {
    return {s * a.x, s * a.y, s * a.z};
}
inline Vec3d operator*(Vec3d a, Vec3d b) {  // component by component
    return {a.x * b.x, a.y * b.y, a.z * b.z};
}
inline Vec3d operator/(Vec3d a, Vec3d b) {
    return {a.x / b.x, a.y / b.y, a.z / b.z};
}
inline double dot(Vec3d a, Vec3d b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
inline Vec3d cross(Vec3d a, Vec3d b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline double length(Vec3d a) {
    return std::sqrt(dot(a, a));
}
inline Vec3d normalizeOr(Vec3d a, Vec3d fallback) {
    const double l = length(a);
    return l > 1e-150 ? (1 / l) * a : fallback;
}
inline Vec3d minimum(Vec3d a, Vec3d b) {
    return {std::fmin(a.x, b.x), std::fmin(a.y, b.y), std::fmin(a.z, b.z)};
}
inline Vec3d maximum(Vec3d a, Vec3d b) {
    return {std::fmax(a.x, b.x), std::fmax(a.y, b.y), std::fmax(a.z, b.z)};
}
inline double largest(Vec3d a) {
    return std::fmax(a.x, std::fmax(a.y, a.z));
}

inline Vec3d toDouble(Vec3 a) {
    return {a.x, a.y, a.z};
}
inline Vec3 toFloat(Vec3d a) {
    return {static_cast<float>(a.x), static_cast<float>(a.y), static_cast<float>(a.z)};
}

// An axis-aligned box.
struct Box3d {
    Vec3d low, high;
    Vec3d size() const { return high - low; }
    Vec3d center() const { return 0.5 * (low + high); }
};

}  // namespace coalesce
