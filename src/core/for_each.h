// The only place that launches: runs a kernel for i = 0 .. n-1 on the machine of `exec`.
//
// The name is the profiler row, the NVTX range and the word in an error message. A kernel is a struct with
//     HD void operator()(int i) const                          one particle at a time, or
//     template <class I> HD void operator()(I i) const         written for lanes: sixteen at a time on the
//     CPU.
#pragma once

#if !defined(COALESCE_DEVICE_SOURCE)
#error "This file launches kernels: list it with device_sources() in its CMakeLists.txt"
#endif
#if defined(COALESCE_CUDA) && !defined(__CUDACC__)
#error \
    "This file launches kernels and must be compiled as CUDA in a CUDA build: list it with device_sources()"
#endif

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
constexpr int64_t kShuffledChunk = 64;  // small, so that also a few particles come in another order

#ifdef __CUDACC__
template <class Kernel>
__global__ void __launch_bounds__(256) forEachKernel(Kernel kernel, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) kernel(i);
}
#endif

template <class Kernel>
void forEach(Exec& exec, const char* name, int64_t n, const Kernel& kernel) {
    if (n <= 0) return;
    Exec::Timer timer(exec, name);
#ifdef __CUDACC__
    if (exec.onCuda()) {
        constexpr int kBlock = 256;
        forEachKernel<<<static_cast<unsigned>((n + kBlock - 1) / kBlock), kBlock, 0,
                        static_cast<cudaStream_t>(exec.stream())>>>(kernel, static_cast<int>(n));
        cudaCheckLaunch(exec, name);
        return;
    }
#endif
    const int64_t chunk = exec.shuffled() ? kShuffledChunk : kChunk;
    exec.parallelFor(n, chunk, [&](int64_t begin, int64_t end) {
        // in a shuffled run every other chunk goes backwards and one by one: shows that the order does not
        // matter, and that lanes equal the scalar code
        if (exec.shuffled() && begin / chunk % 2 == 0) {
            for (int i = static_cast<int>(end) - 1; i >= begin; --i) kernel(i);
            return;
        }
        int i = static_cast<int>(begin);
        if constexpr (std::is_invocable_v<const Kernel&, LaneIndex>)
            for (; i + kLanes <= end; i += kLanes) kernel(LaneIndex{i});
        for (; i < end; ++i) kernel(i);
    });
}

}  // namespace coalesce
