#include "core/cuda_state.h"

#ifdef __CUDACC__
#include <algorithm>
#include <cuda_runtime.h>
#include <fmt/format.h>
#include <vector>
#endif

namespace coalesce {

#ifdef __CUDACC__
namespace {

__global__ void probeKernel() {}

// Why this device cannot run the program; empty: it can. Only a context and a loaded kernel show exclusive
// mode, a broken driver, or an architecture that this build has no code for.
std::string deviceProblem(int device) {
    cudaError_t result = cudaSetDevice(device);
    if (result == cudaSuccess) result = cudaFree(nullptr);  // creates the context
    cudaFuncAttributes attributes{};
    if (result == cudaSuccess) result = cudaFuncGetAttributes(&attributes, probeKernel);
    (void)cudaGetLastError();
    if (result == cudaSuccess) return {};
    cudaDeviceProp properties{};
    if (cudaGetDeviceProperties(&properties, device) != cudaSuccess) (void)cudaGetLastError();
    return fmt::format("device {}, {} (sm_{}{}): {}", device, properties.name, properties.major,
                       properties.minor, cudaGetErrorString(result));
}

// Why no device can be counted. Without a driver the runtime returns cudaErrorInsufficientDriver.
std::string driverProblem(cudaError_t result) {
    (void)cudaGetLastError();
    int driver = 0, runtime = 0;
    (void)cudaDriverGetVersion(&driver);
    (void)cudaRuntimeGetVersion(&runtime);
    if (driver == 0) return "no NVIDIA driver is loaded";
    const char* reason = result == cudaSuccess ? "no CUDA device is visible" : cudaGetErrorString(result);
    return fmt::format("{} (the driver supports {}.{}; this build needs {}.{})", reason, driver / 1000,
                       driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
}

}  // namespace
#endif

CudaState cudaState([[maybe_unused]] int wanted, [[maybe_unused]] int preferred) {
#ifdef __CUDACC__
    int count = 0;
    const cudaError_t result = cudaGetDeviceCount(&count);
    if (result != cudaSuccess || count == 0) return {true, false, driverProblem(result)};
    if (wanted >= count)
        return {true, false,
                fmt::format(
                    "there is no CUDA device {}; {}", wanted,
                    count == 1 ? "the only one is device 0" : fmt::format("there are 0 to {}", count - 1))};
    std::vector<int> candidates{wanted >= 0 ? wanted : std::clamp(preferred, 0, count - 1)};
    for (int device = 0; wanted < 0 && device < count; ++device)
        if (device != candidates[0]) candidates.push_back(device);
    std::string problems;
    for (const int device : candidates) {
        const std::string problem = deviceProblem(device);
        cudaDeviceProp properties{};
        if (problem.empty() && cudaGetDeviceProperties(&properties, device) == cudaSuccess)
            return {true, true, properties.name, device};
        problems += (problems.empty() ? "" : "; ") + problem;
    }
    return {true, false, problems};
#else
    return {false, false, "this program was built without CUDA"};
#endif
}

}  // namespace coalesce
