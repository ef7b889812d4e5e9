// Draws a RenderFrame into a framebuffer of the caller. Uses OpenGL and plain arrays; no solver, no window.
// Same arrays, camera, options and driver: same image, byte for byte.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "render/frame/camera.h"
#include "render/frame/color_by.h"
#include "render/frame/environment_map.h"
#include "render/frame/render_frame.h"
#include "render/gl/gl_buffers.h"

namespace coalesce {

enum class DrawMode { Surface, Particles };  // smooth liquid surfaces; or all particles as spheres
enum class Quality { Points, Fast, Standard, Final };
enum class ClothStyle { Solid, Outlined, Wire };  // faces; faces and triangle edges; edges only
// Gases as their materials say, or all of them in one way.
enum class GasDrawing { Material, Hidden, Points, Smoke };
inline constexpr const char* kGasDrawingNames[] = {"material", "hidden", "points", "smoke"};
// Sky and lighting. Studio, sunset, overcast and night have a ground unless Ground says otherwise.
enum class Background { Studio, Sky, Plain, Sunset, Overcast, Night };
inline constexpr const char* kBackgroundNames[] = {"studio", "sky", "plain", "sunset", "overcast", "night"};
// Pattern of ground and planes: default of the background (plain, or none for sky and plain); squares of
// 0.25 m; one color; lines every 0.25 m; none.
enum class Ground { Auto, Checker, Plain, Grid, None };
inline constexpr const char* kGroundNames[] = {"auto", "checker", "plain", "grid", "none"};
// Direction to the sun of a background, unit length.
glm::vec3 sunOf(Background background);
// From azimuth (0 along -z, 90 along +x) and elevation above the horizon [degrees].
glm::vec3 sunDirection(float azimuth, float elevation);
// [-] Radius of the sun's disc / its distance. Wider than the real one's, 0.0047, as with a little haze.
constexpr float kSunSlope = 0.03f;
// An intermediate buffer that can be shown beside the image, with texts for the panel and the command line.
struct BufferView {
    const char* name;  // as passed to dump()
    const char* about;
};
std::span<const BufferView> bufferViews();

// Hides what lies at normal · p > distance, so that one can look inside. Solid shapes are cut through;
// liquids and grains particle by particle. Ground and walls that are planes stay.
struct ClipPlane {
    glm::vec3 normal{0};  // unit; 0: nothing is hidden
    float distance = 0;   // [m]
};
// The visible part of a ray, which begins at the plane if its origin is hidden; nullopt: none.
std::optional<Ray> clipped(Ray ray, const ClipPlane& plane);

// One of several draws whose mean in linear light becomes the image. Each sees the scene at
// another time of the shutter, from another point of the lens and of the pixel, lit by
// another point of the sun; the caller moves them.
struct SampleOfImage {
    int index = 0, count = 1;
};

constexpr int kMostGrains = 30;

struct DrawOptions {
    DrawMode mode = DrawMode::Surface;
    ColorBy colorBy = ColorBy::Phase;
    bool autoRange = true;             // color range follows the values of each frame
    float rangeMin = 0, rangeMax = 1;  // otherwise, in the unit of the quantity
    bool legend = true;                // color bar in Particles mode (not for materials)
    std::string label{};               // written over the image, to tell it from others; empty: none

    Quality quality = Quality::Standard;
    int filterIterations = 1;   // [-] narrow-range filter, 0 to 3; Record uses at least 2
    float filterSigma = 1.5f;   // [draw radii] 0.5 to 3
    float filterDelta = 10.0f;  // [draw radii] 5 to 10; depth steps beyond it are edges
    int ssaa = 1;               // samples per pixel along each axis, 1 or 2; Record uses at least 2
    bool fxaa = true;           // when ssaa is 1
    bool halved = false;  // at half the resolution, excludes ssaa; legend, scale bar and label stay full

    Background background = Background::Studio;
    Ground ground = Ground::Auto;
    // Light around the scene, in place of the background's; null:
    // none. sunDirection is where its shadows come from.
    std::shared_ptr<const EnvironmentMap> environment{};
    float exposure = 1.3f;                        // [-]
    glm::vec3 sunDirection{0.35f, 0.8f, -0.45f};  // direction to the sun, any length
    bool shapes = true;                           // draw collision shapes
    int grains = 1;     // drawn per particle of grains, 1 to kMostGrains; looks only
    bool wire = false;  // outlines of all shapes
    ClothStyle cloth = ClothStyle::Solid;
    GasDrawing gas = GasDrawing::Material;
    ClipPlane clipPlane{};
    bool shadows = true;    // never with Quality::Points
    bool occlusion = true;  // ambient occlusion; never with Quality::Points

    std::string buffer{};  // name of one of bufferViews(), shown to the right of the split; empty: none
    float split = 0.5f;    // [-] fraction of the width left of the split

    // The draws of an image follow each other and have the same size; the last one writes
    // the target. With several, shadows are not blurred by the sun's disc and edges not
    // by --ssaa of Record and fxaa: the draws do it.
    SampleOfImage sample{};
};

// Bits per channel of a target that gets linear light instead of display colors.
constexpr int kLightBits = 32;
// [m] Distance of pixels in which nothing is drawn.
constexpr float kSkyDistance = 1e10f;

// Render target of the caller: a complete framebuffer with a color attachment of at least this size.
struct OutputTarget {
    GLuint framebuffer = 0;
    int width = 0, height = 0;  // [pixels]
    // per channel: display colors with 8 (dithered) or 16. kLightBits (RGBA32F): light of the scene times the
    // exposure, without tone curve, legend and buffer view; its alpha is the distance along the view axis to
    // the nearest liquid or opaque thing [m].
    int bits = 8;
};

struct PassTime {
    const char* name;
    double milliseconds;
};

// A copy of an intermediate texture. Rows from bottom to top, as in OpenGL.
struct DumpedImage {
    int width = 0, height = 0, channels = 0;
    std::vector<float> pixels;
    const float* at(int x, int y) const { return &pixels[(size_t(y) * width + x) * channels]; }
};

class Renderer {
public:
    // Uses the built-in shaders, or a library that reads a folder, where pollShaders() picks up edits. Throws
    // gl::Error.
    explicit Renderer(gl::ShaderLibrary shaders = {});
    ~Renderer();
    Renderer(Renderer&&) noexcept;
    Renderer& operator=(Renderer&&) noexcept;

    void draw(const RenderFrame& frame, const GlBuffers& buffers, const Camera& camera,
              const DrawOptions& options, const OutputTarget& target);

    // Rebuilds programs after changes in the shader folder; true if anything was rebuilt or failed. Programs
    // that do not compile keep their last valid version, and shaderErrors() has the reason.
    bool pollShaders();
    std::string shaderErrors() const;  // empty: none

    // Pass times of the last frame (hardware: of a frame or two before). Empty when disabled.
    void enableTimings(bool on);
    std::span<const PassTime> timings() const;

    // Height of the ground in the last frame [m]; nullopt: none.
    std::optional<float> floorHeight() const;

    // Value range of the last colors, e.g. to freeze an automatic range.
    std::pair<float, float> colorRange() const;

    // Width of the legend at the right edge of the last frame [pixels]; 0: none.
    int legendWidth() const;

    // Intermediate textures of the last frame, which still exists, by name; nullopt if not drawn. Slow: waits for the GPU.
    std::optional<DumpedImage> dump(std::string_view name) const;

private:
    struct State;
    std::unique_ptr<State> m_state;
};

// An image to draw into, with 8, 16 or kLightBits bits per channel.
class RenderTarget {
public:
    RenderTarget(int width, int height, int bits = 8);
    OutputTarget output() const { return {m_framebuffer.id(), m_color.width(), m_color.height(), m_bits}; }
    GLuint framebuffer() const { return m_framebuffer.id(); }
    const gl::Texture& color() const { return m_color; }

private:
    int m_bits;
    gl::Texture m_color;
    gl::Framebuffer m_framebuffer;
};

// RGBA8, rows from top to bottom (as in image files) or from bottom to top (as in OpenGL). Waits for the GPU.
enum class RowOrder { TopDown, BottomUp };
std::vector<uint8_t> readPixels(const OutputTarget& target, RowOrder order = RowOrder::TopDown);

}  // namespace coalesce
