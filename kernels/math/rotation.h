// Rotation extraction from a 3×3 matrix A for shape matching: the rotation R that maximizes tr(RᵀA).
#pragma once

#include "kernels/math/vec.h"

namespace coalesce {

struct Mat3 {
    Vec3 x{0, 0, 0}, y{0, 0, 0}, z{0, 0, 0};  // columns
};

HD Mat3& operator+=(Mat3& a, const Mat3& b) {
    a.x += b.x, a.y += b.y, a.z += b.z;
    return a;
}
// a bᵀ
HD Mat3 outer(Vec3 a, Vec3 b) {
    return {b.x * a, b.y * a, b.z * a};
}
HD Quat conjugate(Quat q) {
    return {-q.x, -q.y, -q.z, q.w};
}
HD Quat normalized(Quat q) {
    const float l2 = fma(q.x, q.x, fma(q.y, q.y, fma(q.z, q.z, q.w * q.w)));
    if (!(l2 > 1e-30f)) return {};
    const float s = 1 / sqrt(l2);
    return {s * q.x, s * q.y, s * q.z, s * q.w};
}

// A symmetric 4×4 matrix, upper triangle; rows and columns x, y, z, w.
struct Symmetric4 {
    float xx, xy, xz, xw, yy, yz, yw, zz, zw, ww;
};
HD Quat operator*(const Symmetric4& m, Quat q) {
    return {fma(m.xx, q.x, fma(m.xy, q.y, fma(m.xz, q.z, m.xw * q.w))),
            fma(m.xy, q.x, fma(m.yy, q.y, fma(m.yz, q.z, m.yw * q.w))),
            fma(m.xz, q.x, fma(m.yz, q.y, fma(m.zz, q.z, m.zw * q.w))),
            fma(m.xw, q.x, fma(m.yw, q.y, fma(m.zw, q.z, m.ww * q.w)))};
}
HD Symmetric4 squared(const Symmetric4& m) {
    return {fma(m.xx, m.xx, fma(m.xy, m.xy, fma(m.xz, m.xz, m.xw * m.xw))),
            fma(m.xx, m.xy, fma(m.xy, m.yy, fma(m.xz, m.yz, m.xw * m.yw))),
            fma(m.xx, m.xz, fma(m.xy, m.yz, fma(m.xz, m.zz, m.xw * m.zw))),
            fma(m.xx, m.xw, fma(m.xy, m.yw, fma(m.xz, m.zw, m.xw * m.ww))),
            fma(m.xy, m.xy, fma(m.yy, m.yy, fma(m.yz, m.yz, m.yw * m.yw))),
            fma(m.xy, m.xz, fma(m.yy, m.yz, fma(m.yz, m.zz, m.yw * m.zw))),
            fma(m.xy, m.xw, fma(m.yy, m.yw, fma(m.yz, m.zw, m.yw * m.ww))),
            fma(m.xz, m.xz, fma(m.yz, m.yz, fma(m.zz, m.zz, m.zw * m.zw))),
            fma(m.xz, m.xw, fma(m.yz, m.yw, fma(m.zz, m.zw, m.zw * m.ww))),
            fma(m.xw, m.xw, fma(m.yw, m.yw, fma(m.zw, m.zw, m.ww * m.ww)))};
}
HD Symmetric4 scaled(float s, const Symmetric4& m) {
    return {s * m.xx, s * m.xy, s * m.xz, s * m.xw, s * m.yy,
            s * m.yz, s * m.yw, s * m.zz, s * m.zw, s * m.ww};
}

constexpr int kRotationSquarings = 10;

// tr(R(q)ᵀA) = qᵀKq with a symmetric 4×4 matrix K (Horn 1987), so the best rotation is the eigenvector of K's
// largest eigenvalue, also for mirrored and flat A. K is made positive by a shift and squared ten times: its
// 1024th power projects onto that eigenvector or, where A leaves an axis undetermined (rods, plates without
// thickness, points), onto the space of equally good rotations; the result is then the one nearest to
// `start`, so that bodies do not spin by themselves. Differs from iterative methods in use (Müller et al.
// 2016): no step size, and starts half a turn off cost no more. Accuracy: see
// tests/kernels/test_rotation.cpp.
HD Quat extractRotation(const Mat3& a, Quat start) {
    const float xx = a.x.x, xy = a.y.x, xz = a.z.x;  // row x of A
    const float yx = a.x.y, yy = a.y.y, yz = a.z.y;
    const float zx = a.x.z, zy = a.y.z, zz = a.z.z;
    Symmetric4 k{xx - yy - zz, xy + yx, zx + xz,      zy - yz, yy - xx - zz,
                 yz + zy,      xz - zx, zz - xx - yy, yx - xy, xx + yy + zz};
    // no eigenvalue is below −√3 |A|
    const float size = sqrt(dot(a.x, a.x) + dot(a.y, a.y) + dot(a.z, a.z));
    if (!(size > 1e-30f)) return start;
    k = scaled(1 / size, k);
    const float shift = 1.7320509f;
    k.xx += shift, k.yy += shift, k.zz += shift, k.ww += shift;
    Symmetric4 power = scaled(0.25f, k);
    for (int round = 0; round < kRotationSquarings; ++round) {
        power = squared(power);
        power = scaled(1 / (power.xx + power.yy + power.zz + power.ww), power);
    }
    Quat q = power * start;
    float l2 = fma(q.x, q.x, fma(q.y, q.y, fma(q.z, q.z, q.w * q.w)));
    if (l2 < 1e-10f) {
        // the start is orthogonal to the result, half a turn away: use the largest column of the projection
        const float largest = max(max(power.xx, power.yy), max(power.zz, power.ww));
        if (power.ww == largest)
            q = {power.xw, power.yw, power.zw, power.ww};
        else if (power.xx == largest)
            q = {power.xx, power.xy, power.xz, power.xw};
        else if (power.yy == largest)
            q = {power.xy, power.yy, power.yz, power.yw};
        else
            q = {power.xz, power.yz, power.zz, power.zw};
    }
    q = normalized(q);
    // the projection of a distant start is small and dominated by rounding: project again
    if (l2 < 0.01f) q = normalized(power * q);
    // two power iterations with K itself remove the rounding errors of the squarings
    q = normalized(k * q);
    return normalized(k * q);
}

// Rotation by the angle |ω| dt about ω. Sine and cosine of half the angle by their series, which are exact to rounding
// for |ω| dt < 1; normalized.
HD Quat rotationAfter(float dt, Vec3 omega) {
    const Vec3 half = 0.5f * dt * omega;
    const float a2 = dot(half, half);
    const float sine = 1 - a2 / 6 * (1 - a2 / 20 * (1 - a2 / 42)),  // sin a / a
        cosine = 1 - a2 / 2 * (1 - a2 / 12 * (1 - a2 / 30 * (1 - a2 / 56)));
    return normalized(Quat{sine * half.x, sine * half.y, sine * half.z, cosine});
}

}  // namespace coalesce
