#include "view/viewport/viewport.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace coalesce {

gl::ShaderLibrary liveShaders() {
    std::error_code missing;
    return std::filesystem::is_directory(COALESCE_SHADER_DIR, missing)
               ? gl::ShaderLibrary(COALESCE_SHADER_DIR)
               : gl::ShaderLibrary();
}

std::string modifiedShaders(const gl::ShaderLibrary& shaders) {
    std::vector<std::string> names = shaders.foreign();
    if (names.empty()) return "";
    const bool one = names.size() == 1;
    if (names.size() > 4) names.resize(4), names.emplace_back("…");
    return fmt::format("The shader{} {} {} changed since the program was built; it draws with the {}.",
                       one ? "" : "s", fmt::join(names, ", "), one ? "has" : "have", one ? "file" : "files");
}

bool Viewport::follow(Session& session) {
    if (m_source && m_generation == session.generation()) return false;
    m_generation = session.generation();
    m_source = makeFrameSource(session.world(), session.solver(), m_log);
    m_published.reset();
    return true;
}

void Viewport::publish(Session& session, const ViewSettings& view) {
    Shown now{session.world().step, view.request(session.paused)};
    now.request.hidden = groupsOf(session.scene(), view.hiddenBodies);
    if (m_published == now && m_frame.ellipsoids == now.request.ellipsoids)
        m_source->updateFrame(m_frame);
    else
        m_source->publish(now.request, m_buffers, m_frame);
    m_published = now;
}

bool Viewport::draw(Renderer& renderer, const ViewSettings& view, int width, int height) {
    if (width < 1 || height < 1) return false;
    if (!m_target || m_target->output().width != width || m_target->output().height != height)
        m_target.emplace(width, height);
    renderer.draw(m_frame, m_buffers, view.camera, view.draw, m_target->output());
    return true;
}

void showTarget(const RenderTarget& target, int left, int bottom, int width, int height) {
    const OutputTarget from = target.output();
    GLint window = 0;
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &window);
    const double scale = std::min(double(width) / from.width, double(height) / from.height);
    const int w = int(std::lround(scale * from.width)), h = int(std::lround(scale * from.height));
    left += (width - w) / 2, bottom += (height - h) / 2;
    glBlitNamedFramebuffer(from.framebuffer, GLuint(window), 0, 0, from.width, from.height, left, bottom,
                           left + w, bottom + h, GL_COLOR_BUFFER_BIT, scale == 1 ? GL_NEAREST : GL_LINEAR);
}

}  // namespace coalesce
