// Draw calls and OpenGL state shared by all passes.
#include <algorithm>

#include "render/renderer/renderer_state.h"

namespace coalesce {

void apply(const FixedState& s) {
    const auto toggle = [](GLenum what, bool on) { on ? glEnable(what) : glDisable(what); };
    toggle(GL_DEPTH_TEST, s.depthTest);
    toggle(GL_BLEND, s.blend);
    toggle(GL_CULL_FACE, s.cull != GL_NONE);
    toggle(GL_DEPTH_CLAMP, s.depthClamp);
    glDepthMask(s.depthWrite ? GL_TRUE : GL_FALSE);
    glDepthFunc(GL_LESS);
    glBlendEquation(GL_FUNC_ADD);
    glBlendFunc(s.source, s.destination);
    if (s.cull != GL_NONE) glCullFace(s.cull);
}

void Renderer::State::useView(const gl::Buffer& block) {
    glBindBufferBase(GL_UNIFORM_BUFFER, 0, block.id());
}

void Renderer::State::target(const gl::Framebuffer& framebuffer, int width, int height) {
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, framebuffer.id());
    glViewport(0, 0, width, height);
}

void Renderer::State::fullscreen(const gl::Program& program) {
    program.use();
    glBindVertexArray(empty.id());
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

void Renderer::State::splat(const gl::Program& program, int mask, bool particleRadius, Slot place) {
    if (count == 0) return;
    // several instances per particle where it is drawn as several grains or drops
    const int grains =
        mask == 1 << kGrainsBit && !showsParticles ? std::clamp(options.grains, 1, kMostGrains) : 1;
    const int parts = &program == &eyeDroplet ? dropsPerParticle() : grains;
    for (GLuint index = 0; index < 10; ++index) splats.divisor(index, GLuint(parts));
    program.set("grainsPerParticle", parts).set("dropsPerParticle", dropsPerParticle());
    // smoothing applies to liquids only
    if (!smooth || mask == 1 << kGrainsBit) place = Slot::Pos;
    splats.source(0, buffers->id(place), 0, slotStride(place));
    program.set("passMask", mask)
        .set("particleRadius", particleRadius ? 1 : 0)
        .set("smallest", kSmallestSplat);
    program.set("showsParticles", showsParticles ? 1 : 0);
    bindWalls();
    glBindBufferRange(GL_SHADER_STORAGE_BUFFER, 6, groupMasks.id(), 0, GLsizeiptr(groupMaskBytes));
    program.set("colorBy", int(showsParticles ? shownQuantity() : ColorBy::Phase));
    program.use();
    glBindVertexArray(splats.id());
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, GLsizei(count * uint32_t(parts)));
}

void Renderer::State::drawShapes(const gl::Program& program, size_t first, size_t number) {
    if (number == 0) return;
    program.set("firstShape", int(first));
    program.use();
    glBindVertexArray(empty.id());
    glDrawArraysInstanced(GL_TRIANGLES, 0, 36, GLsizei(number));
}

// Vertices are fetched by index, so a draw call needs only its triangles.
void Renderer::State::drawMeshes(const gl::Program& program, const std::vector<MeshCall>& calls) {
    const Clipping clipping;
    program.use();
    for (const MeshCall& call : calls) {
        bindMesh(program, call);
        glVertexArrayElementBuffer(meshes.id(), call.mesh->indices.id());
        glBindVertexArray(meshes.id());
        glDrawElementsInstanced(GL_TRIANGLES, call.mesh->indexCount, GL_UNSIGNED_INT, nullptr,
                                GLsizei(call.count));
    }
}

void Renderer::State::bindMesh(const gl::Program& program, const MeshCall& call) {
    program.set("firstInstance", int(call.first));
    program.set("placing", !call.body ? 0 : call.mesh->skinned ? 2 : 1);
    const GLuint none = zeros.id();
    const GLuint inputs[] = {
        meshInstances.id(), call.mesh->vertices.id(), call.mesh->skinned ? call.mesh->bindings.id() : none,
        call.body ? buffers->id(Slot::ClusterPose) : none, call.body ? buffers->id(Slot::ClusterRest) : none};
    for (GLuint k = 0; k < 5; ++k) glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 3 + k, inputs[k]);
}

ColorBy Renderer::State::shownQuantity() const {
    return options.mode == DrawMode::Particles ? options.colorBy : ColorBy::Phase;
}

}  // namespace coalesce
