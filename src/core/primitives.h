// Sort, scan, reduce, compact: one interface, CUB on CUDA and oneTBB on the CPU, the same result bit for bit.
// No function waits for the device; results that later kernels need, such as counts, stay in device memory.
#pragma once

#include <cstdint>
#include <span>

#include "core/array_set.h"
#include "core/exec.h"
#include "kernels/math/view.h"

namespace coalesce {

// Sorts pairs by the lowest `bits` bits of the key; stable. Keys beyond those bits must be zero.
void sortPairs(Exec& exec, const char* name, View<uint32_t> keys, View<uint32_t> values, int bits = 32);
void sortPairs(Exec& exec, const char* name, View<uint64_t> keys, View<uint32_t> values, int bits = 64);

// out[i] = in[0] + … + in[i-1], and out[n] = the total: out has one element more than in. The views must not
// overlap.
void exclusiveScan(Exec& exec, const char* name, View<const uint32_t> in, View<uint32_t> out);

// Reductions over a fixed tree: blocks of 1024 elements, each halved 512, 256, …, 1; then the results of the
// blocks in the same way. The result depends on the input only. An empty input gives the identity.
// Results are written to result[0].
void reduceSum(Exec& exec, const char* name, View<const float> in, View<float> result);
void reduceSum(Exec& exec, const char* name, View<const double> in, View<double> result);
void reduceSum(Exec& exec, const char* name, View<const uint64_t> in, View<uint64_t> result);  // wraps
void reduceMin(Exec& exec, const char* name, View<const float> in, View<float> result);
void reduceMin(Exec& exec, const char* name, View<const int32_t> in, View<int32_t> result);

// Run-length encoding: runOf[i] is the index of i's run; keys[r] and starts[r] its key and first element,
// starts[*count] = n. The views hold at least as many elements as there may be runs (starts one more).
void runLengthEncode(Exec& exec, const char* name, View<const uint64_t> in, View<uint32_t> runOf,
                     View<uint64_t> keys, View<uint32_t> starts, View<uint32_t> count);

// The indices i with keep[i] != 0, ascending, and their number.
void compact(Exec& exec, const char* name, View<const uint32_t> keep, View<uint32_t> indices,
             View<uint32_t> count);

// out[i] = in[from[i]]  and  out[to[i]] = in[i]; T is uint32_t, uint64_t, float or Vec4.
template <class T>
void gather(Exec& exec, const char* name, View<const T> in, View<const uint32_t> from, View<T> out);
template <class T>
void scatter(Exec& exec, const char* name, View<const T> in, View<const uint32_t> to, View<T> out);

// to[i] = from[source[i]] for several arrays in one launch.
void gatherArrays(Exec& exec, const char* name, View<const uint32_t> source,
                  std::span<const ArrayPair> pairs);

// Copies several arrays, on CUDA with one launch for up to 16. Their memory begins at multiples of 16 bytes.
struct ArrayCopy {
    const void* from;
    void* to;
    size_t bytes;
};
void copyArrays(Exec& exec, const char* name, std::span<const ArrayCopy> copies);

}  // namespace coalesce
