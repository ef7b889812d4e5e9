// Passes 12 and 14: tone mapping and output to the caller's framebuffer.
#include "render/renderer/renderer_state.h"

namespace coalesce {

// 12: from linear light to display colors
void Renderer::State::toneMap() {
    const PassTimer::Scope scope(timer, "tone map");
    target(targets->display, targets->width, targets->height);
    apply({});
    targets->sceneColor.bind(0);
    tonemap.set("exposure", options.exposure);
    fullscreen(tonemap);
}

// 14: writes to the caller's framebuffer
void Renderer::State::resolveOutput() {
    const PassTimer::Scope scope(timer, "resolve");
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, output.framebuffer);
    glViewport(0, 0, output.width, output.height);
    apply({});
    targets->ldr.bind(0);
    resolve.set("samples", targets->width / output.width).set("smoothEdges", options.fxaa ? 1 : 0);
    fullscreen(resolve);
}

}  // namespace coalesce
