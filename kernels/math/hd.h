// Qualifiers of functions that run on host and device.
#pragma once

#if defined(__CUDACC__)
#define HD __host__ __device__ __forceinline__
#else
#define HD inline __attribute__((always_inline))
#endif
