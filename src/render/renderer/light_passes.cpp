// Passes 1 and 2: light maps, rendered from the sun.
#include <algorithm>
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
    if (hasCaustics()) lightCaustics.bind(15);
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

// Draws into a map of optical depths seen from the sun: the first image
// adds up, the second keeps the smallest values.
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
    splat(dyed ? lightDyed : lightThickness, kLiquidMask, false,
          Slot::Pos);  // smoothed ones leave a gap at walls, where light would pass
    glBlendEquation(GL_FUNC_ADD);
}

bool Renderer::State::hasCaustics() const {
    return options.quality == Quality::Final && options.shadows && hasLiquid && !showsParticles && count > 0;
}

// 2: sunlight is refracted at the surface of the liquids, smoothed as in the image, and lands on what is
// below. A grid of light follows it; where cells land on a small area, they are bright.
void Renderer::State::drawCaustics() {
    if (!hasCaustics()) return;
    const PassTimer::Scope scope(timer, "caustics");
    if (lightCaustics.id() == 0) {
        for (gl::Texture& map : lightSurface) map = gl::Texture(GL_R32F, kLightSize, kLightSize);
        lightLanding = gl::Texture(GL_RG32F, kCausticCells + 1, kCausticCells + 1);
        lightCaustics = gl::Texture(GL_R32F, kLightSize, kLightSize, GL_LINEAR);
        lightCausticsBuffer = gl::Framebuffer({&lightCaustics}, nullptr);
    }
    float radius = 0;  // [m]
    for (int pass = 0; pass < int(liquids.size()); ++pass)
        radius = std::max(radius, kDrawRadius * liquidOf(pass).spacing);
    useView(lightBlock);
    const auto write = [](const gl::Texture& to) {
        glBindImageTexture(0, to.id(), 0, GL_FALSE, 0, GL_WRITE_ONLY, to.format());
    };
    const auto run = [](const gl::Program& program, int groupsX, int groupsY) {
        program.use();
        glDispatchCompute(GLuint(groupsX), GLuint(groupsY), 1);
        glMemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT | GL_SHADER_IMAGE_ACCESS_BARRIER_BIT);
    };
    lightFluidDepth.bind(0);
    write(lightSurface[0]);
    run(causticSurface, kLightSize / 16, kLightSize / 16);
    filterAxis.set("liquid", -1).set("commonRadius", radius).set("sigma", 1.5f).set("range", 10.0f);
    filterAxis.set("mostReach", 64.0f).set("origin", glm::ivec2(0));
    for (int k = 0; k < 4; ++k) {
        lightSurface[k % 2].bind(0);
        write(lightSurface[1 - k % 2]);
        run(filterAxis.set("axis", k % 2 == 0 ? glm::ivec2(1, 0) : glm::ivec2(0, 1)), kLightSize / 128,
            kLightSize);
    }
    lightSurface[0].bind(0);
    lightTau.bind(1);
    write(lightLanding);
    bindWalls();
    causticLanding.set("radius", radius).set("index", liquidOf(0).refractiveIndex);
    run(causticLanding, groupsOf(kCausticCells + 1, 16), groupsOf(kCausticCells + 1, 16));
    const std::array<float, 4> none{};
    glClearNamedFramebufferfv(lightCausticsBuffer.id(), GL_COLOR, 0, none.data());
    target(lightCausticsBuffer, kLightSize, kLightSize);
    apply({.blend = true});
    lightLanding.bind(0);
    caustic.use();
    glBindVertexArray(empty.id());
    glDrawArrays(GL_TRIANGLES, 0, 6 * kCausticCells * kCausticCells);
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
