// Passes 4 to 9, screen-space liquid rendering: surface, thickness and shading, once per liquid.
#include <algorithm>
#include <array>
#include <string>

#include "render/renderer/renderer_state.h"

namespace coalesce {

namespace {
constexpr int kDropsPerParticle = 6;
}

// Whether the eye can be inside a liquid: only then is the GPU queried.
bool Renderer::State::eyeNearLiquid() const {
    float margin = 0;
    for (const DrawMaterial& m : frame->materials) margin = std::max(margin, 2 * m.spacing);
    const glm::vec3 eye(camera.eye), lower = vec(frame->boundsMin) - margin,
                                     upper = vec(frame->boundsMax) + margin;
    return !glm::any(glm::lessThan(eye, lower)) && !glm::any(glm::greaterThan(eye, upper));
}

// Whether there is anything to mirror other than sky and ground.
bool Renderer::State::hasSolids() const {
    return !solids.empty() || !solidMeshes.empty() || hasGrains || hasCloth() || hasRopes();
}

// is the eye inside a liquid?
void Renderer::State::countAroundEye() {
    const PassTimer::Scope scope(timer, "eye in liquid");
    glClearNamedBufferData(surroundings.id(), GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, nullptr);
    if (count == 0) return;
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 3, surroundings.id());
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 4, buffers->id(Slot::Pos));
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 5, buffers->id(Slot::Phase));
    eyeSurroundings.set("count", int(count));
    eyeSurroundings.use();
    glDispatchCompute(GLuint(groupsOf(int(count), 128)), 1, 1);
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
}

// 4 to 9: the surface of each liquid, then its thickness, then compositing from back to front: the composite
// of a rank draws, at each pixel, the surface that has `rank` others in front of it.
void Renderer::State::drawLiquids() {
    countAroundEye();
    const GLuint none = 0;
    glClearTexImage(targets->covered.id(), 0, GL_RED_INTEGER, GL_UNSIGNED_INT, &none);
    const int number = int(liquids.size());
    const Targets& t = *targets;
    for (int pass = 0; pass < number; ++pass) {
        drawEyeDepth(pass);
        filterDepth(t.raw.layer(pass), t.droplets.layer(pass), t.surfaces.layer(pass),
                    kDrawRadius * liquidOf(pass).spacing, pass);
    }
    if (t.several()) findNearestSurface();
    for (int pass = 0; pass < number; ++pass) drawThickness(pass);
    for (int rank = number - 1; rank >= 0; --rank) {
        copyScene();
        compositeFluid(rank);
    }
    fluidDrawn = true;
}

void Renderer::State::setLiquids(const gl::Program& program) const {
    program.set("liquids", int(liquids.size()));
    for (size_t k = 0; k < liquids.size(); ++k)
        program.set(("liquidMaterial[" + std::to_string(k) + "]").c_str(), liquids[k]);
}

void Renderer::State::setDye(const gl::Program& program) const {
    if (!dyed) return;
    program.set("dyeRange", glm::vec2(frame->dyeRange[0], frame->dyeRange[1]));
    setPalette(program, frame->dyeColors);
}

bool Renderer::State::hasLiquidMeshes() const {
    return !showsParticles && !frame->liquids.empty() && buffers->id(Slot::LiquidIndex) != 0;
}

// The surface meshes of the materials that a pass draws; skips runs that exceed the buffers.
void Renderer::State::drawLiquidMeshes(const gl::Program& program, int pass) {
    const Clipping clipping;
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 4, buffers->id(Slot::LiquidPos));
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 5, buffers->id(Slot::LiquidNormal));
    glVertexArrayElementBuffer(liquidMeshes.id(), buffers->id(Slot::LiquidIndex));
    program.set("liquid", pass).use();
    glBindVertexArray(liquidMeshes.id());
    for (const DrawLiquid& liquid : frame->liquids) {
        const size_t stride = slotStride(Slot::LiquidIndex);
        if (liquid.material >= liquidPass.size() || liquidPass[liquid.material] != pass) continue;
        if ((size_t{liquid.first} + liquid.indices) * stride > buffers->capacity(Slot::LiquidIndex)) continue;
        glDrawElementsBaseVertex(GL_TRIANGLES, GLsizei(liquid.indices), GL_UNSIGNED_INT,
                                 reinterpret_cast<const void*>(liquid.first * stride),
                                 GLint(liquid.firstVertex));
    }
}

// Isolated particles are drawn as several drops: single ones look like balls. Beside a mesh, which has the particles of
// thin films as well, these would lie on it as pearls.
int Renderer::State::dropsPerParticle() const {
    return options.quality >= Quality::Standard && !targets->meshed ? kDropsPerParticle : 1;
}

// 4: nearest liquid; the scene depth rejects hidden liquid. For a liquid that contains the eye, its far
// boundary: only the GPU knows which case applies, so one of the two draws culls all particles or triangles.
void Renderer::State::drawEyeDepth(int pass) {
    const PassTimer::Scope scope(timer, "fluid depth");
    const Targets& t = *targets;
    const gl::Framebuffer& eye = t.eyes[size_t(pass)];
    glBlitNamedFramebuffer(t.scene.id(), eye.id(), 0, 0, t.width, t.height, 0, 0, t.width, t.height,
                           GL_DEPTH_BUFFER_BIT, GL_NEAREST);
    const std::array<float, 4> none{};
    apply({.depthTest = true, .depthWrite = true});
    glClearNamedFramebufferfv(eye.id(), GL_COLOR, 0, none.data());
    glClearNamedFramebufferfv(eye.id(), GL_COLOR, 1, none.data());
    target(eye, t.width, t.height);
    const bool ellipsoids = smooth && options.quality != Quality::Fast;
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 3, surroundings.id());
    if (t.meshed) {
        drawLiquidMeshes(eyeMesh, pass);
        if (ellipsoids) splat(eyeDroplet, 1 << pass);  // lenses, larger than their few triangles
    } else {
        splat(ellipsoids ? eyeEllipsoid : eyeSphere, 1 << pass);
        if (ellipsoids && dropsPerParticle() > 1) splat(eyeDroplet, 1 << pass);
    }
    if (!eyeNearLiquid()) return;
    if (t.meshed) {
        // the eye leaves the liquid at the first face
        drawLiquidMeshes(farMesh, pass);
        return;
    }
    const float nearest = 0;
    glClearNamedFramebufferfv(eye.id(), GL_DEPTH, 0, &nearest);
    glDepthFunc(GL_GREATER);
    splat(ellipsoids ? farEllipsoid : farSphere, 1 << pass);
    glDepthFunc(GL_LESS);
}

// 6: the composite reads the scene while writing it, blurred
// where a pixel sees a wide area through the surface
void Renderer::State::copyScene() {
    const PassTimer::Scope scope(timer, "copy");
    const Targets& t = *targets;
    glBlitNamedFramebuffer(t.scene.id(), t.copy.id(), 0, 0, t.width, t.height, 0, 0, t.width, t.height,
                           GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT, GL_NEAREST);
    t.copyColor.makeLevels();
}

// Of moving matter.
std::pair<glm::ivec2, glm::ivec2> Renderer::State::movingExtent() const {
    float margin = 0;
    for (const DrawMaterial& m : frame->materials) margin = std::max(margin, 2 * m.spacing);
    return shownExtent(vec(frame->boundsMin) - margin, vec(frame->boundsMax) + margin);
}

// 8: smooths the depth, first along the axes, or over discs for quality final, then in a small square. The
// draw radius is in meters, or 0: read per pixel. With the eye in this liquid the filter is wider.
void Renderer::State::filterDepth(const gl::Texture& raw, const gl::Texture& droplets,
                                  const gl::Texture& result, float radius, int liquid) {
    const PassTimer::Scope scope(timer, "depth filter");
    const Targets& t = *targets;
    const bool record = options.quality == Quality::Final;
    // meshes are smooth already
    const int iterations =
        t.meshed ? 0 : std::clamp(std::max(options.filterIterations, record ? 2 : 0), 0, 3);
    if (iterations == 0 && !t.meshed) {
        glCopyImageSubData(raw.id(), GL_TEXTURE_2D, 0, 0, 0, 0, result.id(), GL_TEXTURE_2D, 0, 0, 0, 0,
                           t.width, t.height, 1);
        const GLuint all = 1;
        glClearTexImage(t.covered.id(), 0, GL_RED_INTEGER, GL_UNSIGNED_INT, &all);
        return;
    }
    const auto [first, last] = movingExtent();
    const int width = last.x - first.x, height = last.y - first.y;
    const float none = 0;
    for (const gl::Texture* map : {&t.eyeA, &t.eyeB, &result})
        glClearTexImage(map->id(), 0, GL_RED, GL_FLOAT, &none);
    if (width == 0 || height == 0) return;
    filterPlane.set("unfiltered", t.meshed ? 1 : 0);
    const float reach = kReach720 * float(t.height) / 720;
    const gl::Texture* from = &raw;
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 3, surroundings.id());
    for (const gl::Program* program : {&filterAxis, &filterDisc, &filterPlane})
        program->set("liquid", liquid);
    t.radii.bind(1);
    raw.bind(2);
    droplets.bind(3);
    const auto run = [&, first = first](const gl::Program& program, const gl::Texture& to, int groupsX,
                                        int groupsY) {
        program.set("commonRadius", radius).set("sigma", std::clamp(options.filterSigma, 0.1f, 6.0f));
        program.set("range", std::clamp(options.filterDelta, 1.0f, 100.0f)).set("mostReach", reach);
        program.set("origin", first).use();
        from->bind(0);
        glBindImageTexture(0, to.id(), 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_R32F);
        glDispatchCompute(GLuint(groupsX), GLuint(groupsY), 1);
        glMemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT | GL_SHADER_IMAGE_ACCESS_BARRIER_BIT);
        from = &to;
    };
    // each line of the second disc lies between two of the first
    for (int k = 0; record && k < iterations; ++k) {
        filterDisc.set("turn", k % 2 == 0 ? 0.25f : 0.75f);
        run(filterDisc, k % 2 == 0 ? t.eyeA : t.eyeB, groupsOf(width, 16), groupsOf(height, 8));
    }
    for (int k = 0; !record && k < iterations; ++k) {
        filterAxis.set("axis", glm::ivec2(1, 0));
        run(filterAxis, t.eyeA, groupsOf(width, 128), height);
        filterAxis.set("axis", glm::ivec2(0, 1));
        run(filterAxis, t.eyeB, groupsOf(height, 128), width);
    }
    glBindImageTexture(1, t.covered.id(), 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_R8UI);
    run(filterPlane, result, groupsOf(width, 16), groupsOf(height, 8));
}

// 8: the joint surface of all liquids, so that surfaces are not rounded off where liquids meet
void Renderer::State::findNearestSurface() {
    const Targets& t = *targets;
    {
        const PassTimer::Scope scope(timer, "nearest surface");
        t.raw.bind(0);
        t.droplets.bind(1);
        glBindImageTexture(2, t.nearestDroplets.id(), 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_R8);
        glBindImageTexture(0, t.nearest.id(), 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_R32F);
        glBindImageTexture(1, t.radii.id(), 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_R32F);
        setLiquids(nearestSurface);
        nearestSurface.use();
        glDispatchCompute(GLuint(groupsOf(t.width, 16)), GLuint(groupsOf(t.height, 8)), 1);
        glMemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT);
    }
    filterDepth(t.nearest, t.nearestDroplets, t.surfaces.layer(t.liquids), 0, -1);
}

// 7: meters of liquid behind each pixel, smoothed within a layer
void Renderer::State::drawThickness(int pass) {
    const PassTimer::Scope scope(timer, "thickness");
    const Targets& t = *targets;
    const gl::Texture &map = t.thickness.layer(pass), &dye = t.dyes.layer(pass);
    const gl::Framebuffer& framebuffer = t.thicknesses[size_t(pass)];
    const int width = map.width(), height = map.height(), number = int(liquids.size());
    target(t.thicknessTest, width, height);
    apply({.depthTest = true, .depthWrite = true});
    glDepthFunc(GL_ALWAYS);
    t.sceneDepth.bind(0);
    t.surfaces.bind(1);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 3, surroundings.id());
    halfDepth.set("divisor", t.divisor).set("liquids", number).set("own", pass);
    fullscreen(halfDepth);

    target(framebuffer, width, height);
    const std::array<float, 4> none{};
    glClearNamedFramebufferfv(framebuffer.id(), GL_COLOR, 0, none.data());
    if (t.dyed) glClearNamedFramebufferfv(framebuffer.id(), GL_COLOR, 1, none.data());
    apply({.depthTest = true, .blend = true, .depthClamp = true});
    t.nextSurface.bind(0);
    const gl::Program& splats = dyed ? thicknessDyed : thickness;
    splats.set("several", t.several() ? 1 : 0);
    setDye(splats);
    splat(splats, 1 << pass, false, Slot::Pos);  // smoothed ones keep away from walls

    const DrawMaterial& liquid = liquidOf(pass);
    const bool hasDye = t.dyed && liquid.dye > 0;
    thicknessBlur.set("divisor", t.divisor).set("spacing", liquid.spacing).set("dyed", hasDye ? 1 : 0);
    thicknessBlur.set("radius", kDrawRadius * liquid.spacing);
    t.surfaces.layer(pass).bind(1);
    const auto [first, last] = movingExtent();
    const glm::ivec2 origin = first / t.divisor, part = last / t.divisor + 1 - origin;
    const gl::Texture *maps[2] = {&map, &t.thicknessB}, *dyes[2] = {&dye, &t.dyesB};
    for (int k = 0; k < 2; ++k) {
        thicknessBlur.set("axis", k == 0 ? glm::ivec2(1, 0) : glm::ivec2(0, 1));
        thicknessBlur.set("origin", origin).use();
        maps[k]->bind(0);
        dyes[k]->bind(2);
        glBindImageTexture(0, maps[1 - k]->id(), 0, GL_FALSE, 0, GL_WRITE_ONLY, map.format());
        glBindImageTexture(1, dyes[1 - k]->id(), 0, GL_FALSE, 0, GL_WRITE_ONLY, dye.format());
        glDispatchCompute(GLuint(groupsOf(part.x, 16)), GLuint(groupsOf(part.y, 8)), 1);
        glMemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT | GL_SHADER_IMAGE_ACCESS_BARRIER_BIT);
    }
}

const gl::Program& Renderer::State::compositeProgram() {
    std::vector<std::string> defines;
    std::string name;
    const auto have = [&](bool there, const char* what) {
        if (!there) return;
        defines.push_back(what);
        name += what;
    };
    have(liquids.size() > 1, "SEVERAL");
    have(turbid, "TURBID");
    have(dyed, "DYED");
    have(rough, "ROUGH");
    have(targets->meshed, "MESHED");
    have(eyeNearLiquid(), "WITHIN");
    have(hasSolids() && options.quality >= Quality::Standard, "MIRRORS");
    const auto [found, isNew] = composites.try_emplace(name);
    if (isNew) {
        // an edited file that does not compile must not stop the frame
        found->second = gl::Program(gl::ShaderLibrary{}, {"tile.vert", "composite.frag"}, std::move(defines));
        if (library.live()) found->second.reload(library);
        programs.push_back(&found->second);
    }
    return found->second;
}

// 9: composites one surface per pixel over the scene
void Renderer::State::compositeFluid(int rank) {
    const PassTimer::Scope scope(timer, "composite");
    const Targets& t = *targets;
    target(t.scene, t.width, t.height);
    apply({.depthTest = true, .depthWrite = true});
    glDepthFunc(GL_ALWAYS);
    t.surfaces.bind(0);
    t.thickness.bind(1);
    t.copyColor.bind(2);
    t.copyDepth.bind(3);
    t.droplets.bind(4);
    t.dyes.bind(5);
    t.meshNormals.bind(6);
    t.covered.bind(7);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 3, surroundings.id());
    const gl::Program& composite = compositeProgram();
    setLiquids(composite);
    composite.set("rank", rank).set("divisor", t.divisor);
    if (eyeNearLiquid()) {
        composite.set("firstContainer", int(solids.size())).set("containers", int(containers.size()));
        composite.set("lowest", vec(frame->boundsMin)).set("highest", vec(frame->boundsMax));
        glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 2, shapes.id());
    }
    composite.set("marchSteps", options.quality == Quality::Final ? 40 : 10);
    composite.use();
    glBindVertexArray(empty.id());
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, t.covered.width() * t.covered.height());
    glDepthFunc(GL_LESS);
}

}  // namespace coalesce
