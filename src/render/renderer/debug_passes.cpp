// Pass 13, debug views: particles colored by a quantity, balls, lines, mesh normals, gizmos.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "render/renderer/renderer_state.h"

namespace coalesce {

// 13: particles in legend colors
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
    // in the lit scene, grains are drawn by the opaque pass
    splat(debugParticles, kEverything, true);
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
    valueRange.set("count", int(count)).set("colorBy", int(quantity));
    valueRange.use();
    glDispatchCompute(GLuint(groupsOf(int(count), 128)), 1, 1);
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    std::array<uint32_t, 2> keys{};
    glGetNamedBufferSubData(range.id(), 0, sizeof keys, keys.data());
    if (keys[0] > keys[1]) return {0, 1};  // no finite value
    const auto decode = [](uint32_t key) {
        return std::bit_cast<float>(key & 0x80000000u ? key & 0x7fffffffu : ~key);
    };
    std::pair<float, float> found{decode(keys[0]), decode(keys[1])};
    if (quantity == ColorBy::Diverging) {
        // 0 is the center of a diverging map
        const float most = std::max({std::abs(found.first), std::abs(found.second), 1e-6f});
        return {-most, most};
    }
    if (quantity == ColorBy::Speed) found.first = 0;
    if (found.second <= found.first)
        found.second = found.first + (found.first == 0 ? 1 : 1e-3f * std::abs(found.first));
    return found;
}

// 13: balls at line ends, faint where occluded. In Particles mode a ball covers its particle; in the lit
// scene, inside a liquid or body, it is smaller.
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
                GL_TRIANGLE_STRIP, 0, 4, GLsizei(std::min<size_t>(set.count, there - set.first)), set.first);
        }
    });
}

// First set of lines that needs a legend.
const DrawLines* Renderer::State::linesByValue() const {
    for (const DrawLines& set : frame->lines)
        if (set.range > 0 && set.count > 0) return &set;
    return nullptr;
}

// 13: line segments over the image, faint where occluded
void Renderer::State::drawDebugLines() {
    const size_t there = buffers->capacity(Slot::Line) / slotStride(Slot::Line);
    if (frame->lines.empty() || there == 0) return;
    const PassTimer::Scope scope(timer, "lines");
    const Clipping clipping;
    target(targets->display, targets->width, targets->height);
    lines.source(0, buffers->id(Slot::Line), 0, slotStride(Slot::Line));
    lines.source(1, buffers->id(Slot::Line), sizeof(glm::vec4), slotStride(Slot::Line));
    for (const gl::Program* program : {&line, &valueLine})
        program->set("width", std::max(1.0f, 1.5f * float(targets->height) / 720.0f));
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
            glDrawArraysInstancedBaseInstance(GL_TRIANGLE_STRIP, 0, 4, GLsizei(number), set.first);
        }
    });
}

// 13: a line from the center of each mesh triangle
void Renderer::State::drawMeshNormals() {
    if (!frame->meshNormals) return;
    const PassTimer::Scope scope(timer, "mesh normals");
    target(targets->display, targets->width, targets->height);
    useView(cameraBlock);
    meshNormal.set("width", std::max(1.0f, 1.2f * float(targets->height) / 720.0f)).set("lift", 0.0f);
    drawOver(false, [&](bool hidden) {
        meshNormal.set("lineColor", glm::vec4(0.9f, 0.5f, 0.95f, hidden ? 0.1f : 1.0f)).use();
        glBindVertexArray(empty.id());
        for (const auto* calls : {&solidMeshes, &containerMeshes, &glassMeshes})
            for (const MeshCall& call : *calls) {
                bindMesh(meshNormal, call);
                glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 8, call.mesh->indices.id());
                const GLsizei triangles = call.mesh->indexCount / 3;
                meshNormal.set("triangles", triangles);
                glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, triangles * GLsizei(call.count));
            }
    });
}

// 13: lines stored in the frame, faint where occluded
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
    line.set("width", std::max(1.0f, 2.0f * float(targets->height) / 720.0f)).set("lift", 0.0f);
    drawOver(false, [&](bool hidden) {
        GLuint first = 0;
        for (const DrawGizmo& gizmo : frame->gizmos) {
            const auto number = GLsizei(gizmo.ends.size() / 2);
            line.set("lineColor", glm::vec4(vec(gizmo.color), hidden ? 0.35f : 1.0f));
            line.use();
            glBindVertexArray(lines.id());
            if (number > 0) glDrawArraysInstancedBaseInstance(GL_TRIANGLE_STRIP, 0, 4, number, first);
            first += GLuint(number);
        }
    });
}

}  // namespace coalesce
