// Pass 10: spray, foam and bubbles.
#include "render/renderer/renderer_state.h"

namespace coalesce {

bool Renderer::State::hasPassives() const {
    const size_t bytes = size_t{frame->passives} * slotStride(Slot::PassivePos);
    return bytes > 0 && buffers->id(Slot::PassivePos) != 0 && buffers->capacity(Slot::PassivePos) >= bytes;
}

void Renderer::State::drawPassives(const gl::Program& program) {
    drawSprites(program, Slot::PassivePos, Slot::PassiveVel, Slot::PassiveTag, frame->passives);
}

void Renderer::State::drawSprites(const gl::Program& program, Slot position, Slot velocity, Slot tag,
                                  uint32_t number) {
    passives.source(0, buffers->id(position), 0, slotStride(position));
    passives.source(1, buffers->id(velocity), 0, slotStride(velocity));
    passives.source(2, buffers->id(tag), 0, slotStride(tag));
    program.use();
    glBindVertexArray(passives.id());
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, GLsizei(number));
}

// For below_surface.glsl; the depth test of what follows ignores the nearest liquid.
const gl::Framebuffer& Renderer::State::bindSurfaces(const gl::Program& program) {
    const Targets& t = *targets;
    t.surfaces.bind(0);
    t.thickness.bind(1);
    program.set("layer", !fluidDrawn ? -1 : t.several() ? t.liquids : 0);
    program.set("liquids", int(liquids.size()));
    return fluidDrawn ? t.behind : t.scene;
}

// Unsorted: particles of one color blend to the same in any order. Colors are premultiplied.
void Renderer::State::drawFoam() {
    if (!hasPassives()) return;
    const PassTimer::Scope scope(timer, "foam");
    useView(cameraBlock);
    bindLightMaps();
    target(bindSurfaces(foam), targets->width, targets->height);
    apply({.depthTest = true, .blend = true, .destination = GL_ONE_MINUS_SRC_ALPHA});
    foam.set("shutter", frame->shutter).set("smallest", kSmallestDisc);
    drawPassives(foam);
}

}  // namespace coalesce
