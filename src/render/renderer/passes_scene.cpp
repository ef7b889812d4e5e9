// Light, the opaque scene, and the way to the caller's framebuffer; and what all passes use.
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "render/frame/outlines.h"
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

void Renderer::State::splat(const gl::Program& program, int mask, bool particleRadius) {
    if (count == 0) return;
    // smoothing belongs to liquids: grains are drawn where they are
    const Slot place = smooth && mask != 1 << kGrainsBit ? Slot::PosSmooth : Slot::Pos;
    splats.source(0, buffers->id(place), 0, slotStride(place));
    program.set("passMask", mask)
        .set("particleRadius", particleRadius ? 1 : 0)
        .set("smallest", kSmallestSplat);
    program.set("showsParticles", showsParticles ? 1 : 0);
    glBindBufferRange(GL_SHADER_STORAGE_BUFFER, 6, meshGroups.id(), 0,
                      static_cast<GLsizeiptr>(meshGroupWords * sizeof(uint32_t)));
    program.set("colorBy", static_cast<int>(showsParticles ? shownQuantity() : ColorBy::Phase));
    program.use();
    glBindVertexArray(splats.id());
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, static_cast<GLsizei>(count));
}

void Renderer::State::drawShapes(const gl::Program& program, size_t first, size_t number) {
    if (number == 0) return;
    program.set("firstShape", static_cast<int>(first));
    program.use();
    glBindVertexArray(empty.id());
    glDrawArraysInstanced(GL_TRIANGLES, 0, 36, static_cast<GLsizei>(number));
}

// Vertices are fetched by number, so a draw call needs only its triangles.
void Renderer::State::drawMeshes(const gl::Program& program, const std::vector<MeshCall>& calls) {
    program.use();
    for (const MeshCall& call : calls) {
        bindMesh(program, call);
        glVertexArrayElementBuffer(meshes.id(), call.mesh->indices.id());
        glBindVertexArray(meshes.id());
        glDrawElementsInstanced(GL_TRIANGLES, call.mesh->indexCount, GL_UNSIGNED_INT, nullptr,
                                static_cast<GLsizei>(call.count));
    }
}

void Renderer::State::bindMesh(const gl::Program& program, const MeshCall& call) {
    program.set("firstInstance", static_cast<int>(call.first));
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

// 1: depth of shapes, meshes, sheets, ropes and grains from the sun; in Particles mode of all particles
void Renderer::State::drawSolidShadow() {
    const PassTimer::Scope scope(timer, "solid shadow");
    useView(lightBlock);
    target(shadowBuffer, kShadowSize, kShadowSize);
    const float far = 1;
    apply({.depthTest = true, .depthWrite = true});
    glClearNamedFramebufferfv(shadowBuffer.id(), GL_DEPTH, 0, &far);
    if (!options.shadows) return;
    if (showsParticles)
        splat(grainShadow, kEverything, true);
    else if (hasGrains)
        splat(grainShadow, 1 << kGrainsBit);
    apply({.depthTest = true, .depthWrite = true, .depthClamp = true});
    drawMeshes(meshShadow, solidMeshes);
    drawCloth(clothShadow);
    drawRopes(ropeShadow);
    apply({.depthTest = true, .depthWrite = true, .cull = GL_FRONT, .depthClamp = true});
    drawShapes(shapeShadow, 0, solids.size());
}

// 2: how much liquid the sun's light passes, and where it enters. Smoke will add its own optical depth
// here.
void Renderer::State::drawLightThickness() {
    const PassTimer::Scope scope(timer, "light thickness");
    const std::array<float, 4> none{0, 0, 0, 0}, far{1e9f, 0, 0, 0};
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    glClearNamedFramebufferfv(lightBuffer.id(), GL_COLOR, 0, none.data());
    glClearNamedFramebufferfv(lightBuffer.id(), GL_COLOR, 1, far.data());
    if (!hasLiquid || showsParticles || !options.shadows) return;
    target(lightBuffer, kLightSize, kLightSize);
    ViewBlock small = light;
    small.size = glm::vec4(glm::vec2(kLightSize), glm::vec2(1.0f / kLightSize));
    lightBlock.upload(&small, sizeof small);
    useView(lightBlock);
    apply({.blend = true, .depthClamp = true});
    glBlendEquationi(1, GL_MIN);
    setDye(lightDyed);
    splat(dyed ? lightDyed : lightThickness, kLiquidMask);
    glBlendEquation(GL_FUNC_ADD);
}

// 2: what glass takes of the sun's light, and from where on
void Renderer::State::drawGlassLight() {
    if (light.lightRange.w == 0) return;
    const PassTimer::Scope scope(timer, "glass light");
    if (lightGlass.id() == 0) {
        lightGlass = gl::Texture(GL_RGBA16F, kGlassSize, kGlassSize, GL_LINEAR);
        lightGlassBuffer = gl::Framebuffer({&lightGlass}, nullptr);
    }
    const std::array<float, 4> none{0, 0, 0, 1};
    glClearNamedFramebufferfv(lightGlassBuffer.id(), GL_COLOR, 0, none.data());
    target(lightGlassBuffer, kGlassSize, kGlassSize);
    useView(lightBlock);
    apply({.blend = true, .cull = GL_FRONT, .depthClamp = true});
    glBlendEquationSeparate(GL_FUNC_ADD, GL_MIN);
    drawShapes(shapeGlassLight, solids.size() + containers.size(), glasses.size());
    glDisable(GL_CULL_FACE);
    drawMeshes(meshGlassLight, glassMeshes);
    glBlendEquation(GL_FUNC_ADD);
}

// 3: sky, floor, shapes, meshes, sheets, ropes, grains
void Renderer::State::drawOpaque() {
    const PassTimer::Scope scope(timer, "opaque scene");
    useView(cameraBlock);
    shadow.bind(8);
    lightTau.bind(9);
    lightFluidDepth.bind(10);
    if (light.lightRange.w > 0) lightGlass.bind(11);
    target(targets->scene, targets->width, targets->height);
    const float far = 1;
    apply({.depthWrite = true});
    glClearNamedFramebufferfv(targets->scene.id(), GL_DEPTH, 0, &far);

    // the backdrop writes every pixel's depth, so its test always passes
    apply({.depthTest = true, .depthWrite = true});
    glDepthFunc(GL_ALWAYS);
    setPlanes();
    fullscreen(backdrop);
    glDepthFunc(GL_LESS);

    apply({.depthTest = true, .depthWrite = true, .cull = GL_FRONT, .depthClamp = true});
    drawShapes(shapeLit, 0, solids.size());
    if (hasGrains && !showsParticles) {
        apply({.depthTest = true, .depthWrite = true});
        splat(grains, 1 << kGrainsBit);
    }
    apply({.depthTest = true, .depthWrite = true});
    drawMeshes(meshLit, solidMeshes);
    apply({.depthTest = true, .depthWrite = true, .cull = GL_BACK});
    if (options.cloth != ClothStyle::Wire) drawCloth(clothLit);
    drawRopes(ropeLit);
    // containers: their inside as a breath of glass; their edges come after the liquids
    apply({.depthTest = true,
           .blend = true,
           .destination = GL_ONE_MINUS_SRC_ALPHA,
           .cull = GL_FRONT,
           .depthClamp = true});
    drawShapes(shapeContainer, solids.size(), containers.size());
    drawMeshes(meshContainer, containerMeshes);
}

// 10: glass, the far one first, and of each its far side first. Liquids in it have been drawn: they are seen
// through its near side, and hide its far side by their depth.
void Renderer::State::drawGlass() {
    if (glasses.empty() && glassMeshes.empty()) return;
    const PassTimer::Scope scope(timer, "glass");
    target(targets->scene, targets->width, targets->height);
    struct Pane {
        float distance;  // [m] from the eye
        size_t shape, mesh;
    };
    constexpr size_t kNone = ~size_t{0};
    const glm::vec3 eye(camera.eye);
    std::vector<Pane> panes;
    for (size_t k = 0; k < glasses.size(); ++k)
        panes.push_back({glm::distance(vec(glasses[k]->position), eye), k, kNone});
    for (size_t k = 0; k < glassMeshes.size(); ++k)
        panes.push_back({glm::distance(glassPlaces[k], eye), kNone, k});
    std::ranges::stable_sort(panes, std::ranges::greater{}, &Pane::distance);
    const size_t first = solids.size() + containers.size();
    for (const Pane& pane : panes)
        for (const bool far : {true, false}) {
            // round shapes show their near side alone
            if (far && pane.mesh == kNone && glasses[pane.shape]->kind != DrawShape::Kind::Box) continue;
            apply({.depthTest = true,
                   .blend = true,
                   .destination = GL_ONE_MINUS_SRC_ALPHA,
                   .cull = pane.mesh == kNone || far ? GLenum{GL_FRONT} : GLenum{GL_BACK},
                   .depthClamp = true});
            if (pane.mesh == kNone)
                drawShapes(far ? shapeGlassFar : shapeGlass, first + pane.shape, 1);
            else
                drawMeshes(meshGlass, {glassMeshes[pane.mesh]});
        }
}

// 10: edges of shapes. They are drawn after the liquids, because a line of a pixel's width behind a bent
// surface falls to pieces; what lies in a liquid is drawn faintly, against the depth of the scene without it.
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
    const float scale = static_cast<float>(targets->height) / 720.0f;
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
        glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, static_cast<GLsizei>(number));
    }
    if (options.cloth != ClothStyle::Solid) drawClothEdges();
}

void Renderer::State::setPlanes() {
    int number = 0;
    const auto add = [&](glm::vec3 normal, float distance, glm::vec3 color) {
        if (number == kMaxPlanes) return;
        std::string name = "planes[0]", colorName = "planeColors[0]";
        *(name.end() - 2) = *(colorName.end() - 2) = static_cast<char>('0' + number++);
        backdrop.set(name.c_str(), glm::vec4(normal, distance));
        backdrop.set(colorName.c_str(), glm::vec4(color, 1));
    };
    const DrawShape standard;  // its color is the one that leaves the checker gray
    if (hasGround()) {
        const auto floor = floorHeight();
        if (floor) add({0, 1, 0}, *floor, glm::vec3(1));
        for (const DrawShape& shape : frame->shapes) {
            if (shape.kind != DrawShape::Kind::Plane || !shape.visible || !options.shapes) continue;
            const glm::vec3 normal = rotationOf(shape) * glm::vec3(0, 1, 0);
            // the floor is there already; walls of a container would only stand in the way
            if (normal.y > 0.999f && floor && std::abs(shape.position[1] - *floor) < 1e-6f) continue;
            if (shape.container && normal.y < 0.5f) continue;
            add(normal, glm::dot(normal, vec(shape.position)), vec(shape.color) / vec(standard.color));
        }
    }
    backdrop.set("planeCount", number);
}

// 12: from light to display colors
void Renderer::State::toneMap() {
    const PassTimer::Scope scope(timer, "tone map");
    target(targets->display, targets->width, targets->height);
    apply({});
    targets->sceneColor.bind(0);
    tonemap.set("exposure", options.exposure);
    fullscreen(tonemap);
}

// 14: to the caller's framebuffer
void Renderer::State::resolveOutput() {
    const PassTimer::Scope scope(timer, "resolve");
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, output.framebuffer);
    glViewport(0, 0, output.width, output.height);
    apply({});
    targets->ldr.bind(0);
    resolve.set("samples", targets->width / output.width).set("smoothEdges", options.fxaa ? 1 : 0);
    fullscreen(resolve);
}

}  // namespace coalesce
