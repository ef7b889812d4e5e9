// 2D overlays of the finished image: color legend, scale bar, label.
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
    legend.set("diverging", (ofParticles ? quantity == ColorBy::Diverging : !valued->sequential) ? 1 : 0);
    setPalette(legend, ofParticles && quantity == ColorBy::Scalar ? frame->scalarColors
                                                                  : std::vector<std::array<float, 3>>{});
    drawColorBar({shown.first, shown.second}, title);
}

void Renderer::State::drawColorBar(glm::vec2 range, const std::string& title) {
    const auto vertices = legendTriangles(output.width, output.height, range.x, range.y, title, fontOf());
    for (const LegendVertex& v : vertices) shownLegend = std::max(shownLegend, output.width - int(v.at.x));
    drawOverlay(vertices);
}

// The letters for this image; drawn anew when its height asks for another size.
const Font& Renderer::State::fontOf() {
    const int size = legendFontSize(output.height);
    if (font && font->size() == size) return *font;
    font.emplace(size);
    glyphs = gl::Texture(GL_R8, font->atlasWidth(), font->atlasHeight());
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTextureSubImage2D(glyphs.id(), 0, 0, 0, glyphs.width(), glyphs.height(), GL_RED, GL_UNSIGNED_BYTE,
                        font->atlas().data());
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    return *font;
}

// Draws bars and text over the finished image.
void Renderer::State::drawOverlay(const std::vector<LegendVertex>& vertices) {
    fontOf();
    legendVertices.upload(vertices.data(), vertices.size() * sizeof(LegendVertex));
    overlay.source(0, legendVertices.id(), 0, sizeof(LegendVertex));
    overlay.source(1, legendVertices.id(), offsetof(LegendVertex, glyph), sizeof(LegendVertex));
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, output.framebuffer);
    glViewport(0, 0, output.width, output.height);
    apply({.blend = true, .source = GL_SRC_ALPHA, .destination = GL_ONE_MINUS_SRC_ALPHA});
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_FALSE);  // the image stays opaque
    legend.set("outputSize", glm::vec2(output.width, output.height));
    glyphs.bind(0);
    legend.use();
    glBindVertexArray(overlay.id());
    glDrawArrays(GL_TRIANGLES, 0, GLsizei(vertices.size()));
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
}

void Renderer::State::drawLabel() {
    if (options.label.empty()) return;
    const PassTimer::Scope scope(timer, "label");
    drawOverlay(labelTriangles(output.width, output.height, options.label, fontOf()));
}

// Lower left; valid at the distance of the camera's look point.
void Renderer::State::drawScaleBar() {
    if (!frame->scaleBar) return;
    const PassTimer::Scope scope(timer, "scale bar");
    drawOverlay(scaleBarTriangles(output.width, output.height,
                                  0.5f * float(output.height) * camera.clip.z / lookDistance, fontOf()));
}

}  // namespace coalesce
