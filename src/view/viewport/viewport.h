// The rendered view of a session: transfers its particles to OpenGL and draws them. Needs a current OpenGL
// context, and no window.
#pragma once

#include <memory>
#include <optional>

#include "bridge/frame_source.h"
#include "render/renderer/renderer.h"
#include "session/session.h"
#include "view/viewport/view_settings.h"

namespace coalesce {

// The shaders of the source tree, reloaded when they change, if the program can find it; else the built-in
// ones.
gl::ShaderLibrary liveShaders();
// A message that names the shader files that differ from the built-in ones; empty: none.
std::string modifiedShaders(const gl::ShaderLibrary& shaders);

// Copies a render target into this area of the bound framebuffer [px], scaled to fit.
void showTarget(const RenderTarget& target, int left, int bottom, int width, int height);

class Viewport {
public:
    // log: receives a line if data cannot take the fastest path.
    explicit Viewport(LogLine log) : m_log(std::move(log)) {}

    // Reconnects to world and solver of the session after a restart or another scene. True: reconnected.
    bool follow(Session& session);
    // Transfers the present state. Particle data only if it has changed; materials and shapes always.
    void publish(Session& session, const ViewSettings& view);
    // Draws the state that was published last. False: the size is empty.
    bool draw(Renderer& renderer, const ViewSettings& view, int width, int height);
    const char* path() const { return m_source->path(); }
    const RenderFrame& frame() const { return m_frame; }
    const RenderTarget* target() const { return m_target ? &*m_target : nullptr; }

private:
    struct Shown {
        uint64_t step;
        DrawRequest request;
        bool operator==(const Shown&) const = default;
    };

    LogLine m_log;
    uint64_t m_generation = 0;
    GlBuffers m_buffers;  // destroyed after the source, which unregisters them from CUDA
    std::unique_ptr<FrameSource> m_source;
    std::optional<Shown> m_published;
    RenderFrame m_frame;
    std::optional<RenderTarget> m_target;
};

}  // namespace coalesce
