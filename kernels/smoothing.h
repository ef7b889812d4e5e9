// Smoothing kernels of support h, and their integrals over a half space.
//
//     poly6        W(r)   = 315/(64 π h⁹) (h² − r²)³                      [PBF13], [MCG03] eq. 20
//     spiky        ∇W(r)  = −45/(π h⁶) (h − r)² x/r                       [MCG03] eq. 21
//     cubic spline W(r)   = 8/(π h³) { 6q³ − 6q² + 1 for q ≤ ½;  2(1 − q)³ for q ≤ 1 },  q = r/h
//
// The density constraint weighs with poly6 and pushes with the spiky gradient, which does not vanish at r → 0.
// A pair function takes the squared distance, is branch-free, and gives 0 beyond h.
#pragma once

#include "kernels/vec.h"

namespace coalesce {

constexpr float kPi = 3.14159265358979f;

// Factors of one support, computed once per material pair and not in the pair loop. Distances enter as q² = r²/h², so
// that nothing overflows between supports of a micrometer and a megameter.
template <class R>
struct SmoothingT {
    R h;            // [m] support
    R inverseH2;    // 1/h² [1/m²]
    R poly6;        // 315/(64 π h³) [1/m³]
    R spiky;        // 45/(π h⁵) [1/m⁵]
};
using Smoothing = SmoothingT<float>;

template <class R>
HD SmoothingT<R> smoothing(R h) {
    const R inverse = R(1) / h, inverse2 = inverse * inverse, inverse3 = inverse2 * inverse;
    return {h, inverse2, R(315 / (64 * kPi)) * inverse3, R(45 / kPi) * (inverse3 * inverse2)};
}

// W(r) [1/m³], from r² [m²]
template <class R>
HD R poly6(const SmoothingT<R>& s, R r2) {
    const R a = greater(fma(-r2, s.inverseH2, R(1)), R(0));
    return s.poly6 * (a * a * a);
}

// −∇W / x [1/m⁵]: the gradient is −spikyOverR(…) x. For coincident points it is finite, and times x zero.
template <class R>
HD R spikyOverR(const SmoothingT<R>& s, R r2) {
    const R q2 = greater(r2 * s.inverseH2, R(1e-12f));
    const R inverseQ = rsqrt(q2);
    const R a = greater(fma(-q2, inverseQ, R(1)), R(0));
    return (s.spiky * inverseQ) * (a * a);
}

// W(r) [1/m³] of the cubic spline, from r [m]; [PF16] uses it
HD float cubicSpline(float h, float r) {
    const float q = r / h, a = greater(1 - q, 0.0f);
    const float factor = 8 / (kPi * h * h * h);
    return factor * (q <= 0.5f ? 6 * q * q * (q - 1) + 1 : 2 * a * a * a);
}
// dW/dr [1/m⁴] of the cubic spline
HD float cubicSplineSlope(float h, float r) {
    const float q = r / h, a = greater(1 - q, 0.0f);
    const float factor = 48 / (kPi * h * h * h * h);
    return factor * (q <= 0.5f ? q * (3 * q - 2) : -(a * a));
}

// The share of the poly6 sphere that lies beyond a plane at distance s ≥ 0 from its center: with q = s/h,
//     Φ(q) = 315/256 ∫_q^1 (1 − t²)⁴ dt
// What a wall hides from a particle, were the space behind it full of liquid.
HD float poly6HalfSpace(float q) {
    q = clamp(q, 0.0f, 1.0f);
    const float t2 = q * q;
    const float primitive = q * (1 + t2 * (-4.0f / 3 + t2 * (6.0f / 5 + t2 * (-4.0f / 7 + t2 * (1.0f / 9)))));
    return 315.0f / 256 * (128.0f / 315 - primitive);
}

// Length of the sum of spiky gradients over the same half space [1/m]: ∫ |∇W|·cos over it equals the kernel's own
// integral over the plane, (30/h) [ (1−q)⁴/4 − (1−q)⁵/5 ]. It points from the wall into the liquid.
HD float spikyHalfSpaceGradient(float h, float q) {
    const float a = clamp(1 - q, 0.0f, 1.0f), a4 = a * a * a * a;
    return 30 / h * a4 * (0.25f - 0.2f * a);
}

}  // namespace coalesce
