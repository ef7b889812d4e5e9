// Environment maps from files, against images written here.
#include <ImfRgbaFile.h>
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "core/error.h"
#include "record/environment_file.h"
#include "support/temporary_folder.h"

namespace coalesce::test {
namespace {

constexpr int kMapWidth = 64, kMapHeight = 32;

glm::vec3 lightAt(int x, int y) {
    return {0.25f * float(x + 1), 2.0f + float(y), 0.5f};
}

// Radiance: four bytes per pixel, mantissas and a common exponent, without run lengths.
void writeHdr(const std::filesystem::path& file) {
    std::string bytes = "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 32 +X 64\n";
    for (int y = 0; y < kMapHeight; ++y)
        for (int x = 0; x < kMapWidth; ++x) {
            const glm::vec3 light = lightAt(x, y);
            int exponent = 0;
            std::frexp(std::max({light.x, light.y, light.z}), &exponent);
            for (int k = 0; k < 3; ++k) bytes += char(uint8_t(std::ldexp(light[k], 8 - exponent)));
            bytes += char(uint8_t(exponent + 128));
        }
    writeText(file, bytes);
}

void writeExr(const std::filesystem::path& file, int width, int height,
              Imf::RgbaChannels channels = Imf::WRITE_RGBA) {
    std::vector<Imf::Rgba> pixels;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            const glm::vec3 light = lightAt(x, y);
            pixels.emplace_back(light.x, light.y, light.z, 1.0f);
        }
    Imf::RgbaOutputFile out(file.c_str(), width, height, channels);
    out.setFrameBuffer(pixels.data(), 1, size_t(width));
    out.writePixels(height);
}

std::string problemOf(const std::filesystem::path& file) {
    try {
        readEnvironment(file);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

class EnvironmentFiles : public ::testing::Test {
protected:
    TemporaryFolder folder;
};

TEST_F(EnvironmentFiles, BothFormatsAreReadFromTheUpperRowDown) {
    writeHdr(folder / "map.hdr");
    writeExr(folder / "map.exr", kMapWidth, kMapHeight);
    for (const char* name : {"map.hdr", "map.exr"}) {
        const EnvironmentMap map = readEnvironment(folder / name);
        EXPECT_EQ(map.name, name);
        EXPECT_TRUE(map.background);
        const EnvironmentMap::Level& level = map.levels.front();
        ASSERT_EQ(level.width, kMapWidth);
        ASSERT_EQ(level.height, kMapHeight);
        for (int y = 0; y < kMapHeight; ++y)
            for (int x = 0; x < kMapWidth; ++x) {
                const glm::vec3 expected = lightAt(x, y), found = level.light[size_t(y * kMapWidth + x)];
                // Radiance has 8 bits relative to the largest channel
                EXPECT_LT(glm::distance(found, expected), 0.02f * std::max(expected.x, expected.y))
                    << name << x << y;
            }
    }
}

TEST_F(EnvironmentFiles, WhatIsNoMapIsNamed) {
    EXPECT_NE(problemOf(folder / "none.hdr").find("no such file"), std::string::npos);
    writeText(folder / "text.hdr", "not an image");
    EXPECT_NE(problemOf(folder / "text.hdr").find("no Radiance image"), std::string::npos);
    writeText(folder / "text.exr", "not an image");
    EXPECT_NE(problemOf(folder / "text.exr").find("OpenEXR"), std::string::npos);
    writeExr(folder / "alpha.exr", kMapWidth, kMapHeight, Imf::WRITE_A);
    EXPECT_NE(problemOf(folder / "alpha.exr").find("no channels R, G and B"), std::string::npos);
    writeExr(folder / "square.exr", 32, 32);
    EXPECT_NE(problemOf(folder / "square.exr").find("twice as wide as high"), std::string::npos);
}

}  // namespace
}  // namespace coalesce::test
