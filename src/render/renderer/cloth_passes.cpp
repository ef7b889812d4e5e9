// Cloth and ropes: shells and tubes whose vertices change every frame.
#include <algorithm>

#include "render/renderer/renderer_state.h"

namespace coalesce {

bool Renderer::State::hasCloth() const {
    return !showsParticles && !frame->cloth.empty() && buffers->id(Slot::ClothIndex) != 0;
}

bool Renderer::State::hasRopes() const {
    return !showsParticles && !frame->ropes.empty() && buffers->id(Slot::RopeIndex) != 0;
}

namespace {

void bindStorage(const GlBuffers& buffers, GLuint binding, Slot slot) {
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, binding, buffers.id(slot));
}

// Draws the triangles of a run of an index buffer; skips runs that exceed the buffer.
void drawRun(const GlBuffers& buffers, Slot slot, uint32_t first, uint32_t indices) {
    if ((size_t{first} + indices) * slotStride(slot) > buffers.capacity(slot)) return;
    glDrawElements(GL_TRIANGLES, GLsizei(indices), GL_UNSIGNED_INT,
                   reinterpret_cast<const void*>(size_t{first} * slotStride(slot)));
}

}  // namespace

void Renderer::State::drawCloth(const gl::Program& program) {
    if (!hasCloth()) return;
    const Clipping clipping;
    bindStorage(*buffers, 3, Slot::ClothPos);
    bindStorage(*buffers, 4, Slot::ClothNormal);
    bindStorage(*buffers, 5, Slot::ClothRest);
    glVertexArrayElementBuffer(cloth.id(), buffers->id(Slot::ClothIndex));
    program.use();
    glBindVertexArray(cloth.id());
    for (const DrawCloth& cloth : frame->cloth) {
        program.set("halfThickness", 0.5f * cloth.thickness).set("square", cloth.checker);
        program.set("frontColor", vec(cloth.color)).set("backColor", vec(cloth.backColor));
        drawRun(*buffers, Slot::ClothIndex, cloth.first, cloth.indices);
    }
}

// Draws the edges of both sides, or in wire view those of the middle surface.
void Renderer::State::drawClothEdges() {
    if (!hasCloth()) return;
    const bool alone = options.cloth == ClothStyle::Wire;
    bindStorage(*buffers, 3, Slot::ClothPos);
    bindStorage(*buffers, 4, Slot::ClothNormal);
    bindStorage(*buffers, 5, Slot::ClothIndex);
    clothLine.use();
    glBindVertexArray(empty.id());
    for (const DrawCloth& cloth : frame->cloth) {
        const uint32_t edges = std::min((alone ? 1 : 2) * cloth.frontIndices, cloth.indices);
        if ((size_t{cloth.first} + edges) * slotStride(Slot::ClothIndex) >
            buffers->capacity(Slot::ClothIndex))
            continue;
        clothLine.set("halfThickness", alone ? 0.0f : 0.5f * cloth.thickness)
            .set("firstCorner", int(cloth.first));
        glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, GLsizei(edges));
    }
}

void Renderer::State::drawRopes(const gl::Program& program) {
    if (!hasRopes()) return;
    const Clipping clipping;
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
