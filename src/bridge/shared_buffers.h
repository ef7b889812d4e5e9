// OpenGL buffers that CUDA writes into. Only in CUDA builds. OpenGL objects are passed by name, so that no
// other file includes the headers of both CUDA and OpenGL.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/exec.h"

namespace coalesce {

struct SharedWrite {
    unsigned buffer;   // OpenGL name; the buffer is large enough
    const void* data;  // on the device
    size_t bytes;
};

// The CUDA device that renders the current OpenGL context; nullopt: none.
std::optional<int> cudaDeviceOfGl();

class SharedBuffers {
public:
    explicit SharedBuffers(Exec& exec) : m_exec(exec) {}
    ~SharedBuffers();
    SharedBuffers(const SharedBuffers&) = delete;
    SharedBuffers& operator=(const SharedBuffers&) = delete;

    // Why the current OpenGL context and the device of `exec` cannot share memory; empty: they can. Registers
    // a small buffer: only the driver knows whether this works.
    static std::string sharingProblem(Exec& exec);

    // Maps all buffers, copies, unmaps all. Returns the error, empty on success; no buffer stays mapped
    // either way.
    std::string write(std::span<const SharedWrite> writes);
    // Unregisters a buffer; call before OpenGL deletes it.
    void forget(unsigned buffer);

private:
    Exec& m_exec;
    std::unordered_map<unsigned, void*> m_resources;  // cudaGraphicsResource_t by OpenGL name
};

}  // namespace coalesce
