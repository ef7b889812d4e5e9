// Turns CUDA error codes into errors that name the launch. Only for files compiled as CUDA.
#pragma once

#include <cuda_runtime.h>

#include "core/error.h"
#include "core/exec.h"

namespace coalesce {

inline void cudaCheck(cudaError_t result, const char* where) {
    if (result == cudaSuccess) return;
    fail(Exit::Simulation, where, std::string("CUDA error: ") + cudaGetErrorString(result),
         result == cudaErrorMemoryAllocation
             ? "Use a smaller size of the scene (--size), or free memory on the device."
             : "The run cannot continue. Try --backend cpu, and report this if it persists.");
}

inline void cudaCheckLaunch([[maybe_unused]] Exec& exec, const char* name) {
    cudaCheck(cudaGetLastError(), name);
#ifdef COALESCE_CHECK_BOUNDS
    exec.synchronize(name);  // so that an error is reported for the launch that caused it
#endif
}

}  // namespace coalesce
