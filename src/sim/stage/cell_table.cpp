#include "sim/stage/cell_table.h"

#include <algorithm>
#include <bit>

#include "core/for_each.h"
#include "core/primitives.h"
#include "core/scratch.h"

namespace coalesce {

KeyBuckets KeyBuckets::plan(int keyBits, size_t most) {
    const int mostBits = int(std::bit_width(std::max<size_t>(most, 64))) - 1;
    const int drop = std::max(0, keyBits - mostBits);
    return {drop, size_t{1} << (keyBits - drop)};
}

CellTable makeCellTable(Exec& exec, const char* name, View<const uint64_t> cellKey,
                        View<const uint32_t> cellStart, const uint32_t* cellCount, KeyBuckets buckets,
                        View<uint32_t> first) {
    const CellTable table{cellKey, cellStart, cellCount, first, buckets.drop};
    Scratch::Scope scratch(exec);
    const View<uint32_t> counts = scratch.take<uint32_t>("cells.bucketCounts", buckets.count);
    exec.fillBytes(counts, 0);
    forEach(exec, name, cellKey.size, CountBuckets{table, counts});
    exclusiveScan(exec, name, counts, first);
    return table;
}

}  // namespace coalesce
