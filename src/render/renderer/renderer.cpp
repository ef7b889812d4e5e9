#include "render/renderer/renderer.h"

#include <algorithm>
#include <string_view>

#include "render/renderer/renderer_state.h"

namespace coalesce {

namespace {

// What a window's other painters may have left behind.
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
    for (GLuint unit = 0; unit < 12; ++unit) glBindSampler(unit, 0);
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
    make(shapeGlassFar, {"shape.vert", "shape_glass.frag"}, {"EXIT"});
    make(meshGlass, {"mesh.vert", "mesh_glass.frag"});
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
    make(grains, {"splat.vert", "splat_lit.frag"});
    make(grainShadow, {"splat.vert", "splat_shadow.frag"});
    make(debugParticles, {"splat.vert", "splat_debug.frag"});
    make(eyeSphere, {"splat.vert", "splat_eye_depth.frag"}, {"EYE_DEPTH"});
    make(eyeEllipsoid, {"splat.vert", "splat_eye_depth.frag"}, {"EYE_DEPTH", "ELLIPSOID"});
    make(farSphere, {"splat.vert", "splat_eye_depth.frag"}, {"EYE_DEPTH", "FAR_SIDE"});
    make(farEllipsoid, {"splat.vert", "splat_eye_depth.frag"}, {"EYE_DEPTH", "FAR_SIDE", "ELLIPSOID"});
    make(thickness, {"splat.vert", "splat_thickness.frag"}, {"CENTER_DEPTH"});
    make(lightThickness, {"splat.vert", "splat_light.frag"}, {"CENTER_DEPTH"});
    make(thicknessDyed, {"splat.vert", "splat_thickness.frag"}, {"CENTER_DEPTH", "DYED"});
    make(lightDyed, {"splat.vert", "splat_light.frag"}, {"CENTER_DEPTH", "DYED"});
    make(halfDepth, {"fullscreen.vert", "half_depth.frag"});
    make(filterAxis, {"filter_axis.comp"});
    make(filterPlane, {"filter_plane.comp"});
    make(nearestSurface, {"nearest_surface.comp"});
    make(thicknessBlur, {"thickness_blur.comp"});
    make(normal, {"normal.comp"});
    make(composites[""], {"tile.vert", "composite.frag"});
    make(eyeSurroundings, {"eye_surroundings.comp"});
    make(valueRange, {"value_range.comp"});
    make(tonemap, {"fullscreen.vert", "tonemap.frag"});
    make(legend, {"legend.vert", "legend.frag"});
    make(resolve, {"fullscreen.vert", "resolve.frag"});
    library.changed();

    // shadow look-ups compare depths
    glTextureParameteri(shadow.id(), GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    glTextureParameteri(shadow.id(), GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);

    for (const GLuint index : {0u, 1u, 2u, 3u, 5u, 7u}) splats.attribute(index, 4, GL_FLOAT, 1);
    splats.attribute(4, 1, GL_UNSIGNED_INT, 1);
    splats.attribute(8, 1, GL_UNSIGNED_INT, 1);
    splats.attribute(6, 1, GL_FLOAT, 1);
    splats.attribute(9, 1, GL_FLOAT, 1);
    lines.attribute(0, 4, GL_FLOAT, 1);
    lines.attribute(1, 4, GL_FLOAT, 1);
    flat.attribute(0, 4, GL_FLOAT, 0);
    meshEdges.attribute(0, 1, GL_UNSIGNED_INT, 1);
    meshEdges.attribute(1, 1, GL_UNSIGNED_INT, 1);
    const std::array<float, 16> nothing{};
    zeros.upload(nothing.data(), sizeof nothing);
    glClearTexImage(emptyMap.id(), 0, GL_RED, GL_FLOAT, nothing.data());
}

// The order of the passes is written here and nowhere else.
void Renderer::State::draw(const Camera& from) {
    resetState();
    prepare();
    prepareViews(from);
    timer.beginFrame();
    // light
    drawSolidShadow();
    drawLightThickness();
    drawGlassLight();
    // what the liquid lies before
    drawOpaque();
    if (hasLiquid && !showsParticles && count > 0) drawLiquids();
    drawGlass();
    drawOutlines();
    // (place of: foam and spray in front, then smoke)
    toneMap();
    if (showsParticles) drawDebugParticles();
    drawBalls();
    drawDebugLines();
    drawMeshNormals();
    drawGizmos();
    resolveOutput();
    showBuffer();
    drawLegend();
    drawScaleBar();
    timer.endFrame();
    apply({});
    glBindVertexArray(0);
    glUseProgram(0);
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
    m_state->output = target;
    m_state->draw(camera);
    m_state->shownFloor = m_state->floorHeight();
}

std::optional<float> Renderer::floorHeight() const {
    return m_state->shownFloor;
}

bool Renderer::pollShaders() {
    if (!m_state->library.changed()) return false;
    for (gl::Program* program : m_state->programs) program->reload(m_state->library);
    return true;
}

std::string Renderer::shaderErrors() const {
    std::string all;
    for (const gl::Program* program : m_state->programs) {
        // programs share stages: say each thing once
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

namespace {
constexpr const char* kDumpNames[] = {"shadow",     "lightThickness", "lightFluidDepth", "sceneColor",
                                      "sceneDepth", "eyeDepthRaw",    "eyeDepth",        "thickness",
                                      "normal",     "display"};
}

std::span<const char* const> Renderer::dumpNames() {
    return kDumpNames;
}

// The map of a name in the draw that has just been done; null when it was not made.
const gl::Texture* Renderer::State::findMap(std::string_view name, int& channels) {
    Targets& t = *targets;
    channels = 1;
    const auto of = [&](const gl::Texture& texture, int number) {
        channels = number;
        return &texture;
    };
    if (name == "shadow") return &shadow;
    if (name == "lightThickness") return of(lightTau, 4);
    if (name == "lightFluidDepth") return &lightFluidDepth;
    if (name == "sceneColor") return of(t.sceneColor, 4);
    if (name == "sceneDepth") return &t.sceneDepth;
    if (name == "display") return of(t.ldr, 4);
    if (!fluidDrawn) return nullptr;
    // of several liquids the nearest surface, and the thickness of the first
    const int nearest = t.several() ? t.liquids : 0;
    if (name == "eyeDepthRaw") return t.several() ? &t.nearest : &t.raw.layer(0);
    if (name == "eyeDepth") return &t.surfaces.layer(nearest);
    if (name == "thickness") return &t.thickness.layer(0);
    if (name != "normal") return nullptr;
    // made on demand: drawing computes normals on the fly
    t.normal = gl::Texture(GL_RGBA32F, t.width, t.height);
    useView(cameraBlock);
    normal.set("radius", kDrawRadius * lookOf(0).spacing).set("layer", nearest);
    normal.use();
    t.surfaces.bind(0);
    glBindImageTexture(0, t.normal.id(), 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_RGBA32F);
    glDispatchCompute(static_cast<GLuint>(groupsOf(t.width, 16)), static_cast<GLuint>(groupsOf(t.height, 8)),
                      1);
    glMemoryBarrier(GL_TEXTURE_UPDATE_BARRIER_BIT | GL_TEXTURE_FETCH_BARRIER_BIT);
    return of(t.normal, 4);
}

std::optional<DumpedImage> Renderer::dump(std::string_view name) const {
    if (!m_state->targets) return std::nullopt;
    int channels = 1;
    const gl::Texture* texture = m_state->findMap(name, channels);
    if (!texture) return std::nullopt;
    DumpedImage image{texture->width(), texture->height(), channels, {}};
    image.pixels.resize(static_cast<size_t>(image.width) * image.height * channels);
    const GLenum format = texture->format() == GL_DEPTH_COMPONENT32F ? GL_DEPTH_COMPONENT
                          : channels == 4                            ? GL_RGBA
                                                                     : GL_RED;
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glGetTextureImage(texture->id(), 0, format, GL_FLOAT,
                      static_cast<GLsizei>(image.pixels.size() * sizeof(float)), image.pixels.data());
    return image;
}

RenderTarget::RenderTarget(int width, int height)
    : m_color(GL_RGBA8, width, height, GL_LINEAR), m_framebuffer({&m_color}, nullptr) {}

std::vector<uint8_t> readPixels(const OutputTarget& target, RowOrder order) {
    const size_t row = static_cast<size_t>(target.width) * 4;
    std::vector<uint8_t> pixels(row * static_cast<size_t>(target.height));
    glBindFramebuffer(GL_READ_FRAMEBUFFER, target.framebuffer);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, target.width, target.height, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
    if (order == RowOrder::TopDown) {
        for (int y = 0; y < target.height / 2; ++y) {
            uint8_t* upper = pixels.data() + static_cast<size_t>(y) * row;
            uint8_t* lower = pixels.data() + static_cast<size_t>(target.height - 1 - y) * row;
            std::swap_ranges(upper, upper + row, lower);
        }
    }
    return pixels;
}

}  // namespace coalesce
