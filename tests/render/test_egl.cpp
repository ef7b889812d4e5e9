#include <gtest/gtest.h>

#include "render/gl/egl_context.h"
#include "render/gl/gl_buffers.h"

namespace coalesce {
namespace {

TEST(GlChoice, ParsesOptionValues) {
    EXPECT_EQ(parseGlChoice("auto").kind, GlChoice::Kind::Auto);
    EXPECT_EQ(parseGlChoice("window").kind, GlChoice::Kind::Window);
    EXPECT_EQ(parseGlChoice("surfaceless").kind, GlChoice::Kind::Surfaceless);
    EXPECT_EQ(parseGlChoice("egl:12").kind, GlChoice::Kind::EglDevice);
    EXPECT_EQ(parseGlChoice("egl:12").device, 12);
    for (const char* wrong : {"", "egl", "egl:", "egl:x", "egl:1x", "egl:-1", "glx"}) {
        try {
            parseGlChoice(wrong);
            ADD_FAILURE() << wrong;
        } catch (const std::invalid_argument& error) {
            EXPECT_NE(std::string(error.what()).find("surfaceless"), std::string::npos);
        }
    }
}

TEST(EglContext, ProvidesOpenGl45WithADescription) {
    const EglContext context;
    GLint major = 0, minor = 0;
    glGetIntegerv(GL_MAJOR_VERSION, &major);
    glGetIntegerv(GL_MINOR_VERSION, &minor);
    EXPECT_GE(10 * major + minor, 45);
    EXPECT_NE(context.description().find(gl::rendererName()), std::string::npos);
}

TEST(EglContext, UnknownDeviceListsWhatWasTried) {
    EglOptions options;
    options.choice = parseGlChoice("egl:99");
    try {
        const EglContext context(options);
        FAIL();
    } catch (const GlUnavailable& error) {
        EXPECT_NE(std::string(error.what()).find("EGL device 99"), std::string::npos);
        EXPECT_NE(std::string(error.what()).find("Tried:"), std::string::npos);
    }
}

TEST(EglContext, CanBeReleasedAndMadeCurrentAgain) {
    EglContext context;
    context.release();
    context.makeCurrent();
    EXPECT_NE(glGetString(GL_VERSION), nullptr);
}

TEST(GlBuffers, GrowingChangesTheNameAndUploadsAreKept) {
    const EglContext context;
    GlBuffers buffers;
    EXPECT_EQ(buffers.id(Slot::Pos), 0u);
    buffers.reserve(Slot::Pos, 0);  // OpenGL has no empty buffers
    EXPECT_NE(buffers.id(Slot::Pos), 0u);
    const uint32_t first = buffers.generation(Slot::Pos);
    std::vector<float> data(1000);
    for (size_t k = 0; k < data.size(); ++k) data[k] = float(k);
    buffers.upload(Slot::Pos, data.data(), data.size() * sizeof(float));
    EXPECT_EQ(buffers.generation(Slot::Pos), first + 1);
    EXPECT_GE(buffers.capacity(Slot::Pos), 4000u);
    buffers.upload(Slot::Pos, data.data(), 400);  // fits: same name
    EXPECT_EQ(buffers.generation(Slot::Pos), first + 1);
    std::vector<float> back(1000);
    glGetNamedBufferSubData(buffers.id(Slot::Pos), 0, 4000, back.data());
    EXPECT_EQ(back, data);
    EXPECT_EQ(glGetError(), GLenum(GL_NO_ERROR));
}

}  // namespace
}  // namespace coalesce
