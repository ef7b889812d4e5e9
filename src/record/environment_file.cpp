#include "record/environment_file.h"

#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_HDR
#include <ImfArray.h>
#include <ImfRgbaFile.h>
#include <cmath>
#include <memory>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include <stb_image.h>
#pragma GCC diagnostic pop

#include "core/error.h"

namespace coalesce {

namespace fs = std::filesystem;

namespace {

constexpr int kLeastWidth = 16, kMostWidth = 16384;  // [px]

void checkSize(const fs::path& file, int width, int height) {
    if (width < kLeastWidth || width > kMostWidth || width != 2 * height)
        fail(Exit::Usage, file.string(),
             "an image of " + std::to_string(width) + "x" + std::to_string(height) +
                 " is no equirectangular environment map",
             "Give one that is twice as wide as high, " + std::to_string(kLeastWidth) + " to " +
                 std::to_string(kMostWidth) + " pixels wide.");
}

EnvironmentMap mapOf(const fs::path& file, int width, int height, std::vector<glm::vec3> light) {
    for (glm::vec3& at : light) {
        for (int k = 0; k < 3; ++k)
            if (std::isnan(at[k]))
                fail(Exit::Usage, file.string(), "a pixel is not a number", "Save the image again.");
        at = glm::clamp(at, glm::vec3(0), glm::vec3(65504));  // the range of 16-bit floats
    }
    EnvironmentMap map = environmentOf(width, height, std::move(light));
    map.name = file.filename().string();
    return map;
}

EnvironmentMap readHdr(const fs::path& file) {
    int width = 0, height = 0, channels = 0;
    if (!stbi_info(file.c_str(), &width, &height, &channels))
        fail(Exit::Usage, file.string(), "no Radiance image", "Give a .hdr or .exr file.");
    checkSize(file, width, height);
    const std::unique_ptr<float, void (*)(void*)> pixels(
        stbi_loadf(file.c_str(), &width, &height, &channels, 3), stbi_image_free);
    if (!pixels) fail(Exit::Usage, file.string(), "the image is damaged", "Save it again.");
    std::vector<glm::vec3> light(size_t(width) * size_t(height));
    for (size_t k = 0; k < light.size(); ++k)
        light[k] = {pixels.get()[3 * k], pixels.get()[3 * k + 1], pixels.get()[3 * k + 2]};
    return mapOf(file, width, height, std::move(light));
}

EnvironmentMap readExr(const fs::path& file) {
    try {
        Imf::RgbaInputFile in(file.c_str());
        // missing channels would read as zeros
        if ((in.channels() & Imf::WRITE_RGB) != Imf::WRITE_RGB && !(in.channels() & Imf::WRITE_Y))
            fail(Exit::Usage, file.string(), "the image has no channels R, G and B",
                 "Save it with one layer of colors.");
        const Imath::Box2i window = in.dataWindow();
        const int width = window.max.x - window.min.x + 1, height = window.max.y - window.min.y + 1;
        checkSize(file, width, height);
        Imf::Array2D<Imf::Rgba> pixels(height, width);
        in.setFrameBuffer(&pixels[0][0] - window.min.x - window.min.y * width, 1, size_t(width));
        in.readPixels(window.min.y, window.max.y);
        std::vector<glm::vec3> light;
        light.reserve(size_t(width) * size_t(height));
        for (int y = 0; y < height; ++y)
            for (int x = 0; x < width; ++x)
                light.emplace_back(float(pixels[y][x].r), float(pixels[y][x].g), float(pixels[y][x].b));
        return mapOf(file, width, height, std::move(light));
    } catch (const Error&) {
        throw;
    } catch (const std::exception& error) {
        fail(Exit::Usage, file.string(), std::string("not readable as OpenEXR: ") + error.what(),
             "Give a .hdr or .exr file.");
    }
}

}  // namespace

EnvironmentMap readEnvironment(const fs::path& file) {
    std::error_code failed;
    if (!fs::is_regular_file(file, failed))
        fail(Exit::Usage, "--environment " + file.string(), "no such file", "Check the path.");
    return file.extension() == ".exr" || file.extension() == ".EXR" ? readExr(file) : readHdr(file);
}

}  // namespace coalesce
