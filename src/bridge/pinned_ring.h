// Two pieces of pinned host memory: while one is read, the device fills the other. Only in CUDA builds; no
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

    // Starts to copy device memory into piece 0 or 1, after everything launched so far.
    void fetch(int piece, const void* data, size_t bytes);
    // Waits until that copy is done; the memory stays valid until the next fetch into this piece.
    const void* wait(int piece);

private:
    struct Piece {
        void* memory = nullptr;
        size_t bytes = 0;
        void* arrived = nullptr;  // cudaEvent_t
    };
    Exec& m_exec;
    Piece m_pieces[2];
};

}  // namespace coalesce
