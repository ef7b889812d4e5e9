// Two chunks of pinned host memory: the device fills one while the other is read. Only in CUDA builds; no
// OpenGL.
#pragma once

#include <cstddef>
#include <span>

#include "core/exec.h"

namespace coalesce {

class PinnedRing {
public:
    explicit PinnedRing(Exec& exec);
    ~PinnedRing();
    PinnedRing(const PinnedRing&) = delete;
    PinnedRing& operator=(const PinnedRing&) = delete;

    // Starts copying device memory to chunk 0 or 1, after all launches so far.
    void fetch(int chunk, const void* data, size_t bytes);
    // Waits for that copy; the memory stays valid until the next fetch to this chunk.
    const void* wait(int chunk);

private:
    struct Chunk {
        void* memory = nullptr;
        size_t bytes = 0;
        void* copied = nullptr;  // cudaEvent_t
    };
    Exec& m_exec;
    Chunk m_chunks[2];
};

}  // namespace coalesce
