// OpenGL buffers that CUDA writes into. Only in CUDA builds; OpenGL is named by its numbers, so that no other
// file needs both worlds' headers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/exec.h"

namespace coalesce {

struct SharedWrite {
    unsigned buffer;   // OpenGL's name, large enough
    const void* data;  // on the device
    size_t bytes;
};

class SharedBuffers {
public:
    explicit SharedBuffers(Exec& exec) : m_exec(exec) {}
    ~SharedBuffers();
    SharedBuffers(const SharedBuffers&) = delete;
    SharedBuffers& operator=(const SharedBuffers&) = delete;

    // Why the current OpenGL context and the device of `exec` cannot share; empty: they can.
    static std::string obstacle(Exec& exec);

    // Maps all, copies, unmaps all. Returns what went wrong; empty: nothing. After trouble nothing stays
    // mapped.
    std::string write(std::span<const SharedWrite> writes);
    // To be called before OpenGL gives up a buffer.
    void forget(unsigned buffer);

private:
    Exec& m_exec;
    std::unordered_map<unsigned, void*> m_resources;  // cudaGraphicsResource_t by OpenGL's name
};

}  // namespace coalesce
