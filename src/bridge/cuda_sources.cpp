#include "bridge/cuda_sources.h"

#include <vector>

namespace coalesce {

namespace {

void report(const LogLine& log, const std::string& trouble) {
    if (log) log("Pictures are copied through host memory: " + trouble + ".");
}

}  // namespace

void StagingSource::transfer(std::span<const DrawArray> arrays, GlBuffers& buffers) {
    // while OpenGL takes one array, the device delivers the next
    for (size_t k = 0; k <= arrays.size(); ++k) {
        if (k < arrays.size()) m_ring.fetch(static_cast<int>(k % 2), arrays[k].data, arrays[k].bytes);
        if (k == 0) continue;
        const DrawArray& ready = arrays[k - 1];
        buffers.upload(ready.slot, m_ring.wait(static_cast<int>((k - 1) % 2)), ready.bytes);
    }
}

void InteropSource::transfer(std::span<const DrawArray> arrays, GlBuffers& buffers) {
    if (m_trouble.empty()) {
        std::vector<SharedWrite> writes;
        for (const DrawArray& array : arrays) {
            if (array.bytes == 0) continue;
            // growing gives the buffer another name, and the old one must not be registered when it goes
            if (array.bytes > buffers.capacity(array.slot)) m_shared.forget(buffers.id(array.slot));
            buffers.reserve(array.slot, array.bytes);
            writes.push_back({buffers.id(array.slot), array.data, array.bytes});
        }
        m_trouble = m_shared.write(writes);
        if (m_trouble.empty()) return;
        report(m_log, m_trouble);
        for (const SharedWrite& write : writes) m_shared.forget(write.buffer);
    }
    StagingSource::transfer(arrays, buffers);
}

std::unique_ptr<FrameSource> makeCudaSource(World& world, Solver& solver, LogLine log) {
    const std::string obstacle = SharedBuffers::obstacle(world.exec);
    if (obstacle.empty()) return std::make_unique<InteropSource>(world, solver, std::move(log));
    report(log, obstacle);
    return std::make_unique<StagingSource>(world, solver);
}

}  // namespace coalesce
