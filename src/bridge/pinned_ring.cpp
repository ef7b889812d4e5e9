#include "bridge/pinned_ring.h"

#include "core/cuda_check.h"

namespace coalesce {

PinnedRing::PinnedRing(Exec& exec) : m_exec(exec) {
    for (Chunk& chunk : m_chunks) {
        cudaEvent_t event = nullptr;
        cudaCheck(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "create transfer event");
        chunk.copied = event;
    }
}

PinnedRing::~PinnedRing() {
    for (Chunk& chunk : m_chunks) {
        cudaEventDestroy(static_cast<cudaEvent_t>(chunk.copied));
        cudaFreeHost(chunk.memory);
    }
}

void PinnedRing::fetch(int index, const void* data, size_t bytes) {
    Chunk& chunk = m_chunks[index];
    if (bytes > chunk.bytes) {
        cudaFreeHost(chunk.memory);
        chunk.memory = nullptr;
        chunk.bytes = 0;
        // a quarter more than needed, because pinning is slow
        cudaCheck(cudaMallocHost(&chunk.memory, bytes + bytes / 4), "pin host memory");
        chunk.bytes = bytes + bytes / 4;
    }
    const auto stream = static_cast<cudaStream_t>(m_exec.stream());
    cudaCheck(cudaMemcpyAsync(chunk.memory, data, bytes, cudaMemcpyDeviceToHost, stream),
              "copy frame arrays");
    cudaCheck(cudaEventRecord(static_cast<cudaEvent_t>(chunk.copied), stream), "copy frame arrays");
}

const void* PinnedRing::wait(int index) {
    cudaCheck(cudaEventSynchronize(static_cast<cudaEvent_t>(m_chunks[index].copied)), "copy frame arrays");
    return m_chunks[index].memory;
}

}  // namespace coalesce
