// The picture of a session: its particles brought to OpenGL, and drawn. Needs a current OpenGL context, and
// no window.
#pragma once

#include <memory>
#include <optional>

#include "bridge/frame_source.h"
#include "render/renderer/renderer.h"
#include "session/session.h"
#include "view/viewport/view_settings.h"

namespace coalesce {

// The shaders beside the sources, which are followed as they change, where the program runs there; else the
// built-in ones.
gl::ShaderLibrary liveShaders();
// Which of them the program was not built with, and what that may mean; empty: none.
std::string foreignShaders(const gl::ShaderLibrary& shaders);

// Copies a picture into this area of the framebuffer that is bound [px]; of another size, it is fitted in.
void showTarget(const RenderTarget& picture, int left, int bottom, int width, int height);

class Viewport {
public:
    // log: where it is said that data takes another way than the best one.
    explicit Viewport(LogLine log) : m_log(std::move(log)) {}

    // After a reset or another scene, world and solver of the session are other objects: the way of the data
    // then starts anew. True: it did.
    bool follow(Session& session);
    // The present state. Only what has changed travels; materials and shapes are few and always do.
    void publish(Session& session, const ViewSettings& look);
    // The state that was published last. False: there is nothing to draw into.
    bool draw(Renderer& renderer, const ViewSettings& look, int width, int height);
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
    GlBuffers m_buffers;  // before the source, which unregisters them from CUDA when it goes
    std::unique_ptr<FrameSource> m_source;
    std::optional<Shown> m_published;
    RenderFrame m_frame;
    std::optional<RenderTarget> m_target;
};

}  // namespace coalesce
