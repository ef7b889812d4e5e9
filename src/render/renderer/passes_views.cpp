// What is shown beside or over the picture: gizmos, the scale bar, intermediate maps.
#include <algorithm>
#include <array>
#include <cmath>

#include "render/frame/legend.h"
#include "render/renderer/renderer_state.h"

namespace coalesce {

namespace {

// How the values of a map become colors; the numbers are those of buffer_view.frag.
enum class MapKind { Light, Value, Normal, Depth, Display, ParallelDepth, OpticalDepth };

struct ShownMap {
    BufferView view;
    MapKind kind;
    bool fromSun;       // square, seen from the sun
    const char* title;  // of the legend; null: none
};
constexpr ShownMap kMaps[] = {
    {{"eyeDepthRaw", "distance of the liquid before the filter"}, MapKind::Value, false, "distance [m]"},
    {{"eyeDepth", "distance of the liquid, filtered"}, MapKind::Value, false, "distance [m]"},
    {{"normal", "normals of the liquid"}, MapKind::Normal, false, nullptr},
    {{"thickness", "depth of liquid behind each pixel"}, MapKind::Value, false, "thickness [m]"},
    {{"sceneDepth", "distance of everything"}, MapKind::Depth, false, "distance [m]"},
    {{"sceneColor", "light before exposure and tone mapping"}, MapKind::Light, false, nullptr},
    {{"display", "tone mapped, before edges are smoothed"}, MapKind::Display, false, nullptr},
    {{"shadow", "depth of solids, seen from the sun"}, MapKind::ParallelDepth, true, nullptr},
    {{"lightThickness", "light that liquids let through, seen from the sun"},
     MapKind::OpticalDepth,
     true,
     nullptr},
    {{"lightFluidDepth", "where liquids begin, seen from the sun"}, MapKind::Value, true, "distance [m]"},
};

}  // namespace

std::span<const BufferView> bufferViews() {
    static const auto views = [] {
        std::array<BufferView, std::size(kMaps)> all{};
        std::ranges::transform(kMaps, all.begin(), &ShownMap::view);
        return all;
    }();
    return views;
}

// 13: lines that come with the frame; faint where something hides them
void Renderer::State::drawGizmos() {
    if (frame->gizmos.empty()) return;
    const PassTimer::Scope scope(timer, "gizmos");
    std::vector<glm::vec4> ends;
    for (const DrawGizmo& gizmo : frame->gizmos)
        for (const auto& end : gizmo.ends) ends.emplace_back(end[0], end[1], end[2], 0);
    if (ends.size() < 2) return;
    gizmoEnds.upload(ends.data(), ends.size() * sizeof(glm::vec4));
    target(targets->display, targets->width, targets->height);
    lines.source(0, gizmoEnds.id(), 0, 2 * sizeof(glm::vec4));
    lines.source(1, gizmoEnds.id(), sizeof(glm::vec4), 2 * sizeof(glm::vec4));
    line.set("width", std::max(1.0f, 2.0f * static_cast<float>(targets->height) / 720.0f)).set("lift", 0.0f);
    drawOver(false, [&](bool hidden) {
        GLuint first = 0;
        for (const DrawGizmo& gizmo : frame->gizmos) {
            const auto number = static_cast<GLsizei>(gizmo.ends.size() / 2);
            line.set("lineColor", glm::vec4(vec(gizmo.color), hidden ? 0.35f : 1.0f));
            line.use();
            glBindVertexArray(lines.id());
            if (number > 0) glDrawArraysInstancedBaseInstance(GL_TRIANGLE_STRIP, 0, 4, number, first);
            first += static_cast<GLuint>(number);
        }
    });
}

// 15: an intermediate map right of the split, and what its colors mean
void Renderer::State::showBuffer() {
    if (options.buffer.empty()) return;
    const auto shown =
        std::ranges::find(kMaps, options.buffer, [](const ShownMap& m) { return m.view.name; });
    if (shown == std::end(kMaps)) return;
    const PassTimer::Scope scope(timer, "buffer view");
    int channels = 1;
    const gl::Texture* map = findMap(options.buffer, channels);
    // distances from the near to the far side of what there is; thickness up to a third of its extent
    const auto [lower, upper] = casterBounds();
    const float extent = glm::length(upper - lower);
    const float middle = glm::distance((lower + upper) / 2.0f, glm::vec3(camera.eye));
    glm::vec2 range(std::max(middle - extent / 2, 0.0f), middle + extent / 2);
    if (options.buffer == "thickness") range = {0, extent / 3};
    if (shown->fromSun) range = {0, light.lightRange.x};

    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, output.framebuffer);
    glViewport(0, 0, output.width, output.height);
    apply({});
    useView(cameraBlock);
    const glm::vec2 size(output.width, output.height);
    const float split = std::clamp(options.split, 0.0f, 1.0f) * size.x;
    glm::vec4 area(0, 0, size);
    if (shown->fromSun) {
        // a square in the middle of what the picture leaves
        const float side = std::min(size.x - split, size.y);
        area = {split + (size.x - split - side) / 2, (size.y - side) / 2, side, side};
    }
    bufferView.set("kind", static_cast<int>(shown->kind)).set("range", range).set("area", area);
    bufferView.set("split", split).set("emptyValue", map && shown->kind == MapKind::Value ? 1 : 0);
    // what this picture has none of is as empty as a map without anything in it
    (map ? map : &emptyMap)->bind(0);
    // the shadow map is read as it is, not compared
    glBindSampler(0, plainSampler.id());
    fullscreen(bufferView);
    glBindSampler(0, 0);
    if (!options.legend || !shown->title) return;
    legend.set("diverging", 0);
    setPalette(legend, {});
    drawFlat(legendTriangles(output.width, output.height, range.x, range.y, shown->title));
}

// At the lower left, for what is as far away as what the camera looks at.
void Renderer::State::drawScaleBar() {
    if (!frame->scaleBar) return;
    const PassTimer::Scope scope(timer, "scale bar");
    drawFlat(scaleBarTriangles(output.width, output.height,
                               0.5f * static_cast<float>(output.height) * camera.clip.z / lookDistance));
}

}  // namespace coalesce
