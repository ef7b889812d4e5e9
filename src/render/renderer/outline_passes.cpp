// Pass 10: edges of shapes, meshes and cloth.
#include <algorithm>

#include "render/frame/outlines.h"
#include "render/renderer/renderer_state.h"

namespace coalesce {

// 10: edges of shapes. Drawn after the liquids, because refraction would break up lines one pixel wide; parts
// inside a liquid are drawn faintly, against the depth of the scene without it.
void Renderer::State::drawOutlines() {
    const bool clothEdges = options.cloth != ClothStyle::Solid && hasCloth();
    if (segmentCount == 0 && outlinedMeshes.empty() && !clothEdges) return;
    const PassTimer::Scope scope(timer, "outlines");
    const glm::vec3 color(0.16f, 0.18f, 0.20f);
    if (fluidDrawn) {
        target(targets->behind, targets->width, targets->height);
        apply({.depthTest = true,
               .blend = true,
               .source = GL_SRC_ALPHA,
               .destination = GL_ONE_MINUS_SRC_ALPHA});
        drawEdges(glm::vec4(color, 0.3f));
    }
    target(targets->scene, targets->width, targets->height);
    apply({.depthTest = true, .depthWrite = true});
    drawEdges(glm::vec4(color, 1));
}

void Renderer::State::drawEdges(glm::vec4 color) {
    const Clipping clipping;
    const float scale = float(targets->height) / 720.0f;
    for (const gl::Program* program : {&line, &meshLine, &clothLine})
        program->set("width", std::max(1.0f, 1.3f * scale)).set("lineColor", color);
    if (segmentCount > 0) {
        lines.source(0, segments.id(), 0, sizeof(Segment));
        lines.source(1, segments.id(), sizeof(glm::vec4), sizeof(Segment));
        line.use();
        glBindVertexArray(lines.id());
        glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, segmentCount);
    }
    meshLine.use();
    glBindVertexArray(meshEdges.id());
    for (const MeshCall& call : outlinedMeshes) {
        const GpuEdges& edges = meshStore.edges(*call.arrays);
        const size_t number = call.allEdges ? edges.count : edges.sharp;
        if (number == 0) continue;
        bindMesh(meshLine, call);
        meshEdges.source(0, edges.buffer.id(), 0, sizeof(glm::uvec2));
        meshEdges.source(1, edges.buffer.id(), sizeof(uint32_t), sizeof(glm::uvec2));
        glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, GLsizei(number));
    }
    if (options.cloth != ClothStyle::Solid) drawClothEdges();
}

}  // namespace coalesce
