// Qualifiers of functions that run on host and device.
#pragma once

#if defined(__CUDACC__)
#define HD __host__ __device__ __forceinline__
#else
#define HD inline __attribute__((always_inline))
#endif

// Before the parameters of a lambda that is passed on to a loop over neighbors: without it,
// GCC keeps what the lambda captured in memory, and pair loops take 1.6 times as long.
// (nvcc drops an attribute after the parameters.)
#define INLINED [[gnu::always_inline]]

namespace coalesce {

constexpr int kThreadsPerBlock = 256;  // of all launches on CUDA but those of CUB

}  // namespace coalesce
