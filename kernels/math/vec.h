// Scalar and vector math of the kernels. `R` is float, or LaneFloat for sixteen particles at once.
// Every operation is correctly rounded IEEE arithmetic, so CPU and CUDA give the same bits.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "kernels/math/hd.h"
#include "kernels/math/lane.h"

namespace coalesce {

// ---- scalars, with the same names as the lane versions ----

HD float select(bool condition, float a, float b) {
    return condition ? a : b;
}
HD int select(bool condition, int a, int b) {
    return condition ? a : b;
}
HD bool any(bool condition) {
    return condition;
}
HD bool isBefore(int i, int j) {
    return i < j;
}
HD float fma(float a, float b, float c) {
    return ::fmaf(a, b, c);
}
HD float sqrt(float a) {
    return ::sqrtf(a);
}
HD float toFloat(int a) {
    return static_cast<float>(a);
}

HD int asInt(float a) {
#ifdef __CUDA_ARCH__
    return __float_as_int(a);
#else
    int bits;
    std::memcpy(&bits, &a, 4);
    return bits;
#endif
}
HD float asFloat(int bits) {
#ifdef __CUDA_ARCH__
    return __int_as_float(bits);
#else
    float a;
    std::memcpy(&a, &bits, 4);
    return a;
#endif
}

// Maps float bits to integers of the same order, for integer atomic min and max. Its own inverse.
HD int32_t orderedBits(int32_t bits) {
    return bits ^ ((bits >> 31) & 0x7fffffff);
}

// Own versions, because CPU and GPU differ for NaN: here the second argument is returned then. The sign of a zero
// may differ still, where nvcc makes one instruction of a comparison with 0; hashes take −0 for 0.
template <class R>
HD R min(R a, R b) {
    return select(a < b, a, b);
}
template <class R>
HD R max(R a, R b) {
    return select(a > b, a, b);
}
template <class R>
HD R clamp(R a, R low, R high) {
    return min(max(a, low), high);
}

// Three Newton steps from y towards 1/sqrt(−2h).
template <class R>
HD R improveRsqrt(R y, R h) {
    for (int step = 0; step < 3; ++step) {
        const R t = h * y;
        y = y * fma(t, y, R(1.5f));
    }
    return y;
}
// 1/sqrt(a) with the same bits on every device, relative error 1.4e-7, for 3e-38 < a < 1e38. Hardware
// reciprocal square roots differ between devices. Integer seed, three Newton steps.
template <class R>
HD R rsqrt(R a) {
    return improveRsqrt(R(asFloat(0x5f375a86 - (asInt(a) >> 1))), R(-0.5f) * a);
}
// The same bits from h = −a/2, for those who have it: one product less.
template <class R>
HD R rsqrtOfMinusHalf(R h) {
    return improveRsqrt(R(asFloat(0x1ef75a86 - (asInt(h) >> 1))), h);
}

// e^a with the same bits on every device, relative error 2e-7, for |a| < 80. Split into 2^n and a polynomial
// of the remainder (Taylor about 0, |r| ≤ ln 2 / 2).
HD float exponential(float a) {
    const float scaled = a * 1.44269504f;
    const int n = static_cast<int>(scaled + (scaled < 0 ? -0.5f : 0.5f));
    const float r = fma(toFloat(n), -1.42860677e-6f, fma(toFloat(n), -0.693145752f, a));
    float p = 1.0f / 5040;
    p = fma(p, r, 1.0f / 720);
    p = fma(p, r, 1.0f / 120);
    p = fma(p, r, 1.0f / 24);
    p = fma(p, r, 1.0f / 6);
    p = fma(p, r, 0.5f);
    p = fma(p, r, 1.0f);
    p = fma(p, r, 1.0f);
    return p * asFloat((n + 127) << 23);
}

HD bool isFinite(float a) {
    return (asInt(a) & 0x7f800000) != 0x7f800000;
}

// ---- vectors ----

template <class R>
struct Vec3T {
    R x, y, z;
};
template <class R>
struct alignas(sizeof(R) * 4) Vec4T {
    R x, y, z, w;
};
using Vec3 = Vec3T<float>;
using Vec4 = Vec4T<float>;

template <class R>
HD Vec3T<R> operator+(Vec3T<R> a, Vec3T<R> b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class R>
HD Vec3T<R> operator-(Vec3T<R> a, Vec3T<R> b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class R>
HD Vec3T<R> operator-(Vec3T<R> a) {
    return {-a.x, -a.y, -a.z};
}
template <class R>
HD Vec3T<R> operator*(R s, Vec3T<R> a) {
    return {s * a.x, s * a.y, s * a.z};
}
template <class R>
HD Vec3T<R>& operator+=(Vec3T<R>& a, Vec3T<R> b) {
    a.x += b.x, a.y += b.y, a.z += b.z;
    return a;
}
template <class R>
HD Vec3T<R>& operator-=(Vec3T<R>& a, Vec3T<R> b) {
    a.x -= b.x, a.y -= b.y, a.z -= b.z;
    return a;
}
HD bool operator==(Vec3 a, Vec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

// s a + b
template <class R>
HD Vec3T<R> fma(R s, Vec3T<R> a, Vec3T<R> b) {
    return {fma(s, a.x, b.x), fma(s, a.y, b.y), fma(s, a.z, b.z)};
}
template <class R>
HD R dot(Vec3T<R> a, Vec3T<R> b) {
    return fma(a.x, b.x, fma(a.y, b.y, a.z * b.z));
}
template <class R>
HD Vec3T<R> cross(Vec3T<R> a, Vec3T<R> b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class R>
HD R length(Vec3T<R> a) {
    return sqrt(dot(a, a));
}
template <class R>
HD Vec3T<R> select(decltype(R() < R()) condition, Vec3T<R> a, Vec3T<R> b) {
    return {select(condition, a.x, b.x), select(condition, a.y, b.y), select(condition, a.z, b.z)};
}
HD Vec3 normalizeOr(Vec3 a, Vec3 fallback) {
    const float l2 = dot(a, a);
    return l2 > 1e-30f ? (1 / sqrt(l2)) * a : fallback;
}
HD bool isFinite(Vec3 a) {
    return isFinite(a.x) && isFinite(a.y) && isFinite(a.z);
}

template <class R>
HD Vec3T<R> xyz(Vec4T<R> a) {
    return {a.x, a.y, a.z};
}
template <class R>
HD Vec4T<R> vec4(Vec3T<R> a, R w) {
    return {a.x, a.y, a.z, w};
}

// Unit quaternion, world from body: x y z imaginary, w real.
struct Quat {
    float x = 0, y = 0, z = 0, w = 1;
};
HD Vec3 rotate(Quat q, Vec3 a) {
    const Vec3 u{q.x, q.y, q.z};
    const Vec3 t = 2.0f * cross(u, a);
    return a + q.w * t + cross(u, t);
}
HD Vec3 inverseRotate(Quat q, Vec3 a) {
    return rotate(Quat{-q.x, -q.y, -q.z, q.w}, a);
}
HD Quat operator*(Quat a, Quat b) {
    return {a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

}  // namespace coalesce
