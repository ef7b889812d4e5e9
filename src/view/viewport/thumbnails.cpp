#include "view/viewport/thumbnails.h"

#include <algorithm>
#include <memory>
#include <vector>

#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_JPEG
#define STBI_ONLY_PNG
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include <stb_image.h>
#pragma GCC diagnostic pop

namespace coalesce {

namespace {

constexpr int kLoadsPerFrame = 2;  // decoding one takes about 5 ms
constexpr int kWidth = 320;        // [px] wider ones are downsampled

struct Image {
    int width = 0, height = 0;
    std::vector<uint8_t> rgba;
};

// Box filter over whole blocks of pixels; the result is less than twice as wide as kWidth.
Image downsampled(const uint8_t* rgba, int width, int height) {
    const int block = std::max(1, width / kWidth);
    Image image{width / block, height / block, {}};
    image.rgba.resize(size_t{4} * image.width * image.height);
    for (int y = 0; y < image.height; ++y)
        for (int x = 0; x < image.width; ++x)
            for (int c = 0; c < 4; ++c) {
                int sum = 0;
                for (int j = 0; j < block; ++j)
                    for (int i = 0; i < block; ++i)
                        sum += rgba[4 * (size_t(y * block + j) * width + x * block + i) + c];
                image.rgba[4 * (size_t(y) * image.width + x) + c] = uint8_t(sum / (block * block));
            }
    return image;
}

Image load(const std::filesystem::path& file) {
    int width = 0, height = 0, channels = 0;
    const std::unique_ptr<uint8_t, void (*)(void*)> pixels(
        stbi_load(file.c_str(), &width, &height, &channels, 4), stbi_image_free);
    return pixels && width > 0 && height > 0 ? downsampled(pixels.get(), width, height) : Image{};
}

}  // namespace

GLuint Thumbnails::of(const std::string& scene) {
    if (const auto known = m_textures.find(scene); known != m_textures.end()) return known->second.id();
    if (m_loaded >= kLoadsPerFrame) return 0;
    gl::Texture& texture = m_textures[scene];  // stays empty if there is no file
    for (const char* ending : {".jpg", ".png"}) {
        const std::filesystem::path file = m_folder / (scene + ending);
        std::error_code missing;
        if (!std::filesystem::is_regular_file(file, missing)) continue;
        ++m_loaded;
        const Image image = load(file);
        if (image.width == 0) continue;
        texture = gl::Texture(GL_RGBA8, image.width, image.height, GL_LINEAR);
        glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
        glTextureSubImage2D(texture.id(), 0, 0, 0, image.width, image.height, GL_RGBA, GL_UNSIGNED_BYTE,
                            image.rgba.data());
        break;
    }
    return texture.id();
}

}  // namespace coalesce
