#include "render/renderer/renderer.h"

#include <array>

#include "render/renderer/renderer_state.h"

namespace coalesce {

namespace {

// Resets OpenGL state that other code in the window may have changed.
void resetState() {
    for (const GLenum feature :
         {GL_SCISSOR_TEST, GL_STENCIL_TEST, GL_FRAMEBUFFER_SRGB, GL_POLYGON_OFFSET_FILL,
          GL_SAMPLE_ALPHA_TO_COVERAGE, GL_RASTERIZER_DISCARD, GL_PRIMITIVE_RESTART}) {
        glDisable(feature);
    }
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
    glClipControl(GL_LOWER_LEFT, GL_NEGATIVE_ONE_TO_ONE);
    glFrontFace(GL_CCW);
    for (GLuint unit = 0; unit < 16; ++unit) glBindSampler(unit, 0);
}

}  // namespace

Renderer::State::State(gl::ShaderLibrary shaders) : library(std::move(shaders)) {
    using Stages = std::vector<std::string>;
    const auto make = [&](gl::Program& program, Stages stages, Stages defines = {}) {
        program = gl::Program(library, std::move(stages), std::move(defines));
        programs.push_back(&program);
    };
    make(backdrop, {"fullscreen.vert", "backdrop.frag"});
    make(shapeLit, {"shape.vert", "shape_lit.frag"});
    make(shapeShadow, {"shape.vert", "shape_shadow.frag"});
    make(shapeContainer, {"shape.vert", "shape_container.frag"});
    make(line, {"line.vert", "line.frag"});
    make(meshLit, {"mesh.vert", "mesh_lit.frag"});
    make(meshShadow, {"mesh.vert", "mesh_shadow.frag"});
    make(meshContainer, {"mesh.vert", "mesh_container.frag"});
    make(shapeGlassLight, {"shape.vert", "shape_glass_light.frag"});
    make(meshGlassLight, {"mesh.vert", "mesh_glass_light.frag"});
    make(shapeGlass, {"shape.vert", "shape_glass.frag"});
    make(meshGlass, {"mesh.vert", "mesh_glass.frag"});
    make(meshGlassNearest, {"mesh.vert", "mesh_glass.frag"}, {"NEAREST"});
    make(meshDepth, {"mesh.vert", "mesh_depth.frag"});
    make(meshBack, {"mesh.vert", "mesh_back.frag"});
    make(bufferView, {"fullscreen.vert", "buffer_view.frag"});
    make(meshLine, {"mesh_line.vert", "line.frag"});
    make(clothLit, {"cloth.vert", "cloth_lit.frag"});
    make(clothShadow, {"cloth.vert", "mesh_shadow.frag"});
    make(clothLine, {"cloth_line.vert", "line.frag"});
    make(ropeLit, {"rope.vert", "rope_lit.frag"});
    make(ropeShadow, {"rope.vert", "mesh_shadow.frag"});
    make(valueLine, {"line.vert", "value_line.frag"}, {"VALUES"});
    make(ball, {"ball.vert", "ball.frag"});
    make(meshNormal, {"mesh_normal.vert", "line.frag"});
    make(grains, {"splat.vert", "splat_lit.frag"}, {"GRAINS", "ELLIPSOID"});
    make(grainShadow, {"splat.vert", "splat_shadow.frag"}, {"GRAINS", "ELLIPSOID"});
    make(debugParticles, {"splat.vert", "splat_debug.frag"});
    make(eyeSphere, {"splat.vert", "splat_eye_depth.frag"}, {"EYE_DEPTH"});
    make(eyeEllipsoid, {"splat.vert", "splat_eye_depth.frag"}, {"EYE_DEPTH", "ELLIPSOID", "WALLS"});
    make(farSphere, {"splat.vert", "splat_eye_depth.frag"}, {"EYE_DEPTH", "FAR_SIDE"});
    make(farEllipsoid, {"splat.vert", "splat_eye_depth.frag"},
         {"EYE_DEPTH", "FAR_SIDE", "ELLIPSOID", "WALLS"});
    make(eyeMesh, {"liquid_mesh.vert", "liquid_mesh.frag"});
    make(eyeDroplet, {"splat.vert", "splat_eye_depth.frag"}, {"EYE_DEPTH", "ELLIPSOID", "LONE"});
    make(farMesh, {"liquid_mesh.vert", "liquid_mesh.frag"}, {"FAR_SIDE"});
    make(thickness, {"splat.vert", "splat_thickness.frag"}, {"CENTER_DEPTH", "THICKNESS"});
    make(lightThickness, {"splat.vert", "splat_light.frag"}, {"CENTER_DEPTH", "THICKNESS"});
    make(thicknessDyed, {"splat.vert", "splat_thickness.frag"}, {"CENTER_DEPTH", "DYED", "THICKNESS"});
    make(lightDyed, {"splat.vert", "splat_light.frag"}, {"CENTER_DEPTH", "DYED", "THICKNESS"});
    make(causticSurface, {"caustic_surface.comp"});
    make(causticLanding, {"caustic_landing.comp"});
    make(caustic, {"caustic.vert", "caustic.frag"});
    make(halfDepth, {"fullscreen.vert", "half_depth.frag"});
    make(filterAxis, {"filter_axis.comp"});
    make(filterDisc, {"filter_disc.comp"});
    make(filterPlane, {"filter_plane.comp"});
    make(nearestSurface, {"nearest_surface.comp"});
    make(thicknessBlur, {"thickness_blur.comp"});
    make(normal, {"normal.comp"});
    make(meshedNormal, {"normal.comp"}, {"MESHED"});
    make(composites[""], {"tile.vert", "composite.frag"});
    make(eyeSurroundings, {"eye_surroundings.comp"});
    make(occlusion, {"fullscreen.vert", "occlusion.frag"});
    make(occlusionApply, {"fullscreen.vert", "occlusion_apply.frag"});
    make(foam, {"foam.vert", "foam.frag"});
    make(smoke, {"smoke.vert", "smoke.frag"});
    make(smokeLight, {"smoke.vert", "smoke_light.frag"}, {"LIGHT"});
    make(smokeComposite, {"fullscreen.vert", "smoke_composite.frag"});
    make(valueRange, {"value_range.comp"});
    make(addToMean, {"fullscreen.vert", "add_to_mean.frag"});
    make(encodeMean, {"fullscreen.vert", "encode_mean.frag"});
    make(tonemap, {"fullscreen.vert", "tonemap.frag"});
    make(legend, {"legend.vert", "legend.frag"});
    make(resolve, {"fullscreen.vert", "resolve.frag"});
    make(lightOutput, {"fullscreen.vert", "light_output.frag"});
    library.changed();

    // shadow lookups compare depths
    glTextureParameteri(shadow.id(), GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    glTextureParameteri(shadow.id(), GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);

    for (const GLuint index : {0u, 1u, 2u, 3u, 5u, 7u}) splats.attribute(index, 4, GL_FLOAT, 1);
    splats.attribute(4, 1, GL_UNSIGNED_INT, 1);
    splats.attribute(8, 1, GL_UNSIGNED_INT, 1);
    splats.attribute(6, 1, GL_FLOAT, 1);
    splats.attribute(9, 1, GL_FLOAT, 1);
    for (const GLuint index : {0u, 1u}) passives.attribute(index, 4, GL_FLOAT, 1);
    passives.attribute(2, 1, GL_UNSIGNED_INT, 1);
    lines.attribute(0, 4, GL_FLOAT, 1);
    lines.attribute(1, 4, GL_FLOAT, 1);
    overlay.attribute(0, 4, GL_FLOAT, 0);
    overlay.attribute(1, 2, GL_FLOAT, 0);
    meshEdges.attribute(0, 1, GL_UNSIGNED_INT, 1);
    meshEdges.attribute(1, 1, GL_UNSIGNED_INT, 1);
    const std::array<float, 16> nothing{};
    zeros.upload(nothing.data(), sizeof nothing);
    glClearTexImage(emptyMap.id(), 0, GL_RED, GL_FLOAT, nothing.data());
}

void Renderer::State::draw(const Camera& from) {
    resetState();
    prepare();
    prepareViews(from);
    timer.beginFrame();
    drawPasses();
    timer.endFrame();
    apply({});
    glBindVertexArray(0);
    glUseProgram(0);
}

// The order of the passes is defined only here.
void Renderer::State::drawPasses() {
    // light maps
    drawSolidShadow();
    drawLightThickness();
    drawCaustics();
    drawGlassLight();
    drawSmokeLight();
    // scene behind the liquids
    drawOpaque();
    drawOcclusion();
    drawContainers();
    if (hasLiquid && !showsParticles && count > 0) drawLiquids();
    drawGlass();
    drawOutlines();
    drawFoam();
    drawSmoke();
    // light is averaged before the tone curve; where annotations
    // are drawn, what the display shows is averaged
    const bool annotated = hasAnnotations(), asLight = output.bits == kLightBits;
    if (!annotated && !accumulate(targets->sceneColor, false)) return;
    if (!annotated && asLight) return resolveLight();
    toneMap();
    if (showsParticles) drawDebugParticles();
    drawBalls();
    drawDebugLines();
    drawMeshNormals();
    drawGizmos();
    if (annotated && !accumulate(targets->ldr, true)) return;
    if (asLight) return resolveLight();
    if (annotated && options.sample.count > 1) showMean();
    resolveOutput();
    showBuffer();
    drawLegend();
    drawScaleBar();
    drawLabel();
}

Renderer::Renderer(gl::ShaderLibrary shaders) : m_state(std::make_unique<State>(std::move(shaders))) {}
Renderer::~Renderer() = default;
Renderer::Renderer(Renderer&&) noexcept = default;
Renderer& Renderer::operator=(Renderer&&) noexcept = default;

void Renderer::draw(const RenderFrame& frame, const GlBuffers& buffers, const Camera& camera,
                    const DrawOptions& options, const OutputTarget& target) {
    if (target.width <= 0 || target.height <= 0) return;  // a minimized window
    m_state->frame = &frame;
    m_state->buffers = &buffers;
    m_state->options = options;
    if (options.quality == Quality::Points) m_state->options.shadows = false;  // a fast view
    m_state->output = target;
    m_state->shownLegend = 0;
    m_state->draw(camera);
    m_state->shownFloor = m_state->floorHeight();
}

std::optional<float> Renderer::floorHeight() const {
    return m_state->shownFloor;
}

int Renderer::legendWidth() const {
    return m_state->shownLegend;
}

bool Renderer::pollShaders() {
    if (!m_state->library.changed()) return false;
    for (gl::Program* program : m_state->programs) program->reload(m_state->library);
    return true;
}

std::string Renderer::shaderErrors() const {
    std::string all;
    for (const gl::Program* program : m_state->programs) {
        // programs share stages: report each error once
        if (!program->error().empty() && all.find(program->error()) == std::string::npos) {
            all += program->error() + "\n";
        }
    }
    return all;
}

void Renderer::enableTimings(bool on) {
    m_state->timer.enable(on);
}

std::span<const PassTime> Renderer::timings() const {
    return m_state->timer.results();
}

std::pair<float, float> Renderer::colorRange() const {
    return m_state->shownRange;
}

}  // namespace coalesce
