// Particles in the colors of a quantity, and the legend that explains them.
#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "render/frame/legend.h"
#include "render/renderer/renderer_state.h"

namespace coalesce {

// 13: particles in the colors of the legend
void Renderer::State::drawDebugParticles() {
    const PassTimer::Scope scope(timer, "particles");
    const ColorBy quantity = shownQuantity();
    shownRange = {options.rangeMin, options.rangeMax};
    const bool ownColors = quantity == ColorBy::Scalar && !frame->scalarColors.empty();
    if (ownColors && options.autoRange)
        shownRange = {frame->scalarRange[0], frame->scalarRange[1]};
    else if (options.autoRange && quantity != ColorBy::Phase)
        shownRange = measureRange(quantity);
    setPalette(debugParticles, ownColors ? frame->scalarColors : std::vector<std::array<float, 3>>{});
    target(targets->display, targets->width, targets->height);
    apply({.depthTest = true, .depthWrite = true});
    debugParticles.set("range", glm::vec2(shownRange.first, shownRange.second));
    debugParticles.set("flatDisc", options.quality == Quality::Points ? 1 : 0);
    // grains are part of the lit scene unless particles are what is looked at
    splat(debugParticles, kEverything, true);
}

// 13: balls at the ends of lines, in their color; faint where something hides them. Where particles are shown
// a ball covers its particle; in the lit scene, in a liquid or a body, it is small enough to let it be seen.
void Renderer::State::drawBalls() {
    const size_t there = buffers->capacity(Slot::Line) / slotStride(Slot::Line);
    if (there == 0 || std::ranges::none_of(frame->lines, &DrawLines::balls)) return;
    const PassTimer::Scope scope(timer, "balls");
    target(targets->display, targets->width, targets->height);
    lines.source(1, buffers->id(Slot::Line), sizeof(glm::vec4), slotStride(Slot::Line));
    ball.set("scale", showsParticles ? 1.04f : 0.5f);
    glBindVertexArray(lines.id());
    drawOver(true, [&](bool hidden) {
        for (const DrawLines& set : frame->lines) {
            if (!set.balls || set.first >= there) continue;
            ball.set("ballColor", glm::vec4(vec(set.color), hidden ? 0.3f : 1.0f)).use();
            glDrawArraysInstancedBaseInstance(
                GL_TRIANGLE_STRIP, 0, 4, static_cast<GLsizei>(std::min<size_t>(set.count, there - set.first)),
                set.first);
        }
    });
}

// 13: segments over the picture; faint where something hides them
void Renderer::State::drawDebugLines() {
    const size_t there = buffers->capacity(Slot::Line) / slotStride(Slot::Line);
    if (frame->lines.empty() || there == 0) return;
    const PassTimer::Scope scope(timer, "lines");
    target(targets->display, targets->width, targets->height);
    lines.source(0, buffers->id(Slot::Line), 0, slotStride(Slot::Line));
    lines.source(1, buffers->id(Slot::Line), sizeof(glm::vec4), slotStride(Slot::Line));
    for (const gl::Program* program : {&line, &valueLine})
        program->set("width", std::max(1.0f, 1.5f * static_cast<float>(targets->height) / 720.0f));
    glBindVertexArray(lines.id());
    drawOver(false, [&](bool hidden) {
        for (const DrawLines& set : frame->lines) {
            if (set.first >= there) continue;
            const size_t number = std::min<size_t>(set.count, there - set.first);
            const float alpha = hidden ? 0.15f : 1.0f;
            const gl::Program& program = set.range > 0 ? valueLine : line;
            program.set("lineColor", glm::vec4(vec(set.color), alpha));
            program.set("lift", set.lift);
            program.set("range", glm::vec2(set.sequential ? 0 : -set.range, set.range));
            if (set.range > 0) program.set("diverging", set.sequential ? 0 : 1);
            program.use();
            glDrawArraysInstancedBaseInstance(GL_TRIANGLE_STRIP, 0, 4, static_cast<GLsizei>(number),
                                              set.first);
        }
    });
}

// 13: a line out of the middle of each triangle of the meshes that are drawn
void Renderer::State::drawMeshNormals() {
    if (!frame->meshNormals) return;
    const PassTimer::Scope scope(timer, "mesh normals");
    target(targets->display, targets->width, targets->height);
    useView(cameraBlock);
    meshNormal.set("width", std::max(1.0f, 1.2f * static_cast<float>(targets->height) / 720.0f))
        .set("lift", 0.0f);
    drawOver(false, [&](bool hidden) {
        meshNormal.set("lineColor", glm::vec4(0.9f, 0.5f, 0.95f, hidden ? 0.1f : 1.0f)).use();
        glBindVertexArray(empty.id());
        for (const auto* calls : {&solidMeshes, &containerMeshes, &glassMeshes})
            for (const MeshCall& call : *calls) {
                bindMesh(meshNormal, call);
                glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 8, call.mesh->indices.id());
                const GLsizei triangles = call.mesh->indexCount / 3;
                meshNormal.set("triangles", triangles);
                glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, triangles * static_cast<GLsizei>(call.count));
            }
    });
}

// The frame's own colors, as nine even steps like those of the other maps; none: the map of quantities.
void Renderer::State::setPalette(const gl::Program& program,
                                 std::span<const std::array<float, 3>> colors) const {
    program.set("ownColors", colors.empty() ? 0 : 1);
    if (colors.empty()) return;
    const size_t last = colors.size() - 1;
    for (int k = 0; k < 9; ++k) {
        const float at = static_cast<float>(k) / 8 * static_cast<float>(last);
        const size_t low = std::min(static_cast<size_t>(at), last - std::min<size_t>(last, 1));
        const glm::vec3 color =
            glm::mix(vec(colors[low]), vec(colors[std::min(low + 1, last)]), at - static_cast<float>(low));
        program.set(("palette[" + std::to_string(k) + "]").c_str(), color);
    }
}

std::pair<float, float> Renderer::State::measureRange(ColorBy quantity) {
    const std::array<uint32_t, 2> start{0xffffffffu, 0u};
    range.upload(start.data(), sizeof start);
    const auto there = [&](Slot slot) { return buffers->capacity(slot) >= size_t{count} * slotStride(slot); };
    const Slot read = quantity == ColorBy::Speed       ? Slot::Vel
                      : quantity == ColorBy::Neighbors ? Slot::PosSmooth
                                                       : Slot::Scalar;
    if (count == 0 || !there(read)) return {0, 1};
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 3, range.id());
    const std::pair<GLuint, Slot> inputs[] = {{4, Slot::Vel}, {5, Slot::PosSmooth}, {6, Slot::Scalar}};
    for (const auto& [binding, slot] : inputs) {
        glBindBufferBase(GL_SHADER_STORAGE_BUFFER, binding, there(slot) ? buffers->id(slot) : zeros.id());
    }
    valueRange.set("count", static_cast<int>(count)).set("colorBy", static_cast<int>(quantity));
    valueRange.use();
    glDispatchCompute(static_cast<GLuint>(groupsOf(static_cast<int>(count), 128)), 1, 1);
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    std::array<uint32_t, 2> keys{};
    glGetNamedBufferSubData(range.id(), 0, sizeof keys, keys.data());
    if (keys[0] > keys[1]) return {0, 1};  // not one finite value
    const auto decode = [](uint32_t key) {
        return std::bit_cast<float>(key & 0x80000000u ? key & 0x7fffffffu : ~key);
    };
    std::pair<float, float> found{decode(keys[0]), decode(keys[1])};
    if (quantity == ColorBy::Diverging) {
        // 0 belongs in the middle of a diverging map
        const float most = std::max({std::abs(found.first), std::abs(found.second), 1e-6f});
        return {-most, most};
    }
    if (quantity == ColorBy::Speed) found.first = 0;
    if (found.second <= found.first)
        found.second = found.first + (found.first == 0 ? 1 : 1e-3f * std::abs(found.first));
    return found;
}

// The lines that want a legend.
const DrawLines* Renderer::State::linesByValue() const {
    for (const DrawLines& set : frame->lines)
        if (set.range > 0 && set.count > 0) return &set;
    return nullptr;
}

// 13, drawn last so that edge smoothing does not touch the letters
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
    drawFlat(vertices);
}

// Bars and letters over the finished picture.
void Renderer::State::drawFlat(const std::vector<LegendVertex>& vertices) {
    legendVertices.upload(vertices.data(), vertices.size() * sizeof(LegendVertex));
    flat.source(0, legendVertices.id(), 0, sizeof(LegendVertex));
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, output.framebuffer);
    glViewport(0, 0, output.width, output.height);
    apply({.blend = true, .source = GL_SRC_ALPHA, .destination = GL_ONE_MINUS_SRC_ALPHA});
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_FALSE);  // the picture stays opaque
    legend.set("pictureSize", glm::vec2(output.width, output.height));
    legend.use();
    glBindVertexArray(flat.id());
    glDrawArrays(GL_TRIANGLES, 0, static_cast<GLsizei>(vertices.size()));
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
}

}  // namespace coalesce
