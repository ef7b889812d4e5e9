#include "core/primitives_cub.h"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "core/cuda_check.h"
#include "core/error.h"
#include "core/scratch.h"

namespace coalesce::cub_side {

namespace {

cudaStream_t streamOf(Exec& exec) {
    return cudaStream_t(exec.stream());
}

template <class Key>
void sortPairsOf(Exec& exec, View<Key> keys, View<uint32_t> values, int bits) {
    CHECK_LE(keys.size, size_t{INT32_MAX});
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

// What a scan reads: one element more than there are, so that the last result is the total.
struct ElementOrZero {
    View<const uint32_t> in;
    HD uint32_t operator()(int i) const { return size_t(i) < in.size ? in.data[i] : 0; }
};
struct StartsRun {
    View<const uint64_t> in;
    HD uint32_t operator()(int i) const {
        return size_t(i) < in.size && (i == 0 || in.data[i] != in.data[i - 1]);
    }
};

// out[i] = Σ_k<i element(k)
template <class Element>
void scan(Exec& exec, const Element& element, View<uint32_t> out) {
    const auto in = thrust::make_transform_iterator(thrust::counting_iterator<int>(0), element);
    CHECK_LE(out.size, size_t{INT32_MAX});
    const auto n = int(out.size);
    Scratch::Scope scratch(exec);
    size_t bytes = 0;
    cudaCheck(cub::DeviceScan::ExclusiveSum(nullptr, bytes, in, out.data, n, streamOf(exec)), "scan");
    const View<char> space = scratch.take<char>("scan.space", bytes);
    cudaCheck(cub::DeviceScan::ExclusiveSum(space.data, bytes, in, out.data, n, streamOf(exec)), "scan");
}

}  // namespace

void sortPairs(Exec& exec, View<uint32_t> keys, View<uint32_t> values, int bits) {
    sortPairsOf(exec, keys, values, bits);
}
void sortPairs(Exec& exec, View<uint64_t> keys, View<uint32_t> values, int bits) {
    sortPairsOf(exec, keys, values, bits);
}

void exclusiveScan(Exec& exec, View<const uint32_t> in, View<uint32_t> out) {
    scan(exec, ElementOrZero{in}, out);
}

void countRunsBefore(Exec& exec, View<const uint64_t> in, View<uint32_t> out) {
    scan(exec, StartsRun{in}, out);
}

void compact(Exec& exec, View<const uint32_t> keep, View<uint32_t> indices, View<uint32_t> count) {
    const thrust::counting_iterator<uint32_t> all(0);
    const auto n = int(keep.size);
    Scratch::Scope scratch(exec);
    size_t bytes = 0;
    cudaCheck(cub::DeviceSelect::Flagged(nullptr, bytes, all, keep.data, indices.data, count.data, n,
                                         streamOf(exec)),
              "compact");
    const View<char> space = scratch.take<char>("compact.space", bytes);
    cudaCheck(cub::DeviceSelect::Flagged(space.data, bytes, all, keep.data, indices.data, count.data, n,
                                         streamOf(exec)),
              "compact");
}

}  // namespace coalesce::cub_side
