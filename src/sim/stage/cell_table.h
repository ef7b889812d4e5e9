// Table of the occupied cells of sorted particles: kernels/search/grid.h.
#pragma once

#include "core/exec.h"
#include "kernels/search/grid.h"

namespace coalesce {

// Buckets of 2^drop consecutive keys.
struct KeyBuckets {
    int drop;
    size_t count;

    // At most max(most, 64) buckets for keys of so many bits.
    static KeyBuckets plan(int keyBits, size_t most);
};

// The table of cells whose keys ascend. first: first cell of each bucket, and the end; written.
CellTable makeCellTable(Exec& exec, const char* name, View<const uint64_t> cellKey,
                        View<const uint32_t> cellStart, const uint32_t* cellCount, KeyBuckets buckets,
                        View<uint32_t> first);

}  // namespace coalesce
