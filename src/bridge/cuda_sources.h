// Frame sources for a World on a CUDA device. Only in CUDA builds.
#pragma once

#include "bridge/frame_source.h"
#include "bridge/pinned_ring.h"
#include "bridge/shared_buffers.h"

namespace coalesce {

// Copies through pinned host memory: works with every OpenGL driver.
class StagingSource : public FrameSource {
public:
    StagingSource(World& world, Solver& solver) : FrameSource(world, solver), m_ring(world.exec) {}
    const char* path() const override { return "staging"; }

protected:
    void transfer(std::span<const DrawArray> arrays, GlBuffers& buffers) override;

private:
    PinnedRing m_ring;
};

// Writes into OpenGL buffers on the device, where both use the same GPU. Falls back to StagingSource after an
// error. One source serves one GlBuffers, because it keeps their registrations.
class InteropSource : public StagingSource {
public:
    InteropSource(World& world, Solver& solver, LogLine log)
        : StagingSource(world, solver), m_shared(world.exec), m_log(std::move(log)) {}
    const char* path() const override { return m_problem.empty() ? "interop" : StagingSource::path(); }

protected:
    void transfer(std::span<const DrawArray> arrays, GlBuffers& buffers) override;

private:
    SharedBuffers m_shared;
    LogLine m_log;
    std::string m_problem;  // why it fell back to staging
};

std::unique_ptr<FrameSource> makeCudaSource(World& world, Solver& solver, LogLine log);

}  // namespace coalesce
