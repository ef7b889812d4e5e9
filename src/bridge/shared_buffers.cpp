#include "bridge/shared_buffers.h"

#include <algorithm>

// glad's header stands in for the system's OpenGL header, which CUDA's would otherwise include: the order
// matters
// clang-format off
#include <glad/gl.h>
#include <cuda_gl_interop.h>
// clang-format on

namespace coalesce {

namespace {

// The message of a result, and a clean slate for the next call.
std::string messageOf(cudaError_t result) {
    (void)cudaGetLastError();
    return cudaGetErrorString(result);
}

}  // namespace

SharedBuffers::~SharedBuffers() {
    for (const auto& [buffer, resource] : m_resources)
        cudaGraphicsUnregisterResource(static_cast<cudaGraphicsResource_t>(resource));
    (void)cudaGetLastError();
}

std::string SharedBuffers::obstacle(Exec& exec) {
    if (!exec.onCuda()) return "the simulation does not run on CUDA";
    int device = 0;
    if (const cudaError_t result = cudaGetDevice(&device); result != cudaSuccess) return messageOf(result);
    unsigned count = 0;
    int devices[16] = {};
    if (const cudaError_t result = cudaGLGetDevices(&count, devices, 16, cudaGLDeviceListAll);
        result != cudaSuccess)
        return "OpenGL does not draw on a CUDA device: " + messageOf(result);
    if (std::find(devices, devices + count, device) == devices + count)
        return "OpenGL draws on another device than the simulation's";
    return {};
}

std::string SharedBuffers::write(std::span<const SharedWrite> writes) {
    if (writes.empty()) return {};
    std::vector<cudaGraphicsResource_t> resources;
    for (const SharedWrite& write : writes) {
        void*& known = m_resources[write.buffer];
        if (!known) {
            cudaGraphicsResource_t made = nullptr;
            const cudaError_t result =
                cudaGraphicsGLRegisterBuffer(&made, write.buffer, cudaGraphicsRegisterFlagsWriteDiscard);
            if (result != cudaSuccess) {
                m_resources.erase(write.buffer);
                return "an OpenGL buffer cannot be registered: " + messageOf(result);
            }
            known = made;
        }
        resources.push_back(static_cast<cudaGraphicsResource_t>(known));
    }

    const auto stream = static_cast<cudaStream_t>(m_exec.stream());
    const auto number = static_cast<int>(resources.size());
    if (const cudaError_t result = cudaGraphicsMapResources(number, resources.data(), stream);
        result != cudaSuccess)
        return "OpenGL buffers cannot be mapped: " + messageOf(result);
    std::string trouble;
    for (size_t k = 0; k < writes.size() && trouble.empty(); ++k) {
        void* target = nullptr;
        size_t room = 0;
        cudaError_t result = cudaGraphicsResourceGetMappedPointer(&target, &room, resources[k]);
        if (result == cudaSuccess && room < writes[k].bytes) result = cudaErrorInvalidValue;
        if (result == cudaSuccess)
            result =
                cudaMemcpyAsync(target, writes[k].data, writes[k].bytes, cudaMemcpyDeviceToDevice, stream);
        if (result != cudaSuccess) trouble = "a mapped OpenGL buffer cannot be written: " + messageOf(result);
    }
    // OpenGL commands after this see what was written
    if (const cudaError_t result = cudaGraphicsUnmapResources(number, resources.data(), stream);
        result != cudaSuccess)
        trouble = "OpenGL buffers cannot be unmapped: " + messageOf(result);
    return trouble;
}

void SharedBuffers::forget(unsigned buffer) {
    const auto known = m_resources.find(buffer);
    if (known == m_resources.end()) return;
    cudaGraphicsUnregisterResource(static_cast<cudaGraphicsResource_t>(known->second));
    (void)cudaGetLastError();
    m_resources.erase(known);
}

}  // namespace coalesce
