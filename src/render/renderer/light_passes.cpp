// Passes 1 and 2: light maps, rendered from the sun.
#include <array>

#include "render/renderer/renderer_state.h"

namespace coalesce {

// For lighting.glsl.
void Renderer::State::bindLightMaps() {
    shadow.bind(8);
    shadow.bind(14);
    glBindSampler(14, plainSampler.id());
    lightTau.bind(9);
    lightFluidDepth.bind(10);
    if (lightGlass.id() != 0) lightGlass.bind(11);
    if (hasSmoke() && options.shadows) {
        lightSmoke.bind(12);
        lightSmokeRange.bind(13);
    }
}

// 1: depth of shapes, meshes, cloth, ropes and grains from the sun; in Particles mode of all particles
void Renderer::State::drawSolidShadow() {
    if (!options.shadows) return;  // shaders do not read the map then
    const PassTimer::Scope scope(timer, "solid shadow");
    useView(lightBlock);
    target(shadowBuffer, kShadowSize, kShadowSize);
    const float far = 1;
    apply({.depthTest = true, .depthWrite = true});
    glClearNamedFramebufferfv(shadowBuffer.id(), GL_DEPTH, 0, &far);
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

// Draws into a map of optical depths seen from the sun: the first image adds up, the second keeps the smallest values.
void Renderer::State::beginLightMap(const gl::Framebuffer& map) {
    target(map, kLightSize, kLightSize);
    ViewBlock small = light;
    small.size = glm::vec4(glm::vec2(kLightSize), glm::vec2(1.0f / kLightSize));
    lightBlock.upload(&small, sizeof small);
    useView(lightBlock);
    apply({.blend = true, .depthClamp = true});
    glBlendEquationi(1, GL_MIN);
}

// 2: optical depth of liquid along sun rays, and its first depth
void Renderer::State::drawLightThickness() {
    const PassTimer::Scope scope(timer, "light thickness");
    const std::array<float, 4> none{0, 0, 0, 0}, far{1e9f, 0, 0, 0};
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    glClearNamedFramebufferfv(lightBuffer.id(), GL_COLOR, 0, none.data());
    glClearNamedFramebufferfv(lightBuffer.id(), GL_COLOR, 1, far.data());
    if (!hasLiquid || showsParticles || !options.shadows) return;
    beginLightMap(lightBuffer);
    setDye(lightDyed);
    splat(dyed ? lightDyed : lightThickness, kLiquidMask);
    glBlendEquation(GL_FUNC_ADD);
}

// 2: optical depth of glass along sun rays, and its first depth
void Renderer::State::drawGlassLight() {
    if (int(light.lightRange.w) % 2 == 0) return;
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

}  // namespace coalesce
