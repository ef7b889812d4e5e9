// The only place that launches kernels: runs a kernel for i = 0 .. n-1 on the device of `exec`.
//
// The name is the profiler row, the NVTX range and the name of the launch in error messages. A kernel is a
// struct with
//     HD void operator()(int i) const                     one particle at a time, or
//     template <class I> HD void operator()(I i) const    in lanes: sixteen particles at a time on the CPU
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
#include "kernels/math/lane.h"

#ifdef __CUDACC__
#include "core/cuda_check.h"
#endif

namespace coalesce {

// particles per CPU task; multiples of kLanes
constexpr int64_t kChunk = 2048;
constexpr int64_t kShuffledChunk = 64;  // small, so that the order of a few particles changes too

#ifdef __CUDACC__
template <class Kernel>
__global__ void __launch_bounds__(256) forEachKernel(Kernel kernel, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) kernel(i);
}
#endif

template <class Kernel>
void forEach(Exec& exec, const char* name, size_t n, const Kernel& kernel) {
    if (n == 0) return;
    Exec::Timer timer(exec, name);
#ifdef __CUDACC__
    if (exec.onCuda()) {
        constexpr int kBlock = 256;
        forEachKernel<<<unsigned((n + kBlock - 1) / kBlock), kBlock, 0, cudaStream_t(exec.stream())>>>(
            kernel, int(n));
        cudaCheckLaunch(exec, name);
        return;
    }
#endif
    const int64_t chunk = exec.shuffled() ? kShuffledChunk : kChunk;
    exec.parallelFor(int64_t(n), chunk, [&](int64_t begin, int64_t end) {
        // a shuffled run visits every other chunk backwards and without lanes: tests that results depend
        // neither on the order nor on lanes
        if (exec.shuffled() && begin / chunk % 2 == 0) {
            for (int i = int(end) - 1; i >= begin; --i) kernel(i);
            return;
        }
        int i = int(begin);
        if constexpr (std::is_invocable_v<const Kernel&, LaneIndex>)
            for (; i + kLanes <= end; i += kLanes) kernel(LaneIndex{i});
        for (; i < end; ++i) kernel(i);
    });
}

}  // namespace coalesce
