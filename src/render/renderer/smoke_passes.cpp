// Smoke, dye, and gases drawn as smoke: pass 2, their optical depth from the sun; pass 11, their color.
#include <array>

#include "render/renderer/renderer_state.h"

namespace coalesce {

bool Renderer::State::hasMarkers() const {
    return frame->smoke && hasPassives();
}

bool Renderer::State::hasSmoke() const {
    return hasMarkers() || (hasSmokyGas && !showsParticles && count > 0);
}

void Renderer::State::drawMarkers(const gl::Program& program) {
    program.set("shutter", frame->shutter).set("smallest", kSmallestDisc);
    if (hasMarkers()) {
        program.set("gas", 0);
        drawPassives(program);
    }
    if (hasSmokyGas && !showsParticles && count > 0) {
        program.set("gas", 1);
        drawSprites(program, Slot::Pos, Slot::Vel, Slot::Phase, count);
    }
}

// 2: optical depth of smoke along sun rays, and the depths between which it lies
void Renderer::State::drawSmokeLight() {
    if (!hasSmoke() || !options.shadows) return;
    const PassTimer::Scope scope(timer, "smoke light");
    if (lightSmoke.id() == 0) {
        lightSmoke = gl::Texture(GL_R32F, kLightSize, kLightSize, GL_LINEAR);
        lightSmokeRange = gl::Texture(GL_RG32F, kLightSize, kLightSize);
        lightSmokeBuffer = gl::Framebuffer({&lightSmoke, &lightSmokeRange}, nullptr);
    }
    const std::array<float, 4> none{0, 0, 0, 0}, far{1e6f, 1e6f, 0, 0};
    glClearNamedFramebufferfv(lightSmokeBuffer.id(), GL_COLOR, 0, none.data());
    glClearNamedFramebufferfv(lightSmokeBuffer.id(), GL_COLOR, 1, far.data());
    beginLightMap(lightSmokeBuffer);
    drawMarkers(smokeLight);
    glBlendEquation(GL_FUNC_ADD);
}

// 11: over the scene; what lies below the surface of a liquid is dimmed by it
void Renderer::State::drawSmoke() {
    if (!hasSmoke()) return;
    const PassTimer::Scope scope(timer, "smoke");
    const Targets& t = *targets;
    if (smokeColor.width() != t.width || smokeColor.height() != t.height) {
        smokeColor = gl::Texture(GL_RGBA16F, t.width, t.height);
        smokePasses = gl::Texture(GL_R16F, t.width, t.height);
        smokeBuffer = gl::Framebuffer({&smokeColor, &smokePasses}, nullptr);
    }
    useView(cameraBlock);
    bindLightMaps();
    const std::array<float, 4> none{0, 0, 0, 0}, all{1, 1, 1, 1};
    glClearNamedFramebufferfv(smokeBuffer.id(), GL_COLOR, 0, none.data());
    glClearNamedFramebufferfv(smokeBuffer.id(), GL_COLOR, 1, all.data());
    target(smokeBuffer, t.width, t.height);
    apply({.blend = true});
    glBlendFunci(1, GL_ZERO, GL_ONE_MINUS_SRC_COLOR);
    bindSurfaces(smoke);
    (fluidDrawn ? t.copyDepth : t.sceneDepth).bind(2);
    glBindSampler(2, plainSampler.id());
    if (!liquids.empty()) {
        const DrawMaterial& liquid = liquidOf(0);
        smoke.set("sigma", vec(liquid.absorption) + liquid.turbidity);
    }
    smoke.set("lookDistance", lookDistance);
    drawMarkers(smoke);
    glBindSampler(2, 0);

    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, t.scene.id());
    apply({.blend = true, .destination = GL_ONE_MINUS_SRC_ALPHA});
    smokeColor.bind(0);
    smokePasses.bind(1);
    fullscreen(smokeComposite);
}

}  // namespace coalesce
