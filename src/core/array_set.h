// Several arrays of one length whose elements a kernel moves together, to permute all of them in one launch.
#pragma once

#include <cstring>
#include <span>
#include <vector>

#include "kernels/math/vec.h"
#include "kernels/math/view.h"

namespace coalesce {

struct ArrayPair {
    const void* from;
    void* to;
    size_t bytes;  // of an element: 4 or 16
};

struct ArraySet {
    static constexpr int kMost = 16;  // arrays
    struct {
        const void* from;
        void* to;
    } arrays[kMost];          // first those with elements of 16 bytes, then those of 4
    int count = 0, wide = 0;  // of all, and of those with elements of 16 bytes

    HD void move(uint32_t from, uint32_t to) const {
        for (int k = 0; k < wide; ++k)
            static_cast<Vec4*>(arrays[k].to)[to] = static_cast<const Vec4*>(arrays[k].from)[from];
        for (int k = wide; k < count; ++k)
            memcpy(static_cast<uint32_t*>(arrays[k].to) + to,
                   static_cast<const uint32_t*>(arrays[k].from) + from, sizeof(uint32_t));
    }
};
// As few sets as hold all pairs.
std::vector<ArraySet> arraySets(std::span<const ArrayPair> pairs);

struct GatherArrays {
    View<const uint32_t> source;
    ArraySet arrays;
    HD void operator()(int i) const { arrays.move(source[i], static_cast<uint32_t>(i)); }
};

struct ScatterArrays {
    View<const uint32_t> target;
    ArraySet arrays;
    HD void operator()(int i) const { arrays.move(static_cast<uint32_t>(i), target[i]); }
};

}  // namespace coalesce
