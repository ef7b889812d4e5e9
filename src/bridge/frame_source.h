// Transfers a World to OpenGL buffers and a RenderFrame. One implementation per transfer path; all give the
// same image.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "bridge/draw_arrays.h"
#include "render/frame/render_frame.h"
#include "render/gl/gl_buffers.h"
#include "render/renderer/renderer.h"

namespace coalesce {

// The arrays that a picture needs. mesh: liquids are drawn as surface meshes.
DrawRequest drawRequest(const DrawOptions& draw, Quantity quantity, const LineSet& lines,
                        const std::optional<SurfaceOptions>& mesh);

class FrameSource {
public:
    FrameSource(World& world, Solver& solver) : m_world(world), m_arrays(world, solver) {}
    virtual ~FrameSource() = default;

    // "interop": written to OpenGL memory on the device; "staging": copied through pinned host memory;
    // "host": uploaded from host memory. For overlay and log.
    virtual const char* path() const = 0;

    // Fills buffers and frame from the current state. Needs a current OpenGL context.
    void publish(const DrawRequest& request, GlBuffers& buffers, RenderFrame& frame);
    // Updates everything in the frame but the arrays, which stay those of the last publish.
    void updateFrame(RenderFrame& frame) const;

protected:
    virtual void transfer(std::span<const DrawArray> arrays, GlBuffers& buffers) = 0;

    World& m_world;

private:
    void setAttributeColors(RenderFrame& frame) const;
    void setDyeColors(RenderFrame& frame) const;

    DrawArrays m_arrays;
    DrawRequest m_request;  // of the last publish
};

// CPU backend: uploads the arrays directly.
class HostSource : public FrameSource {
public:
    using FrameSource::FrameSource;
    const char* path() const override { return "host"; }

protected:
    void transfer(std::span<const DrawArray> arrays, GlBuffers& buffers) override;
};

// The fastest transfer path that works with the current OpenGL context. Falls back to the next one with a
// line to `log`; this is not an error.
using LogLine = std::function<void(const std::string&)>;
std::unique_ptr<FrameSource> makeFrameSource(World& world, Solver& solver, LogLine log);

}  // namespace coalesce
