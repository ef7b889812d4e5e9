#include <gtest/gtest.h>

#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_PNG
#include <stb_image.h>

#include "core/error.h"
#include "decode.h"
#include "record/png.h"
#include "support/small_scene.h"

namespace coalesce::test {

Decoded decodePng(const std::filesystem::path& file) {
    Decoded image;
    int channels = 0;
    uint8_t* pixels = stbi_load(file.c_str(), &image.width, &image.height, &channels, 3);
    if (!pixels) return image;
    EXPECT_EQ(channels, 3) << "the file is opaque";
    image.rgb.assign(pixels, pixels + size_t{3} * image.width * image.height);
    stbi_image_free(pixels);
    return image;
}

namespace {

// 3 × 2: red, green, blue over gray, white, black
const std::vector<uint8_t> kSix = {255, 0,   0,   9, 0,   255, 0,   9, 0, 0, 255, 9,
                                   128, 128, 128, 9, 255, 255, 255, 9, 0, 0, 0,   9};

TEST(Png, KeepsEveryPixelInBothRowOrders) {
    const TemporaryFolder folder;
    writePng(folder / "down.png", kSix, 3, 2, Rows::TopDown);
    const Decoded down = decodePng(folder / "down.png");
    ASSERT_EQ(down.width, 3);
    ASSERT_EQ(down.height, 2);
    EXPECT_EQ(down.at(0, 0), (std::array{255, 0, 0}));
    EXPECT_EQ(down.at(2, 0), (std::array{0, 0, 255}));
    EXPECT_EQ(down.at(0, 1), (std::array{128, 128, 128}));

    writePng(folder / "up.png", kSix, 3, 2, Rows::BottomUp);
    const Decoded up = decodePng(folder / "up.png");
    EXPECT_EQ(up.at(0, 1), (std::array{255, 0, 0}));
    EXPECT_EQ(up.at(1, 0), (std::array{255, 255, 255}));
}

TEST(Png, FailedWritesLeaveNothingBehind) {
    const TemporaryFolder folder;
    try {
        writePng(folder / "missing" / "a.png", kSix, 3, 2, Rows::TopDown);
        FAIL() << "a folder that does not exist was accepted";
    } catch (const Error& error) {
        EXPECT_EQ(error.code, Exit::Output);
        EXPECT_NE(std::string(error.what()).find("a.png"), std::string::npos);
    }
    // the name is taken by a folder: the rename fails, and the temporary file must be removed
    std::filesystem::create_directory(folder / "b.png");
    writeText(folder / "b.png" / "inside", "x");
    EXPECT_THROW(writePng(folder / "b.png", kSix, 3, 2, Rows::TopDown), Error);
    EXPECT_FALSE(std::filesystem::exists(folder / "b.png.part"));
}

}  // namespace
}  // namespace coalesce::test
