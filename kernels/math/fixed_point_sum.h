// Vector sums in fixed point. Integer addition is associative, so threads may add to one element in any order
// and the sum has the same bits.
#pragma once

#include "kernels/math/atomics.h"
#include "kernels/math/vec.h"
#include "kernels/math/view.h"

namespace coalesce {

// Larger values count as 10^15, so that 9,000 of them fit into a sum; NaN counts nothing.
HD int64_t toFixed(float units) {
    constexpr float kMost = 1e15f;
    return units == units ? static_cast<int64_t>(clamp(units, -kMost, kMost)) : 0;
}

struct FixedPointSums {
    View<int64_t> sums;  // three per row
    float perUnit;       // fixed-point units per 1.0; a power of two

    HD void add(uint32_t row, Vec3 d) const {
        atomicAddFixed(&sums[3 * size_t{row}], toFixed(perUnit * d.x));
        atomicAddFixed(&sums[3 * size_t{row} + 1], toFixed(perUnit * d.y));
        atomicAddFixed(&sums[3 * size_t{row} + 2], toFixed(perUnit * d.z));
    }
    HD Vec3 get(size_t row) const {
        return {toFloat(sums[3 * row]), toFloat(sums[3 * row + 1]), toFloat(sums[3 * row + 2])};
    }
    // Returns the sum and clears it.
    HD Vec3 take(size_t row) const {
        const Vec3 sum = get(row);
        sums[3 * row] = sums[3 * row + 1] = sums[3 * row + 2] = 0;
        return sum;
    }

private:
    HD float toFloat(int64_t n) const { return static_cast<float>(n) / perUnit; }
};

}  // namespace coalesce
