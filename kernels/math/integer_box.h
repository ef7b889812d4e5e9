// Boxes of integers, of forEachReduce.
#pragma once

#include "kernels/math/atomics.h"

namespace coalesce {

struct IntegerBox {
    int32_t low[3], high[3];

    HD static IntegerBox identity() {  // empty
        return {{INT32_MAX, INT32_MAX, INT32_MAX}, {INT32_MIN, INT32_MIN, INT32_MIN}};
    }
    HD static IntegerBox combine(IntegerBox a, const IntegerBox& b) {
        for (int k = 0; k < 3; ++k) {
            a.low[k] = b.low[k] < a.low[k] ? b.low[k] : a.low[k];
            a.high[k] = b.high[k] > a.high[k] ? b.high[k] : a.high[k];
        }
        return a;
    }
    // By several threads at a time.
    HD void extend(const IntegerBox& by) {
        for (int k = 0; k < 3; ++k) {
            atomicMin(&low[k], by.low[k]);
            atomicMax(&high[k], by.high[k]);
        }
    }
};

}  // namespace coalesce
