// Brings a world's particles to the graphics side. One implementation per way the data takes; all give the
// same image.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "bridge/draw_arrays.h"
#include "render/frame/render_frame.h"
#include "render/gl/gl_buffers.h"

namespace coalesce {

class FrameSource {
public:
    FrameSource(World& world, Solver& solver) : m_world(world), m_arrays(world, solver) {}
    virtual ~FrameSource() = default;

    // "interop": the simulation writes into OpenGL's memory; "staging": by way of pinned host memory;
    // "host": the simulation's memory is the host's. For overlay and log.
    virtual const char* path() const = 0;

    // Fills buffers and frame with the present state. Needs a current OpenGL context.
    void publish(const DrawRequest& request, GlBuffers& buffers, RenderFrame& frame);
    // Fills what of the frame is no array; the arrays stay those of the last publish.
    void describe(RenderFrame& frame) const;
    void describeAttribute(RenderFrame& frame) const;
    void describeDye(RenderFrame& frame) const;

protected:
    virtual void transfer(std::span<const DrawArray> arrays, GlBuffers& buffers) = 0;

    World& m_world;

private:
    DrawArrays m_arrays;
    DrawRequest m_request;  // of the last publish
};

// CPU backend: the arrays are uploaded from where they are.
class HostSource : public FrameSource {
public:
    using FrameSource::FrameSource;
    const char* path() const override { return "host"; }

protected:
    void transfer(std::span<const DrawArray> arrays, GlBuffers& buffers) override;
};

// The best way from this world to the current OpenGL context. A way that does not work is left for the next
// one with one line to `log`; that is never an error.
using LogLine = std::function<void(const std::string&)>;
std::unique_ptr<FrameSource> makeFrameSource(World& world, Solver& solver, LogLine log);

}  // namespace coalesce
