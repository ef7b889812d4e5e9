// Draws a RenderFrame into a framebuffer of the caller. Knows OpenGL and plain arrays; no solver, no window.
// Same arrays, camera and options: same picture, byte for byte, on the same driver.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "render/frame/camera.h"
#include "render/frame/color_by.h"
#include "render/frame/render_frame.h"
#include "render/gl/gl_buffers.h"

namespace coalesce {

enum class DrawMode { Surface, Particles };  // liquids as smooth water; or every particle as a sphere
enum class Quality { Points, Spheres, Ellipsoids, Record };
enum class ClothStyle { Solid, Outlined, Wire };  // faces; with the edges of triangles; edges alone
// Sky, and the light that comes from it. Studio and later ones stand on a floor, unless the ground says
// otherwise.
enum class Background { Studio, Sky, Plain, Sunset, Overcast, Night };
inline constexpr const char* kBackgroundNames[] = {"studio", "sky", "plain", "sunset", "overcast", "night"};
// The floor and planes: as the background has it (a checker, or none for sky and plain); squares of 0.25 m;
// one color; lines every 0.25 m; none.
enum class Ground { Auto, Checker, Plain, Grid, None };
inline constexpr const char* kGroundNames[] = {"auto", "checker", "plain", "grid", "none"};
// Towards the sun of a background, unit length.
glm::vec3 sunOf(Background background);
// From the compass, 0 along -z and 90 along +x, and the height above the horizon [degrees].
glm::vec3 sunDirection(float azimuth, float elevation);
// An intermediate map that can be shown beside the picture, in words for person and command line.
struct BufferView {
    const char* name;  // as dump() takes it
    const char* about;
};
std::span<const BufferView> bufferViews();

struct DrawOptions {
    DrawMode mode = DrawMode::Surface;
    ColorBy colorBy = ColorBy::Phase;
    bool autoRange = true;             // color map follows the smallest and largest value of each frame
    float rangeMin = 0, rangeMax = 1;  // when not automatic, in the unit of the quantity
    bool legend = true;                // color bar in Particles mode (not for phases)

    Quality quality = Quality::Ellipsoids;
    int filterIterations = 1;   // [-] narrow-range filter, 0 to 3; Record uses at least 2
    float filterSigma = 1.5f;   // [draw radii] 0.5 to 3
    float filterDelta = 10.0f;  // [draw radii] 5 to 10; depth steps beyond it are edges
    int ssaa = 1;               // samples per pixel and axis, 1 or 2; Record uses at least 2
    bool fxaa = true;           // when ssaa is 1

    Background background = Background::Studio;
    Ground ground = Ground::Auto;
    float exposure = 0.9f;                        // [-]
    glm::vec3 sunDirection{0.35f, 0.8f, -0.45f};  // towards the sun, any length
    bool shapes = true;                           // draw the collision shapes
    bool wire = false;                            // outlines of all shapes
    ClothStyle cloth = ClothStyle::Solid;
    bool shadows = true;

    std::string buffer{};  // a name of bufferViews(): that map is shown right of the split; empty: none
    float split = 0.5f;    // [-] share of the width that the picture keeps
};

// Where the picture goes: a complete framebuffer with an RGBA8 color attachment of at least this size.
struct OutputTarget {
    GLuint framebuffer = 0;
    int width = 0, height = 0;  // [pixels]
};

struct PassTime {
    const char* name;
    double milliseconds;
};

// A copy of an intermediate texture. Rows go from the bottom up, as GL keeps them.
struct DumpedImage {
    int width = 0, height = 0, channels = 0;
    std::vector<float> pixels;
    const float* at(int x, int y) const { return &pixels[(static_cast<size_t>(y) * width + x) * channels]; }
};

class Renderer {
public:
    // Built-in shaders; with a library that reads a folder, pollShaders() follows edits. Throws gl::Error.
    explicit Renderer(gl::ShaderLibrary shaders = {});
    ~Renderer();
    Renderer(Renderer&&) noexcept;
    Renderer& operator=(Renderer&&) noexcept;

    void draw(const RenderFrame& frame, const GlBuffers& buffers, const Camera& camera,
              const DrawOptions& options, const OutputTarget& target);

    // Rebuilds programs whose folder changed; true when something was rebuilt or failed. Programs that do not
    // compile keep their last good version, and shaderErrors() says why.
    bool pollShaders();
    std::string shaderErrors() const;  // empty: all fine

    // Of the last frame (software drawing: measured; hardware: of a frame or two before). Empty when off.
    void enableTimings(bool on);
    std::span<const PassTime> timings() const;

    // Where the floor of the last frame lies [m]; nothing: it had none.
    std::optional<float> floorHeight() const;

    // The value range of the colors drawn last, e.g. to freeze an automatic range.
    std::pair<float, float> colorRange() const;

    // Intermediate textures of the last draw, by name; empty for a name that was not drawn. Slow: waits for
    // the GPU.
    std::optional<DumpedImage> dump(std::string_view name) const;
    static std::span<const char* const> dumpNames();

private:
    struct State;
    std::unique_ptr<State> m_state;
};

// An RGBA8 picture to draw into.
class RenderTarget {
public:
    RenderTarget(int width, int height);
    OutputTarget output() const { return {m_framebuffer.id(), m_color.width(), m_color.height()}; }
    GLuint framebuffer() const { return m_framebuffer.id(); }
    const gl::Texture& color() const { return m_color; }

private:
    gl::Texture m_color;
    gl::Framebuffer m_framebuffer;
};

// RGBA8, rows from the top down (as image files want them) or from the bottom up (as GL keeps them). Waits.
enum class RowOrder { TopDown, BottomUp };
std::vector<uint8_t> readPixels(const OutputTarget& target, RowOrder order = RowOrder::TopDown);

}  // namespace coalesce
