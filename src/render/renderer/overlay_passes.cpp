// 2D overlays of the finished image: color legend and scale bar.
#include <algorithm>
#include <string>

#include "render/frame/legend.h"
#include "render/renderer/renderer_state.h"

namespace coalesce {

// Sets the frame's own colors as nine even steps, like the other color maps; none: default color map.
void Renderer::State::setPalette(const gl::Program& program,
                                 std::span<const std::array<float, 3>> colors) const {
    program.set("ownColors", colors.empty() ? 0 : 1);
    if (colors.empty()) return;
    const size_t last = colors.size() - 1;
    for (int k = 0; k < 9; ++k) {
        const float at = float(k) / 8 * float(last);
        const size_t low = std::min(size_t(at), last - std::min<size_t>(last, 1));
        const glm::vec3 color =
            glm::mix(vec(colors[low]), vec(colors[std::min(low + 1, last)]), at - float(low));
        program.set(("palette[" + std::to_string(k) + "]").c_str(), color);
    }
}

// 13, drawn last so that antialiasing does not touch the text
void Renderer::State::drawLegend() {
    const ColorBy quantity = shownQuantity();
    const bool ofParticles = options.mode == DrawMode::Particles && quantity != ColorBy::Phase;
    const DrawLines* valued = linesByValue();
    if (!options.legend || !options.buffer.empty() || (!ofParticles && !valued)) return;
    const PassTimer::Scope scope(timer, "legend");
    std::string title = frame->scalarName + (frame->scalarUnit.empty() ? "" : " [" + frame->scalarUnit + "]");
    if (quantity == ColorBy::Speed) title = "speed [m/s]";
    if (quantity == ColorBy::Neighbors) title = "neighbors";
    std::pair<float, float> shown = shownRange;
    if (!ofParticles) title = valued->name, shown = {valued->sequential ? 0 : -valued->range, valued->range};
    const auto vertices = legendTriangles(output.width, output.height, shown.first, shown.second, title);
    legend.set("diverging", (ofParticles ? quantity == ColorBy::Diverging : !valued->sequential) ? 1 : 0);
    setPalette(legend, ofParticles && quantity == ColorBy::Scalar ? frame->scalarColors
                                                                  : std::vector<std::array<float, 3>>{});
    drawOverlay(vertices);
}

// Draws bars and text over the finished image.
void Renderer::State::drawOverlay(const std::vector<LegendVertex>& vertices) {
    legendVertices.upload(vertices.data(), vertices.size() * sizeof(LegendVertex));
    flat.source(0, legendVertices.id(), 0, sizeof(LegendVertex));
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, output.framebuffer);
    glViewport(0, 0, output.width, output.height);
    apply({.blend = true, .source = GL_SRC_ALPHA, .destination = GL_ONE_MINUS_SRC_ALPHA});
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_FALSE);  // the image stays opaque
    legend.set("outputSize", glm::vec2(output.width, output.height));
    legend.use();
    glBindVertexArray(flat.id());
    glDrawArrays(GL_TRIANGLES, 0, GLsizei(vertices.size()));
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
}

// Lower left; valid at the distance of the camera's look point.
void Renderer::State::drawScaleBar() {
    if (!frame->scaleBar) return;
    const PassTimer::Scope scope(timer, "scale bar");
    drawOverlay(scaleBarTriangles(output.width, output.height,
                                  0.5f * float(output.height) * camera.clip.z / lookDistance));
}

}  // namespace coalesce
