// Passes 12 and 14: mean of the draws of an image, tone mapping, and output to the caller's framebuffer.
#include <array>

#include "render/renderer/renderer_state.h"

namespace coalesce {

// Whether colors of legends are drawn, which are display colors and not light.
bool Renderer::State::hasAnnotations() const {
    return showsParticles || !frame->lines.empty() || !frame->gizmos.empty() || frame->meshNormals;
}

// 12: adds this draw to the mean of all draws of the image; true after the last one. With 32 bits the order
// of hundreds of draws leaves no trace in 16 bits of the image. Alpha is the smallest distance of all draws.
bool Renderer::State::accumulate(const gl::Texture& drawn, bool displayColors) {
    const auto [index, count] = options.sample;
    if (count == 1 && output.bits != kLightBits) return true;
    const PassTimer::Scope scope(timer, "accumulate");
    const Targets& t = *targets;
    if (mean.width() != t.width || mean.height() != t.height) {
        mean = gl::Texture(GL_RGBA32F, t.width, t.height);
        meanBuffer = gl::Framebuffer({&mean}, nullptr);
    }
    const std::array<float, 4> none{0, 0, 0, kSkyDistance};
    if (index == 0) glClearNamedFramebufferfv(meanBuffer.id(), GL_COLOR, 0, none.data());
    target(meanBuffer, t.width, t.height);
    useView(cameraBlock);
    apply({.blend = true});
    glBlendEquationSeparate(GL_FUNC_ADD, GL_MIN);
    drawn.bind(0);
    t.sceneDepth.bind(1);
    addToMean.set("share", 1.0f / float(count)).set("displayColors", displayColors ? 1 : 0);
    fullscreen(addToMean);
    return index + 1 == count;
}

// 12: from linear light to display colors
void Renderer::State::toneMap() {
    const PassTimer::Scope scope(timer, "tone map");
    target(targets->display, targets->width, targets->height);
    apply({});
    (options.sample.count > 1 && !hasAnnotations() ? mean : targets->sceneColor).bind(0);
    tonemap.set("exposure", options.exposure);
    fullscreen(tonemap);
}

// 12: the mean of display colors, which was taken in linear light
void Renderer::State::showMean() {
    target(targets->display, targets->width, targets->height);
    apply({});
    mean.bind(0);
    fullscreen(encodeMean);
}

// 14: writes to the caller's framebuffer
void Renderer::State::resolveOutput() {
    const PassTimer::Scope scope(timer, "resolve");
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, output.framebuffer);
    glViewport(0, 0, output.width, output.height);
    apply({});
    targets->ldr.bind(0);
    resolve.set("samples", std::max(targets->width / output.width, 1));
    resolve.set("smoothEdges", options.fxaa && options.sample.count == 1 ? 1 : 0);
    resolve.set("halved", options.halved ? 1 : 0);
    resolve.set("dithered", output.bits == 8 ? 1 : 0);
    fullscreen(resolve);
}

// 14: the same for a target of light. Colors of annotations have the exposure in them.
void Renderer::State::resolveLight() {
    const PassTimer::Scope scope(timer, "resolve");
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, output.framebuffer);
    glViewport(0, 0, output.width, output.height);
    apply({});
    mean.bind(0);
    lightOutput.set("samples", std::max(targets->width / output.width, 1));
    lightOutput.set("exposure", hasAnnotations() ? 1.0f : options.exposure);
    fullscreen(lightOutput);
}

}  // namespace coalesce
