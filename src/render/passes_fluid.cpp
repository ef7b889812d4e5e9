// From particles to a surface with light in it, once per liquid.
#include <algorithm>

#include "render/renderer_state.h"

namespace coalesce {

// is the eye within a liquid?
void Renderer::State::countAroundEye() {
    const PassTimer::Scope scope(timer, "eye in liquid");
    glClearNamedBufferData(surroundings.id(), GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, nullptr);
    if (count == 0) return;
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 3, surroundings.id());
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 4, buffers->id(Slot::Pos));
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 5, buffers->id(Slot::Phase));
    eyeSurroundings.set("count", static_cast<int>(count));
    eyeSurroundings.use();
    glDispatchCompute(static_cast<GLuint>(groupsOf(static_cast<int>(count), 128)), 1, 1);
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
}

// 4: nearest liquid; hidden liquid is rejected by the scene's own depth
void Renderer::State::drawEyeDepth(int pass) {
    const PassTimer::Scope scope(timer, "fluid depth");
    const Targets& t = *targets;
    glBlitNamedFramebuffer(t.scene.id(), t.eye.id(), 0, 0, t.width, t.height, 0, 0, t.width, t.height,
                           GL_DEPTH_BUFFER_BIT, GL_NEAREST);
    const std::array<float, 4> none{};
    apply({.depthTest = true, .depthWrite = true});
    glClearNamedFramebufferfv(t.eye.id(), GL_COLOR, 0, none.data());
    glClearNamedFramebufferfv(t.eye.id(), GL_COLOR, 1, none.data());
    target(t.eye, t.width, t.height);
    const bool ellipsoids = smooth && options.quality != Quality::Spheres;
    splat(ellipsoids ? eyeEllipsoid : eyeSphere, 1 << pass);
}

// 6: the composite reads the scene while it writes it
void Renderer::State::copyScene() {
    const PassTimer::Scope scope(timer, "copy");
    const Targets& t = *targets;
    glBlitNamedFramebuffer(t.scene.id(), t.copy.id(), 0, 0, t.width, t.height, 0, 0, t.width, t.height,
                           GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT, GL_NEAREST);
}

// 8: smooth the depth, first along the axes, then in the plane
void Renderer::State::filterDepth(const DrawMaterial& material) {
    const PassTimer::Scope scope(timer, "depth filter");
    const Targets& t = *targets;
    const bool record = options.quality == Quality::Record;
    const int iterations = std::clamp(std::max(options.filterIterations, record ? 2 : 0), 0, 3);
    const float radius = kDrawRadius * material.spacing;
    const float reach = kReach720 * static_cast<float>(t.height) / 720;
    const gl::Texture* from = &t.eyeRaw;
    const gl::Texture* spare[2] = {&t.eyeA, &t.eyeB};
    int next = 0;
    const auto run = [&](const gl::Program& program, int groupsX, int groupsY) {
        program.set("radius", radius).set("sigma", std::clamp(options.filterSigma, 0.1f, 6.0f));
        program.set("delta", std::clamp(options.filterDelta, 1.0f, 100.0f) * radius).set("mostReach", reach);
        program.use();
        from->bind(0);
        glBindImageTexture(0, spare[next]->id(), 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_R32F);
        glDispatchCompute(static_cast<GLuint>(groupsX), static_cast<GLuint>(groupsY), 1);
        glMemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT | GL_SHADER_IMAGE_ACCESS_BARRIER_BIT);
        from = spare[next];
        next = 1 - next;
    };
    for (int k = 0; k < iterations; ++k) {
        filterAxis.set("axis", glm::ivec2(1, 0));
        run(filterAxis, groupsOf(t.width, 128), t.height);
        filterAxis.set("axis", glm::ivec2(0, 1));
        run(filterAxis, groupsOf(t.height, 128), t.width);
    }
    if (iterations > 0) run(filterPlane, groupsOf(t.width, 16), groupsOf(t.height, 8));
    filtered = from;
    lastRadius = radius;
}

// 7: meters of liquid behind each pixel, smoothed within its layer
void Renderer::State::drawThickness(int pass, const DrawMaterial& material) {
    const PassTimer::Scope scope(timer, "thickness");
    const Targets& t = *targets;
    const int width = t.thicknessA.width(), height = t.thicknessA.height();
    target(t.thicknessTest, width, height);
    apply({.depthTest = true, .depthWrite = true});
    glDepthFunc(GL_ALWAYS);
    t.copyDepth.bind(0);
    halfDepth.set("divisor", t.divisor);
    fullscreen(halfDepth);

    target(t.thickness, width, height);
    const std::array<float, 4> none{};
    glClearNamedFramebufferfv(t.thickness.id(), GL_COLOR, 0, none.data());
    apply({.depthTest = true, .blend = true, .depthClamp = true});
    splat(thickness, 1 << pass);

    thicknessBlur.set("divisor", t.divisor).set("spacing", material.spacing);
    thicknessBlur.set("radius", kDrawRadius * material.spacing);
    filtered->bind(1);
    const gl::Texture* maps[2] = {&t.thicknessA, &t.thicknessB};
    for (int k = 0; k < 2; ++k) {
        thicknessBlur.set("axis", k == 0 ? glm::ivec2(1, 0) : glm::ivec2(0, 1));
        thicknessBlur.use();
        maps[k]->bind(0);
        glBindImageTexture(0, maps[1 - k]->id(), 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_R32F);
        glDispatchCompute(static_cast<GLuint>(groupsOf(width, 16)), static_cast<GLuint>(groupsOf(height, 8)),
                          1);
        glMemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT | GL_SHADER_IMAGE_ACCESS_BARRIER_BIT);
    }
    thickMap = &t.thicknessA;
}

// 9: the liquid over the scene
void Renderer::State::compositeFluid(int pass, const DrawMaterial& material) {
    const PassTimer::Scope scope(timer, "composite");
    const Targets& t = *targets;
    target(t.scene, t.width, t.height);
    apply({.depthTest = true, .depthWrite = true});
    glDepthFunc(GL_ALWAYS);
    filtered->bind(0);
    thickMap->bind(1);
    t.copyColor.bind(2);
    t.copyDepth.bind(3);
    t.eyeRaw.bind(4);
    t.droplets.bind(5);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 3, surroundings.id());
    composite.set("radius", kDrawRadius * material.spacing).set("pass", pass).set("divisor", t.divisor);
    composite.set("sigma", vec(material.absorption)).set("scatter", vec(material.scatter));
    fullscreen(composite);
    glDepthFunc(GL_LESS);
}

}  // namespace coalesce
