// Marks of functions that run on both machines.
#pragma once

#if defined(__CUDACC__)
#define HD __host__ __device__ __forceinline__
#define HD_TEMPLATE __host__ __device__
#else
#define HD inline __attribute__((always_inline))
#define HD_TEMPLATE
#endif
