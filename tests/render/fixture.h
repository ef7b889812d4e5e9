// An OpenGL context and a renderer shared by the tests of a file; every test also checks for OpenGL errors.
#pragma once

#include <gtest/gtest.h>
#include <memory>

#include "render/gl/egl_context.h"
#include "render/renderer/renderer.h"
#include "scenes.h"

namespace coalesce::test {

// The vertical field of view [degrees] of a camera that sees this much in a square image, both ways.
inline float fovOfSquare(float degrees) {
    return 2 * glm::degrees(std::atan(std::tan(glm::radians(degrees) / 2) / kNarrowAspect));
}

class Drawing : public ::testing::Test {
protected:
    static void SetUpTestSuite() {
        EglOptions options;
        options.debug = true;
        s_context = std::make_unique<EglContext>(options);
        s_renderer = std::make_unique<Renderer>();
    }
    static void TearDownTestSuite() {
        s_renderer.reset();
        s_context.reset();
    }
    void TearDown() override {
        EXPECT_EQ(glGetError(), GLenum(GL_NO_ERROR));
        for (const std::string& error : log.errors()) ADD_FAILURE() << "OpenGL: " << error;
    }

    Renderer& renderer() { return *s_renderer; }

    // The color of the pixel that shows a point [m].
    glm::vec3 colorAt(const DumpedImage& image, const Camera& camera, glm::vec3 point) {
        const glm::vec3 at = project(camera, point, image.width, image.height);
        const float* c = image.at(int(at.x), image.height - 1 - int(at.y));
        return {c[0], c[1], c[2]};
    }

    // Returns the intermediate texture with this name after drawing.
    DumpedImage dumpAfter(const RenderFrame& frame, const GlBuffers& buffers, const Camera& camera,
                          const DrawOptions& options, int width, int height, const char* name) {
        pixels = drawImage(renderer(), frame, buffers, camera, options, width, height);
        const auto image = renderer().dump(name);
        EXPECT_TRUE(image.has_value()) << name;
        return image.value_or(DumpedImage{});
    }

    gl::DebugLog log;
    std::vector<uint8_t> pixels;  // of the last image

    static inline std::unique_ptr<EglContext> s_context;
    static inline std::unique_ptr<Renderer> s_renderer;
};

}  // namespace coalesce::test
