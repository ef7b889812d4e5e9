// Compensated sums of vectors.
//
// Corrections of positions below half of a float's step (6e-8 m at 1 m from the origin) would be lost. With
// short substeps most of them are that small, and more of them are lost for the particle of a pair that is
// farther from the origin. The other one is then pushed as by a wall: momentum is not conserved, and a splash
// gains energy. Two blocks of water that collide in substeps of 1/6000 s with eight iterations gain 31 % of
// their energy without compensated sums, and lose 12 % with them. What a sum cannot represent is
// kept beside it, and added with the next correction. [KAH65]
#pragma once

#include "kernels/math/vec.h"

namespace coalesce {

template <class R>
struct CompensatedSum {
    Vec3T<R> value;
    Vec3T<R> error;  // exact sum minus value
};

// Adding zero changes nothing: whether a particle was moved tells whether it was touched.
template <class R>
HD CompensatedSum<R> addCompensated(const CompensatedSum<R>& sum, const Vec3T<R>& addend) {
    const Vec3T<R> missing = addend + sum.error;
    const Vec3T<R> value = sum.value + missing;
    const auto adds = R(0) < max(addend.x, -addend.x) + max(addend.y, -addend.y) + max(addend.z, -addend.z);
    return {select(adds, value, sum.value), select(adds, missing - (value - sum.value), sum.error)};
}

// x + dt v − predicted, where `predicted` is that sum rounded: at most one step of a float. Larger
// differences are not due to rounding, and give 0.
HD Vec3 predictionError(Vec3 x, Vec3 v, float dt, Vec3 predicted) {
    const auto error = [dt](float x, float v, float predicted) {
        const float e = fma(dt, v, x - predicted);
        return fabsf(e) <= 1.2e-7f * fabsf(predicted) ? e : 0.0f;
    };
    return {error(x.x, v.x, predicted.x), error(x.y, v.y, predicted.y), error(x.z, v.z, predicted.z)};
}

}  // namespace coalesce
