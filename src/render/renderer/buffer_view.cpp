// Pass 15 and dumps: intermediate textures by name.
#include <algorithm>
#include <array>
#include <string_view>

#include "render/frame/legend.h"
#include "render/renderer/renderer_state.h"

namespace coalesce {

namespace {

// How buffer values are shown; same numbers as in buffer_view.frag.
enum class BufferKind { Light, Value, Normal, Depth, Display, ParallelDepth, OpticalDepth };

struct ShownBuffer {
    BufferView view;
    BufferKind kind;
    bool fromSun;       // square, rendered from the sun
    const char* title;  // of the legend; null: no legend
};
constexpr ShownBuffer kBuffers[] = {
    {{"eyeDepthRaw", "Distance of the liquid, unfiltered."}, BufferKind::Value, false, "distance [m]"},
    {{"eyeDepth", "Distance of the liquid, filtered."}, BufferKind::Value, false, "distance [m]"},
    {{"normal", "Normals of the liquid surface."}, BufferKind::Normal, false, nullptr},
    {{"thickness", "Length of liquid behind each pixel."}, BufferKind::Value, false, "thickness [m]"},
    {{"sceneDepth", "Distance of the scene."}, BufferKind::Depth, false, "distance [m]"},
    {{"ambientOcclusion", "Fraction of the light from all around that nearby solids let pass; its red part."},
     BufferKind::Value,
     false,
     "light from around [-]"},
    {{"sceneColor", "Linear light before exposure and tone mapping."}, BufferKind::Light, false, nullptr},
    {{"display", "Tone mapped, before antialiasing."}, BufferKind::Display, false, nullptr},
    {{"shadow", "Depth of solids from the sun."}, BufferKind::ParallelDepth, true, nullptr},
    {{"lightThickness", "Light transmitted by liquids, from the sun."},
     BufferKind::OpticalDepth,
     true,
     nullptr},
    {{"caustics", "Light that liquids gather or spread, from the sun; with quality final."},
     BufferKind::Value,
     true,
     "irradiance [-]"},
    {{"lightFluidDepth", "First depth of liquids from the sun."}, BufferKind::Value, true, "distance [m]"},
};

}  // namespace

std::span<const BufferView> bufferViews() {
    static const auto views = [] {
        std::array<BufferView, std::size(kBuffers)> all{};
        std::ranges::transform(kBuffers, all.begin(), &ShownBuffer::view);
        return all;
    }();
    return views;
}

// The texture with this name in the last frame; null if it was not drawn.
const gl::Texture* Renderer::State::findBuffer(std::string_view name, int& channels) {
    Targets& t = *targets;
    channels = 1;
    const auto of = [&](const gl::Texture& texture, int number) {
        channels = number;
        return &texture;
    };
    if (name == "shadow") return options.shadows ? &shadow : nullptr;
    if (name == "lightThickness") return of(lightTau, 4);
    if (name == "caustics") return hasCaustics() ? &lightCaustics : nullptr;
    if (name == "lightFluidDepth") return &lightFluidDepth;
    if (name == "ambientOcclusion") return occlusionDrawn ? &t.occlusion : nullptr;
    if (name == "sceneColor") return of(t.sceneColor, 4);
    if (name == "sceneDepth") return &t.sceneDepth;
    if (name == "display") return of(t.ldr, 4);
    if (!fluidDrawn) return nullptr;
    // several liquids: nearest surface, and thickness of the first
    const int nearest = t.several() ? t.liquids : 0;
    if (name == "eyeDepthRaw") return t.several() ? &t.nearest : &t.raw.layer(0);
    if (name == "eyeDepth") return &t.surfaces.layer(nearest);
    if (name == "thickness") return &t.thickness.layer(0);
    if (name != "normal") return nullptr;
    // computed on demand: the composite computes normals on the fly
    t.normal = gl::Texture(GL_RGBA32F, t.width, t.height);
    useView(cameraBlock);
    const gl::Program& program = t.meshed ? meshedNormal : normal;
    program.set("radius", kDrawRadius * liquidOf(0).spacing).set("layer", nearest);
    program.set("liquids", int(liquids.size())).use();
    t.surfaces.bind(0);
    t.meshNormals.bind(6);
    glBindImageTexture(0, t.normal.id(), 0, GL_FALSE, 0, GL_WRITE_ONLY, GL_RGBA32F);
    glDispatchCompute(GLuint(groupsOf(t.width, 16)), GLuint(groupsOf(t.height, 8)), 1);
    glMemoryBarrier(GL_TEXTURE_UPDATE_BARRIER_BIT | GL_TEXTURE_FETCH_BARRIER_BIT);
    return of(t.normal, 4);
}

std::optional<DumpedImage> Renderer::dump(std::string_view name) const {
    if (!m_state->targets) return std::nullopt;
    int channels = 1;
    const gl::Texture* texture = m_state->findBuffer(name, channels);
    if (!texture) return std::nullopt;
    DumpedImage image{texture->width(), texture->height(), channels, {}};
    image.pixels.resize(size_t(image.width) * image.height * channels);
    const GLenum format = texture->format() == GL_DEPTH_COMPONENT32F ? GL_DEPTH_COMPONENT
                          : channels == 4                            ? GL_RGBA
                                                                     : GL_RED;
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glGetTextureImage(texture->id(), 0, format, GL_FLOAT, GLsizei(image.pixels.size() * sizeof(float)),
                      image.pixels.data());
    return image;
}

// 15: an intermediate buffer right of the split, with a legend
void Renderer::State::showBuffer() {
    if (options.buffer.empty()) return;
    const auto shown =
        std::ranges::find(kBuffers, options.buffer, [](const ShownBuffer& m) { return m.view.name; });
    if (shown == std::end(kBuffers)) return;
    const PassTimer::Scope scope(timer, "buffer view");
    int channels = 1;
    const gl::Texture* map = findBuffer(options.buffer, channels);
    // distances: from the near to the far side of the scene; thickness: up to a third of its extent
    const auto [lower, upper] = casterBounds();
    const float extent = glm::length(upper - lower);
    const float middle = glm::distance((lower + upper) / 2.0f, glm::vec3(camera.eye));
    glm::vec2 range(std::max(middle - extent / 2, 0.0f), middle + extent / 2);
    if (options.buffer == "thickness") range = {0, extent / 3};
    if (options.buffer == "caustics")
        range = {0, 3};
    else if (shown->fromSun)
        range = {0, light.lightRange.x};

    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, output.framebuffer);
    glViewport(0, 0, output.width, output.height);
    apply({});
    useView(cameraBlock);
    const glm::vec2 size(output.width, output.height);
    const float split = std::clamp(options.split, 0.0f, 1.0f) * size.x;
    glm::vec4 area(0, 0, size);
    if (shown->fromSun) {
        // a centered square in the remaining area
        const float side = std::min(size.x - split, size.y);
        area = {split + (size.x - split - side) / 2, (size.y - side) / 2, side, side};
    }
    bufferView.set("kind", int(shown->kind)).set("range", range).set("area", area);
    bufferView.set("split", split).set("emptyValue", map && shown->kind == BufferKind::Value ? 1 : 0);
    // a buffer that this frame does not have is shown empty
    (map ? map : &emptyMap)->bind(0);
    // read the shadow map without depth comparison
    glBindSampler(0, plainSampler.id());
    fullscreen(bufferView);
    glBindSampler(0, 0);
    if (!options.legend || !shown->title) return;
    legend.set("diverging", 0);
    setPalette(legend, {});
    drawColorBar(range, shown->title);
}

}  // namespace coalesce
