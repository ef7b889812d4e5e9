// Vectors summed as whole numbers: the sum does not depend on the order, so that many threads may add to one
// place and a run stays the same bit by bit. Promise: cpu = gpu.
#pragma once

#include "kernels/status.h"
#include "kernels/vec.h"
#include "kernels/view.h"

namespace coalesce {

struct WholeSums {
    View<int64_t> sums;  // three for each row
    float perUnit;       // so many make 1; a power of two

    HD void add(uint32_t row, Vec3 d) const {
        addWhole(&sums[3 * size_t{row}], whole(d.x));
        addWhole(&sums[3 * size_t{row} + 1], whole(d.y));
        addWhole(&sums[3 * size_t{row} + 2], whole(d.z));
    }
    HD Vec3 get(size_t row) const {
        return {part(sums[3 * row]), part(sums[3 * row + 1]), part(sums[3 * row + 2])};
    }
    // Gives the sum and clears it.
    HD Vec3 take(size_t row) const {
        const Vec3 sum = get(row);
        sums[3 * row] = sums[3 * row + 1] = sums[3 * row + 2] = 0;
        return sum;
    }

private:
    // what is not finite or beyond all bounds adds nothing: the particle is in quarantine soon
    HD int64_t whole(float value) const {
        const float n = perUnit * value;
        return n > -1e17f && n < 1e17f ? static_cast<int64_t>(n) : 0;
    }
    HD float part(int64_t n) const { return static_cast<float>(n) / perUnit; }
};

}  // namespace coalesce
