// The first frame of every scene in scenes/, in all qualities and as particles with debug lines: no OpenGL
// errors, and the image is not empty.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>
#include <set>

#include "bridge/frame_source.h"
#include "bridge/scene_camera.h"
#include "core/error.h"
#include "render/gl/egl_context.h"
#include "render/renderer/renderer.h"
#include "scene/build/build.h"
#include "scene/reader.h"
#include "scene/timeline/timeline.h"
#include "sim/solver/solver.h"

namespace coalesce::test {
namespace {

constexpr int kWidth = 160, kHeight = 90;

std::vector<std::filesystem::path> sceneFiles() {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(COALESCE_SOURCE_DIR "/scenes"))
        if (entry.path().extension() == ".json") files.push_back(entry.path());
    std::ranges::sort(files);
    return files;
}

// All scenes together build in 15 s, so none is skipped.
TEST(AllScenes, DrawWithoutOpenGlErrors) {
    EglOptions egl;
    egl.debug = true;
    EglContext context(egl);
    gl::DebugLog log;
    Renderer renderer;
    RenderTarget target(kWidth, kHeight);
    Exec exec({.backend = "cpu"});
    const std::vector<std::filesystem::path> files = sceneFiles();
    ASSERT_GT(files.size(), 50u);
    for (size_t f = 0; f < files.size(); ++f) {
        SCOPED_TRACE(files[f].filename().string());
        const Scene scene = readScene(files[f], {.size = "ci", .caseName = "", .sets = {}, .seed = {}});
        World world(exec);
        try {
            buildWorld(scene, world);
        } catch (const Error& error) {
            if (error.code != Exit::Unavailable) throw;
            continue;  // this program was built without a library that the scene needs
        }
        Solver solver(world);
        Timeline timeline(scene);
        timeline.catchUp(world);
        timeline.advance(world);
        solver.step();
        GlBuffers buffers;
        const std::unique_ptr<FrameSource> source = makeFrameSource(world, solver, [](const std::string&) {});
        RenderFrame frame;
        const Camera camera = cameraOf(scene.cameras[findCamera(scene, "")]);
        const auto draw = [&](const DrawRequest& request, const DrawOptions& options) {
            source->publish(request, buffers, frame);
            renderer.draw(frame, buffers, camera, options, target.output());
            const std::vector<uint8_t> pixels = readPixels(target.output());
            std::set<std::array<uint8_t, 3>> colors;
            for (size_t k = 0; k < pixels.size(); k += 4)
                colors.insert({pixels[k], pixels[k + 1], pixels[k + 2]});
            EXPECT_GT(colors.size(), 5u) << "a uniform image";
            const auto light = renderer.dump("sceneColor");
            ASSERT_TRUE(light);
            EXPECT_TRUE(std::ranges::all_of(light->pixels, [](float v) { return std::isfinite(v); }));
        };
        for (const Quality quality : {Quality::Points, Quality::Fast, Quality::Standard, Quality::Final}) {
            SCOPED_TRACE("quality " + std::to_string(int(quality)));
            draw({.ellipsoids = quality >= Quality::Standard}, {.quality = quality});
        }
        // a debug view per scene, in turn; and half of all lines
        const QuantityInfo& quantity = kQuantities[f % kQuantities.size()];
        SCOPED_TRACE(quantity.word);
        DrawRequest request{.quantity = quantity.quantity, .ellipsoids = false};
        for (size_t k = f % 2; k < kLineViews.size(); k += 2) request.lines.set(kLineViews[k].view);
        if (world.count() > 0) request.picked = world.particles.id.download()[world.count() / 2];
        draw(request, {.mode = DrawMode::Particles, .colorBy = quantity.map});
        EXPECT_EQ(glGetError(), GLenum(GL_NO_ERROR));
        for (const std::string& error : log.errors()) ADD_FAILURE() << "OpenGL: " << error;
        log.clear();
    }
}

}  // namespace
}  // namespace coalesce::test
