// The smoothing kernel of support h, its gradient, and its integrals over a half space.
//
//     W(r)  =  15/(π h⁶) (h − r)³            spiky, [MCG03]
//     ∇W(r) = −45/(π h⁶) (h − r)² x/r        its gradient, [MCG03] eq. 21
//
// The density constraint uses W for density and ∇W for corrections. [PBF13] uses poly6 for density and ∇W of
// spiky for corrections; these are then not along the gradient of the constraint, do work on closed paths,
// and a tank never comes to rest (RMS speed 0.1 m/s after 5 s, against 0.02 and falling for the consistent
// pair). Pair functions take the squared distance, are branch-free, and return 0 beyond h.
#pragma once

#include "kernels/math/vec.h"

namespace coalesce {

constexpr float kPi = 3.14159265358979f;

// Factors of one support, computed once per material pair, outside the pair loop. Distances enter as
// q² = r²/h², so that nothing overflows for supports between a micrometer and a megameter. The powers of two
// are those of the halves in spiky; they do not round.
template <class R>
struct SmoothingT {
    R minusHalfOverH2;  // −1/(2h²) [1/m²]
    R weight;           // 8 · 15/(π h³) [1/m³]
    R slope;            // 4 · 45/(π h⁵) [1/m⁵]

    HD R atZero() const { return R(0.125f) * weight; }  // W(0) [1/m³]
};
using Smoothing = SmoothingT<float>;

template <class R>
HD SmoothingT<R> smoothing(R h) {
    const R inverse = R(1) / h, inverse2 = inverse * inverse, inverse3 = inverse2 * inverse;
    return {R(-0.5f) * inverse2, R(120 / kPi) * inverse3, R(180 / kPi) * (inverse3 * inverse2)};
}

template <class R>
struct PairWeight {
    R weight;    // W(r) [1/m³]
    R slope;     // −∇W = slope x [1/m⁵]; finite for coincident points, where ∇W becomes zero
    R inverseQ;  // h/r [-], at most 1e6
    R a;         // half of 1 − r/h [-], 0 beyond h: W is proportional to a³
};

// max(a b + c, 0) of sums up to 1: CUDA limits a result to [0, 1] in the same instruction.
template <class R>
HD R fmaOrZero(R a, R b, R c) {
    return max(fma(a, b, c), R(0));
}
#ifdef __CUDA_ARCH__
HD float fmaOrZero(float a, float b, float c) {
    return __saturatef(fma(a, b, c));
}
#endif

// W and slope from r² [m²]; they share the square root. With −q²/2, which the root needs, and half of 1 − q
// in place of q² and 1 − q, this is one product less.
template <class R>
HD PairWeight<R> spiky(const SmoothingT<R>& s, R r2) {
    const R h = min(r2 * s.minusHalfOverH2, R(-0.5e-12f));
    const R inverseQ = rsqrtOfMinusHalf(h);
    const R a = fmaOrZero(h, inverseQ, R(0.5f)), a2 = a * a;
    return {s.weight * (a2 * a), s.slope * (a2 * inverseQ), inverseQ, a};
}

// The share of the kernel's integral beyond a plane at distance q h ≥ 0 from its center:
//     Φ(q) = ∫_q^1 30 [ (1−t)⁴/4 − (1−t)⁵/5 ] dt = 3/2 (1−q)⁵ − (1−q)⁶
// Volume fraction that a wall contributes if the space behind it counts as filled with liquid.
HD float halfSpaceShare(float q) {
    const float a = clamp(1 - q, 0.0f, 1.0f), a2 = a * a;
    return a2 * a2 * a * (1.5f - a);
}

// −dΦ/d(q h) [1/m]: the length of its gradient, which points into the wall.
HD float halfSpaceSlope(float h, float q) {
    const float a = clamp(1 - q, 0.0f, 1.0f), a2 = a * a;
    return 30 / h * (a2 * a2) * (0.25f - 0.2f * a);
}

// The 2D equivalent, beyond a line: ∫_q^1 2 ∫ 10/π (1−√(t²+s²))³ ds dt, whose closed form has logarithms.
// Approximated in half powers of 1−q, exact at q = 0, error 1e-4; the slope is the derivative of the fit, so
// that both are consistent.
HD float halfPlaneShare(float q) {
    const float a = clamp(1 - q, 0.0f, 1.0f), a2 = a * a;
    const float sum = 0.8280275f + a * (0.241503f + a * (-1.3557244f + a * (1.3242618f - 0.5380679f * a)));
    return a2 * a2 * sqrt(a) * sum;
}
HD float halfPlaneSlope(float h, float q) {
    const float a = clamp(1 - q, 0.0f, 1.0f);
    const float sum =
        4.5f * 0.8280275f +
        a * (5.5f * 0.241503f + a * (6.5f * -1.3557244f + a * (7.5f * 1.3242618f - 8.5f * 0.5380679f * a)));
    return 1 / h * (a * a * a * sqrt(a)) * sum;
}

}  // namespace coalesce
