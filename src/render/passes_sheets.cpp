// Cloth and ropes: shells and tubes whose corners come with every frame.
#include <algorithm>

#include "render/renderer_state.h"

namespace coalesce {

bool Renderer::State::hasSheets() const {
    return !showsParticles && !frame->sheets.empty() && buffers->id(Slot::ClothIndex) != 0;
}

bool Renderer::State::hasRopes() const {
    return !showsParticles && !frame->ropes.empty() && buffers->id(Slot::RopeIndex) != 0;
}

namespace {

void bindStorage(const GlBuffers& buffers, GLuint binding, Slot slot) {
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, binding, buffers.id(slot));
}

// Triangles of a run of an index buffer; a run that is not all there is not drawn.
void drawRun(const GlBuffers& buffers, Slot slot, uint32_t first, uint32_t indices) {
    if ((size_t{first} + indices) * slotStride(slot) > buffers.capacity(slot)) return;
    glDrawElements(GL_TRIANGLES, static_cast<GLsizei>(indices), GL_UNSIGNED_INT,
                   reinterpret_cast<const void*>(size_t{first} * slotStride(slot)));
}

}  // namespace

void Renderer::State::drawSheets(const gl::Program& program) {
    if (!hasSheets()) return;
    bindStorage(*buffers, 3, Slot::ClothPos);
    bindStorage(*buffers, 4, Slot::ClothNormal);
    bindStorage(*buffers, 5, Slot::ClothRest);
    glVertexArrayElementBuffer(sheets.id(), buffers->id(Slot::ClothIndex));
    program.use();
    glBindVertexArray(sheets.id());
    for (const DrawSheet& sheet : frame->sheets) {
        program.set("halfThickness", 0.5f * sheet.thickness).set("square", sheet.checker);
        program.set("frontColor", vec(sheet.color)).set("backColor", vec(sheet.backColor));
        drawRun(*buffers, Slot::ClothIndex, sheet.first, sheet.indices);
    }
}

// The edges of both sides where faces are drawn too, else those of the sheet in their middle.
void Renderer::State::drawSheetEdges() {
    if (!hasSheets()) return;
    const bool alone = options.cloth == ClothWay::Wire;
    bindStorage(*buffers, 3, Slot::ClothPos);
    bindStorage(*buffers, 4, Slot::ClothNormal);
    bindStorage(*buffers, 5, Slot::ClothIndex);
    clothLine.use();
    glBindVertexArray(empty.id());
    for (const DrawSheet& sheet : frame->sheets) {
        const uint32_t edges = std::min((alone ? 1 : 2) * sheet.frontIndices, sheet.indices);
        if ((size_t{sheet.first} + edges) * slotStride(Slot::ClothIndex) >
            buffers->capacity(Slot::ClothIndex))
            continue;
        clothLine.set("halfThickness", alone ? 0.0f : 0.5f * sheet.thickness)
            .set("firstCorner", static_cast<int>(sheet.first));
        glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, static_cast<GLsizei>(edges));
    }
}

void Renderer::State::drawRopes(const gl::Program& program) {
    if (!hasRopes()) return;
    bindStorage(*buffers, 3, Slot::RopeVertex);
    glVertexArrayElementBuffer(ropes.id(), buffers->id(Slot::RopeIndex));
    program.use();
    glBindVertexArray(ropes.id());
    for (const DrawRope& rope : frame->ropes) {
        program.set("frontColor", vec(rope.color)).set("backColor", vec(rope.backColor));
        drawRun(*buffers, Slot::RopeIndex, rope.first, rope.indices);
    }
}

}  // namespace coalesce
