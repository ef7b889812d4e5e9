#include "bridge/pinned_ring.h"

#include "core/cuda_check.h"

namespace coalesce {

PinnedRing::PinnedRing(Exec& exec) : m_exec(exec) {
    for (Piece& piece : m_pieces) {
        cudaEvent_t event = nullptr;
        cudaCheck(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "make transfer event");
        piece.arrived = event;
    }
}

PinnedRing::~PinnedRing() {
    for (Piece& piece : m_pieces) {
        cudaEventDestroy(static_cast<cudaEvent_t>(piece.arrived));
        cudaFreeHost(piece.memory);
    }
}

void PinnedRing::fetch(int index, const void* data, size_t bytes) {
    Piece& piece = m_pieces[index];
    if (bytes > piece.bytes) {
        cudaFreeHost(piece.memory);
        piece.memory = nullptr;
        piece.bytes = 0;
        // some room to grow, because pinning is slow
        cudaCheck(cudaMallocHost(&piece.memory, bytes + bytes / 4), "pin host memory");
        piece.bytes = bytes + bytes / 4;
    }
    const auto stream = static_cast<cudaStream_t>(m_exec.stream());
    cudaCheck(cudaMemcpyAsync(piece.memory, data, bytes, cudaMemcpyDeviceToHost, stream),
              "copy picture arrays");
    cudaCheck(cudaEventRecord(static_cast<cudaEvent_t>(piece.arrived), stream), "copy picture arrays");
}

const void* PinnedRing::wait(int index) {
    cudaCheck(cudaEventSynchronize(static_cast<cudaEvent_t>(m_pieces[index].arrived)), "copy picture arrays");
    return m_pieces[index].memory;
}

}  // namespace coalesce
