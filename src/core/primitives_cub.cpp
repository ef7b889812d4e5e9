#include "core/primitives_cub.h"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include "core/cuda_check.h"
#include "core/scratch.h"

namespace coalesce::cub_side {

namespace {

cudaStream_t streamOf(Exec& exec) {
    return cudaStream_t(exec.stream());
}

template <class Key>
void sortPairsOf(Exec& exec, View<Key> keys, View<uint32_t> values, int bits) {
    const auto n = int(keys.size);
    Scratch::Scope scratch(exec);
    const View<Key> keysOut = scratch.take<Key>("sort.keys", keys.size);
    const View<uint32_t> valuesOut = scratch.take<uint32_t>("sort.values", keys.size);
    // with both buffers the passes go to and fro: the result is copied only after an odd number of them
    cub::DoubleBuffer<Key> bothKeys(keys.data, keysOut.data);
    cub::DoubleBuffer<uint32_t> bothValues(values.data, valuesOut.data);
    size_t bytes = 0;
    cudaCheck(
        cub::DeviceRadixSort::SortPairs(nullptr, bytes, bothKeys, bothValues, n, 0, bits, streamOf(exec)),
        "sort pairs");
    const View<char> space = scratch.take<char>("sort.space", bytes);
    cudaCheck(
        cub::DeviceRadixSort::SortPairs(space.data, bytes, bothKeys, bothValues, n, 0, bits, streamOf(exec)),
        "sort pairs");
    if (bothKeys.Current() != keys.data)
        exec.copyWithin(keys.data, bothKeys.Current(), keys.size * sizeof(Key));
    if (bothValues.Current() != values.data)
        exec.copyWithin(values.data, bothValues.Current(), keys.size * sizeof(uint32_t));
}

}  // namespace

void sortPairs(Exec& exec, View<uint32_t> keys, View<uint32_t> values, int bits) {
    sortPairsOf(exec, keys, values, bits);
}
void sortPairs(Exec& exec, View<uint64_t> keys, View<uint32_t> values, int bits) {
    sortPairsOf(exec, keys, values, bits);
}

void exclusiveScan(Exec& exec, View<const uint32_t> in, View<uint32_t> out) {
    // an inclusive scan into out[1 ..] with out[0] = 0 leaves the total in the last element
    exec.fillBytes(out.data, 0, sizeof(uint32_t));
    if (in.size == 0) return;
    Scratch::Scope scratch(exec);
    size_t bytes = 0;
    const auto n = int(in.size);
    cudaCheck(cub::DeviceScan::InclusiveSum(nullptr, bytes, in.data, out.data + 1, n, streamOf(exec)),
              "scan");
    const View<char> space = scratch.take<char>("scan.space", bytes);
    cudaCheck(cub::DeviceScan::InclusiveSum(space.data, bytes, in.data, out.data + 1, n, streamOf(exec)),
              "scan");
}

}  // namespace coalesce::cub_side
