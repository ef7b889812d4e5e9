// The ways from a world on a CUDA device to OpenGL. Only in CUDA builds.
#pragma once

#include "bridge/frame_source.h"
#include "bridge/pinned_ring.h"
#include "bridge/shared_buffers.h"

namespace coalesce {

// By way of pinned host memory: works with every OpenGL.
class StagingSource : public FrameSource {
public:
    StagingSource(World& world, Solver& solver) : FrameSource(world, solver), m_ring(world.exec) {}
    const char* path() const override { return "staging"; }

protected:
    void transfer(std::span<const DrawArray> arrays, GlBuffers& buffers) override;

private:
    PinnedRing m_ring;
};

// Straight into OpenGL's buffers, where both are on one device. When that stops working it goes on as
// StagingSource. One source serves one GlBuffers: their registrations are kept.
class InteropSource : public StagingSource {
public:
    InteropSource(World& world, Solver& solver, LogLine log)
        : StagingSource(world, solver), m_shared(world.exec), m_log(std::move(log)) {}
    const char* path() const override { return m_trouble.empty() ? "interop" : StagingSource::path(); }

protected:
    void transfer(std::span<const DrawArray> arrays, GlBuffers& buffers) override;

private:
    SharedBuffers m_shared;
    LogLine m_log;
    std::string m_trouble;  // why it goes on by staging
};

std::unique_ptr<FrameSource> makeCudaSource(World& world, Solver& solver, LogLine log);

}  // namespace coalesce
