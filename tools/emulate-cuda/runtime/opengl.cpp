// Interop with OpenGL: buffers are copied when they are unmapped, where CUDA would share them. With
// EMULATE_NO_OPENGL no device draws, as on a machine whose OpenGL runs elsewhere.
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <string>
#include <unordered_set>

#include "findings.h"
#include "memory.h"
#include "stream.h"

// of cuda_gl_interop.h, which would include OpenGL's headers
using GLuint = unsigned;
using GLenum = unsigned;

#define API extern "C" __attribute__((visibility("default")))

using namespace emulated;

namespace {

struct Shared {
    GLuint buffer;
    void* memory = nullptr;
    size_t bytes = 0;
    bool mapped = false;
};
std::unordered_set<Shared*>& sharedBuffers() {
    static auto* made = new std::unordered_set<Shared*>;
    return *made;
}

// OpenGL's function of that name, by the library that the program itself uses.
template <class F>
F gl(const char* name) {
    using Get = void* (*)(const char*);
    static const Get get = reinterpret_cast<Get>(dlsym(RTLD_DEFAULT, "eglGetProcAddress"));
    return get ? reinterpret_cast<F>(get(name)) : nullptr;
}
int64_t bytesOf(GLuint buffer) {
    constexpr GLenum kBufferSize = 0x8764;  // GL_BUFFER_SIZE
    int64_t bytes = 0;
    if (const auto ask = gl<void (*)(GLuint, GLenum, int64_t*)>("glGetNamedBufferParameteri64v"))
        ask(buffer, kBufferSize, &bytes);
    return bytes;
}
bool isBuffer(GLuint buffer) {
    const auto ask = gl<unsigned char (*)(GLuint)>("glIsBuffer");
    return !ask || ask(buffer);
}

}  // namespace

API cudaError_t cudaGLGetDevices(unsigned* count, int* devices, unsigned room, int) {
    *count = 0;
    if (!options().opengl || room == 0 || !gl<void*>("glNamedBufferSubData")) return cudaErrorNoDevice;
    *count = 1, devices[0] = 0;
    return cudaSuccess;
}
API cudaError_t cudaGraphicsGLRegisterBuffer(cudaGraphicsResource** resource, GLuint buffer, unsigned) {
    noteCall("register OpenGL buffer");
    if (!options().opengl) return cudaErrorUnknown;
    for (const Shared* s : sharedBuffers())
        if (s->buffer == buffer)
            addFinding("an OpenGL buffer registered twice",
                       [&] { return std::to_string(buffer) + hostStack(); });
    if (bytesOf(buffer) <= 0) return cudaErrorInvalidValue;
    auto* made = new Shared{buffer};
    sharedBuffers().insert(made);
    *resource = reinterpret_cast<cudaGraphicsResource*>(made);
    return cudaSuccess;
}
API cudaError_t cudaGraphicsUnregisterResource(cudaGraphicsResource_t resource) {
    noteCall("unregister OpenGL buffer");
    auto* s = reinterpret_cast<Shared*>(resource);
    if (!sharedBuffers().erase(s)) {
        addFinding("an OpenGL buffer unregistered that is not registered", hostStack);
        return cudaErrorInvalidResourceHandle;
    }
    if (s->mapped) addFinding("an OpenGL buffer unregistered while it is mapped", hostStack);
    if (!isBuffer(s->buffer))
        addFinding("an OpenGL buffer unregistered after it was deleted",
                   [&] { return std::to_string(s->buffer) + hostStack(); });
    delete s;
    return cudaSuccess;
}
API cudaError_t cudaGraphicsMapResources(int n, cudaGraphicsResource_t* resources, cudaStream_t) {
    for (int k = 0; k < n; ++k) {
        auto* s = reinterpret_cast<Shared*>(resources[k]);
        if (!sharedBuffers().count(s) || s->mapped) return cudaErrorInvalidResourceHandle;
        s->bytes = size_t(bytesOf(s->buffer)), s->mapped = true;
        s->memory = allocate(s->bytes);
        if (!s->memory) return cudaErrorMemoryAllocation;
    }
    return cudaSuccess;
}
API cudaError_t cudaGraphicsResourceGetMappedPointer(void** p, size_t* bytes,
                                                     cudaGraphicsResource_t resource) {
    const auto* s = reinterpret_cast<const Shared*>(resource);
    if (!s->mapped) return cudaErrorNotMapped;
    *p = s->memory, *bytes = s->bytes;
    return cudaSuccess;
}
API cudaError_t cudaGraphicsUnmapResources(int n, cudaGraphicsResource_t* resources, cudaStream_t stream) {
    // OpenGL sees afterwards what this stream wrote; work of other streams need not be done
    streamOf(stream).runAll();
    const auto write = gl<void (*)(GLuint, int64_t, int64_t, const void*)>("glNamedBufferSubData");
    for (int k = 0; k < n; ++k) {
        auto* s = reinterpret_cast<Shared*>(resources[k]);
        if (!s->mapped) return cudaErrorNotMapped;
        // bytes that nothing wrote stay 0xcd: buffers are mapped to be overwritten as a whole
        write(s->buffer, 0, int64_t(s->bytes), bytesAt(s->memory));
        release(s->memory);
        s->memory = nullptr, s->mapped = false;
    }
    return cudaSuccess;
}
