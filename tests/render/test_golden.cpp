// Images of scenes compared with tests/render/golden: a few of each kind of matter, small. After an intended
// change, COALESCE_UPDATE_PICTURES=1 test_golden rewrites them; the commit gives the reason.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>

#include "bridge/frame_source.h"
#include "bridge/scene_camera.h"
#include "render/gl/egl_context.h"
#include "render/renderer/renderer.h"
#include "scene/build/build.h"
#include "scene/reader.h"
#include "scene/timeline/timeline.h"
#include "sim/solver/solver.h"

#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_PNG
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#include <stb_image.h>
#include <stb_image_write.h>
#pragma GCC diagnostic pop

namespace coalesce::test {
namespace {

constexpr int kWidth = 320, kHeight = 180;
const std::filesystem::path kGolden = COALESCE_SOURCE_DIR "/tests/render/golden";
const std::filesystem::path kDifferences = COALESCE_BINARY_DIR "/picture-differences";

using Pixels = std::vector<uint8_t>;  // RGB, rows from top to bottom

double psnr(const Pixels& a, const Pixels& b) {
    if (a.size() != b.size() || a.empty()) return 0;
    double sum = 0;
    for (size_t k = 0; k < a.size(); ++k) {
        const double step = double(a[k]) - b[k];
        sum += step * step;
    }
    return sum == 0 ? 100 : 10 * std::log10(255.0 * 255 * double(a.size()) / sum);
}

void write(const std::filesystem::path& file, const Pixels& pixels) {
    std::filesystem::create_directories(file.parent_path());
    stbi_write_png_compression_level = 9;
    ASSERT_NE(stbi_write_png(file.c_str(), kWidth, kHeight, 3, pixels.data(), 3 * kWidth), 0) << file;
}

Pixels read(const std::filesystem::path& file) {
    int width = 0, height = 0, channels = 0;
    uint8_t* data = stbi_load(file.c_str(), &width, &height, &channels, 3);
    if (!data) return {};
    Pixels pixels(data, data + size_t(3) * width * height);
    stbi_image_free(data);
    return width == kWidth && height == kHeight ? pixels : Pixels{};
}

// Gray where equal, ten times the difference elsewhere.
Pixels difference(const Pixels& actual, const Pixels& expected) {
    Pixels result(actual.size());
    for (size_t k = 0; k < actual.size(); ++k)
        result[k] = uint8_t(std::clamp(128 + 10 * (actual[k] - expected[k]), 0, 255));
    return result;
}

// At least 40 dB (PSNR); otherwise writes the image, the expected image and the difference for inspection.
void compare(const std::string& name, const Pixels& actual) {
    const std::filesystem::path file = kGolden / (name + ".png");
    if (std::getenv("COALESCE_UPDATE_PICTURES")) {
        write(file, actual);
        return;
    }
    const Pixels expected = read(file);
    const double found = psnr(actual, expected);
    ::testing::Test::RecordProperty("psnr", std::to_string(found));
    if (found >= 40) return;
    write(kDifferences / (name + "_actual.png"), actual);
    if (!expected.empty()) {
        write(kDifferences / (name + "_expected.png"), expected);
        write(kDifferences / (name + "_difference.png"), difference(actual, expected));
    }
    ADD_FAILURE() << name << ": " << (expected.empty() ? "there is no " + file.string() : "") << " PSNR "
                  << found << " dB, at least 40 are wanted.\nSee " << kDifferences.string() << "/" << name
                  << "_{actual,expected,difference}.png. If the change is meant, write them anew with "
                     "COALESCE_UPDATE_PICTURES=1, and say why.";
}

struct Shown {
    const char *name, *scene;
    uint64_t frames;            // simulated frames before the image
    const char* caseName = "";  // of the scene
    Quantity quantity = Quantity::Material;
    DrawOptions draw{};
    const char* map = "";                            // an intermediate buffer instead of the image
    std::optional<std::array<glm::vec3, 2>> view{};  // eye and look point, instead of the scene's camera
};

void PrintTo(const Shown& shown, std::ostream* out) {
    *out << shown.name;
}

// A buffer as an image: normals as n/2 + 1/2, others scaled to their range, empty pixels black.
Pixels imageOf(const DumpedImage& map) {
    float lowest = 1e30f, highest = -1e30f;
    for (const float value : map.pixels)
        if (value != 0) lowest = std::min(lowest, value), highest = std::max(highest, value);
    Pixels pixels(size_t{3} * kWidth * kHeight);
    for (int y = 0; y < kHeight; ++y) {
        for (int x = 0; x < kWidth; ++x) {
            const float* at = map.at(x * map.width / kWidth, (kHeight - 1 - y) * map.height / kHeight);
            for (int c = 0; c < 3; ++c) {
                const float value = at[map.channels == 1 ? 0 : c];
                const float unit = map.channels == 1 ? (value - lowest) / std::max(highest - lowest, 1e-6f)
                                                     : 0.5f * value + 0.5f;
                const bool empty = map.channels == 1 ? value == 0 : at[3] == 0;
                pixels[size_t(3 * (y * kWidth + x) + c)] =
                    empty ? 0 : uint8_t(std::lround(255 * std::clamp(unit, 0.0f, 1.0f)));
            }
        }
    }
    return pixels;
}

Pixels imageOf(const Shown& shown) {
    const Scene scene = readScene(COALESCE_SOURCE_DIR "/scenes/" + std::string(shown.scene) + ".json",
                                  {.size = "ci", .caseName = shown.caseName, .sets = {}, .seed = {}});
    Exec exec({.backend = "cpu"});
    EglContext context;
    World world(exec);
    buildWorld(scene, world);
    Solver solver(world);
    Timeline timeline(scene);
    timeline.catchUp(world);
    for (uint64_t k = 0; k < shown.frames; ++k) {
        timeline.advance(world);
        solver.step();
    }
    GlBuffers buffers;
    const std::unique_ptr<FrameSource> source = makeFrameSource(world, solver, [](const std::string&) {});
    Renderer renderer;
    RenderTarget target(kWidth, kHeight);
    RenderFrame frame;
    Camera camera = cameraOf(scene.cameras[findCamera(scene, "")]);
    if (shown.view) camera.eye = (*shown.view)[0], camera.look = (*shown.view)[1];
    const bool surface = shown.draw.mode == DrawMode::Surface;
    source->publish({.quantity = shown.quantity, .ellipsoids = surface}, buffers, frame);
    renderer.draw(frame, buffers, camera, shown.draw, target.output());
    if (*shown.map) return imageOf(renderer.dump(shown.map).value());
    const std::vector<uint8_t> rgba = readPixels(target.output());
    Pixels pixels;
    for (size_t k = 0; k < rgba.size(); ++k)
        if (k % 4 != 3) pixels.push_back(rgba[k]);
    return pixels;
}

class Golden : public ::testing::TestWithParam<Shown> {};

TEST_P(Golden, EqualsTheStoredImage) {
    compare(GetParam().name, imageOf(GetParam()));
}

DrawOptions inStudio(const char* name) {
    DrawOptions draw;
    draw.environment = std::make_shared<const EnvironmentMap>(*studioMap(name));
    draw.sunDirection = draw.environment->sunDirection;
    return draw;
}

const DrawOptions kSpeed{.mode = DrawMode::Particles, .colorBy = ColorBy::Speed};

INSTANTIATE_TEST_SUITE_P(
    Images, Golden,
    ::testing::Values(
        Shown{.name = "water", .scene = "dam_break", .frames = 45},
        Shown{
            .name = "water_record", .scene = "dam_break", .frames = 45, .draw = {.quality = Quality::Final}},
        Shown{.name = "water_normal", .scene = "dam_break", .frames = 45, .map = "normal"},
        Shown{.name = "water_thickness", .scene = "dam_break", .frames = 45, .map = "thickness"},
        Shown{.name = "water_speed",
              .scene = "dam_break",
              .frames = 45,
              .quantity = Quantity::Speed,
              .draw = kSpeed},
        Shown{
            .name = "water_points", .scene = "dam_break", .frames = 45, .draw = {.quality = Quality::Points}},
        Shown{
            .name = "water_spheres", .scene = "dam_break", .frames = 45, .draw = {.quality = Quality::Fast}},
        // from a corner of the pool up to its surface, and across it to the other end
        Shown{.name = "within",
              .scene = "still_tank",
              .frames = 20,
              .view = {{glm::vec3(0.35f, 0.35f, 0.35f), glm::vec3(-0.2f, 0.75f, -0.3f)}}},
        Shown{.name = "within_splash",
              .scene = "dam_break",
              .frames = 20,
              .view = {{glm::vec3(0.2f, 0.3f, 0.3f), glm::vec3(1.6f, 0.9f, -0.1f)}}},
        Shown{.name = "soft", .scene = "soft_shapes", .frames = 30},
        Shown{.name = "glass", .scene = "wine_glasses", .frames = 60},
        Shown{.name = "glass_window", .scene = "wine_glasses", .frames = 60, .draw = inStudio("window")},
        Shown{.name = "soft_softboxes", .scene = "soft_shapes", .frames = 30, .draw = inStudio("softboxes")},
        Shown{.name = "droplets", .scene = "fountain_idols", .frames = 90},
        Shown{.name = "oriented_drops", .scene = "oriented_drops", .frames = 15, .caseName = "drops"},
        Shown{.name = "foam", .scene = "whitewater", .frames = 60},
        Shown{.name = "liquids", .scene = "rayleigh_taylor", .frames = 60},
        Shown{.name = "honey", .scene = "honey_coil", .frames = 150, .caseName = "coils"},
        Shown{.name = "dye", .scene = "dye", .frames = 40},
        Shown{.name = "grains", .scene = "hourglass", .frames = 40},
        Shown{.name = "bodies", .scene = "domino_run", .frames = 40},
        Shown{.name = "cloth", .scene = "flag_wind", .frames = 30},
        Shown{.name = "rope", .scene = "rope_bridge", .frames = 40}),
    [](const auto& info) { return std::string(info.param.name); });

// The measure detects visible changes: another sun direction, or a shift by one pixel.
TEST(GoldenMeasure, DetectsSmallChanges) {
    const Pixels water = imageOf(Shown{.name = "", .scene = "dam_break", .frames = 10});
    EXPECT_EQ(psnr(water, water), 100);
    Pixels moved(water.begin() + 3, water.end());
    moved.insert(moved.end(), {0, 0, 0});
    EXPECT_LT(psnr(water, moved), 40);
    DrawOptions evening;
    evening.sunDirection += glm::vec3(0.1f, 0, 0);
    EXPECT_LT(psnr(water, imageOf(Shown{.name = "", .scene = "dam_break", .frames = 10, .draw = evening})),
              40);
}

}  // namespace
}  // namespace coalesce::test
