// The only place that launches kernels: runs a kernel for i = 0 .. n-1 on the device of `exec`.
//
// The name is the profiler row, the NVTX range and the name of the launch in error messages. A kernel is a
// struct with
//     HD void operator()(int i) const                     one particle at a time, or
//     template <class I> HD void operator()(I i) const    in lanes: sixteen particles at a time on the CPU
//
// Several kernels in one launch run one after the other for each i: each may read of what those
// before it write only the elements that belong to i. A launch on CUDA costs some microseconds,
// and what the next kernel reads is in the cache.
//
// forEachReduce runs a kernel that also reduces a value over all i, such as the longest list:
//     HD Value operator()(int i) const
//     HD void finish(Value) const      with atomics, once per block of threads or chunk of the CPU
// Value is a plain struct of 32-bit numbers with the static functions
//     HD Value identity()
//     HD Value combine(Value, Value)   min, max, integer sum: independent of the order
#pragma once

#if !defined(COALESCE_DEVICE_SOURCE)
#error "This file launches kernels: list it with device_sources() in its CMakeLists.txt"
#endif
#if defined(COALESCE_CUDA) && !defined(__CUDACC__)
#error \
    "This file launches kernels and must be compiled as CUDA in a CUDA build: list it with device_sources()"
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/exec.h"
#include "kernels/math/hd.h"
#include "kernels/math/lane.h"

#ifdef __CUDACC__
#include "core/cuda_check.h"
#endif

namespace coalesce {

// particles per CPU task; multiples of kLanes
constexpr int64_t kChunk = 2048;
constexpr int64_t kShuffledChunk = 64;  // small, so that the order of a few particles changes too

#ifdef __CUDACC__
template <class... Kernels>
__global__ void __launch_bounds__(kThreadsPerBlock) forEachKernel(int n, Kernels... kernels) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) (kernels(i), ...);
}

// The value of the lane `offset` further on in the warp.
template <class Value>
__device__ Value shuffleDown(const Value& value, int offset) {
    constexpr int kWords = sizeof(Value) / sizeof(int32_t);
    int32_t words[kWords];
    memcpy(words, &value, sizeof value);
    for (int k = 0; k < kWords; ++k) words[k] = __shfl_down_sync(0xffffffffu, words[k], offset);
    Value result;
    memcpy(&result, words, sizeof result);
    return result;
}

// Reduces in warps, then over the warps of the block: one call of finish, with its atomics, per block.
template <class Kernel>
__global__ void __launch_bounds__(kThreadsPerBlock) forEachReduceKernel(Kernel kernel, int n) {
    constexpr int kWarp = 32;
    using Value = decltype(kernel(0));
    __shared__ Value ofWarp[kThreadsPerBlock / kWarp];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    Value value = i < n ? kernel(i) : Value::identity();
    for (int offset = kWarp / 2; offset > 0; offset /= 2)
        value = Value::combine(value, shuffleDown(value, offset));
    if (threadIdx.x % kWarp == 0) ofWarp[threadIdx.x / kWarp] = value;
    __syncthreads();
    if (threadIdx.x != 0) return;
    for (int warp = 1; warp < kThreadsPerBlock / kWarp; ++warp) value = Value::combine(value, ofWarp[warp]);
    kernel.finish(value);
}
#endif

// A shuffled run visits every other chunk backwards, and that without lanes: tests that results depend
// neither on the order nor on lanes.
inline bool visitsBackwards(const Exec& exec, int64_t begin, int64_t chunk) {
    return exec.shuffled() && begin / chunk % 2 == 0;
}

// On the CPU: a chunk of particles, in lanes where the kernel has them.
template <class Kernel>
void runChunk(const Kernel& kernel, int64_t begin, int64_t end, bool backwards) {
    if (backwards) {
        for (int i = int(end) - 1; i >= begin; --i) kernel(i);
        return;
    }
    int i = int(begin);
    if constexpr (std::is_invocable_v<const Kernel&, LaneIndex>)
        for (; i + kLanes <= end; i += kLanes) kernel(LaneIndex{i});
    for (; i < end; ++i) kernel(i);
}

template <class... Kernels>
void forEach(Exec& exec, const char* name, size_t n, const Kernels&... kernels) {
    if (n == 0) return;
    Exec::Timer timer(exec, name);
#ifdef __CUDACC__
    if (exec.onCuda()) {
        CHECK_LE(n, size_t{INT32_MAX});
        forEachKernel<<<unsigned((n + kThreadsPerBlock - 1) / kThreadsPerBlock), kThreadsPerBlock, 0,
                        cudaStream_t(exec.stream())>>>(int(n), kernels...);
        cudaCheckLaunch(exec, name);
        return;
    }
#endif
    const int64_t chunk = exec.shuffled() ? kShuffledChunk : kChunk;
    exec.parallelFor(int64_t(n), chunk, [&](int64_t begin, int64_t end) {
        (runChunk(kernels, begin, end, visitsBackwards(exec, begin, chunk)), ...);
    });
}

template <class Kernel>
void forEachReduce(Exec& exec, const char* name, size_t n, const Kernel& kernel) {
    if (n == 0) return;
    using Value = decltype(kernel(0));
    static_assert(std::is_trivially_copyable_v<Value> && sizeof(Value) % sizeof(int32_t) == 0);
    Exec::Timer timer(exec, name);
#ifdef __CUDACC__
    if (exec.onCuda()) {
        CHECK_LE(n, size_t{INT32_MAX});
        forEachReduceKernel<<<unsigned((n + kThreadsPerBlock - 1) / kThreadsPerBlock), kThreadsPerBlock, 0,
                              cudaStream_t(exec.stream())>>>(kernel, int(n));
        cudaCheckLaunch(exec, name);
        return;
    }
#endif
    const int64_t chunk = exec.shuffled() ? kShuffledChunk : kChunk;
    exec.parallelFor(int64_t(n), chunk, [&](int64_t begin, int64_t end) {
        Value value = Value::identity();
        if (visitsBackwards(exec, begin, chunk))
            for (int i = int(end) - 1; i >= begin; --i) value = Value::combine(value, kernel(i));
        else
            for (int i = int(begin); i < end; ++i) value = Value::combine(value, kernel(i));
        kernel.finish(value);
    });
}

}  // namespace coalesce
