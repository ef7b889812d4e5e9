#include "bridge/shared_buffers.h"

// glad replaces the system's OpenGL header, which the CUDA header would include otherwise: keep this order
// clang-format off
#include <glad/gl.h>
#include <cuda_gl_interop.h>
// clang-format on

namespace coalesce {

namespace {

// The text of an error. Clears it, so that the next call does not report it again.
std::string messageOf(cudaError_t result) {
    (void)cudaGetLastError();
    return cudaGetErrorString(result);
}

}  // namespace

std::optional<int> cudaDeviceOfGl() {
    unsigned count = 0;
    int devices[16] = {};
    const cudaError_t result = cudaGLGetDevices(&count, devices, 16, cudaGLDeviceListAll);
    if (result == cudaSuccess && count > 0) return devices[0];
    (void)cudaGetLastError();
    return {};
}

SharedBuffers::~SharedBuffers() {
    for (const auto& [buffer, resource] : m_resources)
        cudaGraphicsUnregisterResource(static_cast<cudaGraphicsResource_t>(resource));
    (void)cudaGetLastError();
}

std::string SharedBuffers::sharingProblem(Exec& exec) {
    if (!exec.onCuda()) return "the simulation does not run on CUDA";
    GLuint buffer = 0;
    glCreateBuffers(1, &buffer);
    glNamedBufferStorage(buffer, 256, nullptr, GL_DYNAMIC_STORAGE_BIT);
    cudaGraphicsResource_t resource = nullptr;
    cudaError_t result =
        cudaGraphicsGLRegisterBuffer(&resource, buffer, cudaGraphicsRegisterFlagsWriteDiscard);
    if (result == cudaSuccess) result = cudaGraphicsUnregisterResource(resource);
    glDeleteBuffers(1, &buffer);
    if (result == cudaSuccess) return {};
    const auto text = [](GLenum name) {
        const GLubyte* value = glGetString(name);
        return std::string(value ? reinterpret_cast<const char*>(value) : "unknown");
    };
    std::string problem = "OpenGL (" + text(GL_RENDERER) +
                          ") and the simulation's device cannot share memory: " + messageOf(result);
    // hybrid laptops draw on the integrated GPU unless told otherwise
    if (!text(GL_VENDOR).starts_with("NVIDIA"))
        problem +=
            "; on a computer with two GPUs, set __NV_PRIME_RENDER_OFFLOAD=1 and "
            "__GLX_VENDOR_LIBRARY_NAME=nvidia to draw on the NVIDIA GPU";
    return problem;
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
    const int number = int(resources.size());
    if (const cudaError_t result = cudaGraphicsMapResources(number, resources.data(), stream);
        result != cudaSuccess)
        return "OpenGL buffers cannot be mapped: " + messageOf(result);
    std::string problem;
    for (size_t k = 0; k < writes.size() && problem.empty(); ++k) {
        void* target = nullptr;
        size_t available = 0;
        cudaError_t result = cudaGraphicsResourceGetMappedPointer(&target, &available, resources[k]);
        if (result == cudaSuccess && available < writes[k].bytes) result = cudaErrorInvalidValue;
        if (result == cudaSuccess)
            result =
                cudaMemcpyAsync(target, writes[k].data, writes[k].bytes, cudaMemcpyDeviceToDevice, stream);
        if (result != cudaSuccess) problem = "a mapped OpenGL buffer cannot be written: " + messageOf(result);
    }
    // OpenGL commands issued after this see the data
    if (const cudaError_t result = cudaGraphicsUnmapResources(number, resources.data(), stream);
        result != cudaSuccess)
        problem = "OpenGL buffers cannot be unmapped: " + messageOf(result);
    return problem;
}

void SharedBuffers::forget(unsigned buffer) {
    const auto known = m_resources.find(buffer);
    if (known == m_resources.end()) return;
    cudaGraphicsUnregisterResource(static_cast<cudaGraphicsResource_t>(known->second));
    (void)cudaGetLastError();
    m_resources.erase(known);
}

}  // namespace coalesce
