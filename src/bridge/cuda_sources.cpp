#include "bridge/cuda_sources.h"

#include <vector>

namespace coalesce {

namespace {

void report(const LogLine& log, const std::string& problem) {
    if (log) log("Frames are copied through host memory: " + problem + ".");
}

}  // namespace

void StagingSource::transfer(std::span<const DrawArray> arrays, GlBuffers& buffers) {
    // OpenGL uploads one array while the device copies the next
    for (size_t k = 0; k <= arrays.size(); ++k) {
        if (k < arrays.size()) m_ring.fetch(int(k % 2), arrays[k].data, arrays[k].bytes);
        if (k == 0) continue;
        const DrawArray& ready = arrays[k - 1];
        buffers.upload(ready.slot, m_ring.wait(int((k - 1) % 2)), ready.bytes);
    }
}

void InteropSource::transfer(std::span<const DrawArray> arrays, GlBuffers& buffers) {
    if (m_problem.empty()) {
        std::vector<SharedWrite> writes;
        for (const DrawArray& array : arrays) {
            if (array.bytes == 0) continue;
            // growing replaces the buffer, and a registered buffer must not be deleted
            if (array.bytes > buffers.capacity(array.slot)) m_shared.forget(buffers.id(array.slot));
            buffers.reserve(array.slot, array.bytes);
            writes.push_back({buffers.id(array.slot), array.data, array.bytes});
        }
        m_problem = m_shared.write(writes);
        if (m_problem.empty()) return;
        report(m_log, m_problem);
        for (const SharedWrite& write : writes) m_shared.forget(write.buffer);
    }
    StagingSource::transfer(arrays, buffers);
}

std::unique_ptr<FrameSource> makeCudaSource(World& world, Solver& solver, LogLine log) {
    const std::string problem = SharedBuffers::sharingProblem(world.exec);
    if (problem.empty()) return std::make_unique<InteropSource>(world, solver, std::move(log));
    report(log, problem);
    return std::make_unique<StagingSource>(world, solver);
}

}  // namespace coalesce
