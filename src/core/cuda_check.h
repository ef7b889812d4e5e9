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
             : "The device can no longer be used by this program: start it again, or with --backend cpu. "
               "Report this if it persists.");
}

inline void cudaCheckLaunch([[maybe_unused]] Exec& exec, const char* name) {
    cudaCheck(cudaGetLastError(), name);
#ifdef COALESCE_CHECK_BOUNDS
    exec.synchronize(name);  // so that an error is reported for the launch that caused it
#endif
}

}  // namespace coalesce
