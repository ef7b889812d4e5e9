#include "record/png.h"

#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_PNG
#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <cstring>
#include <memory>
#include <new>
#include <stb_image.h>
#include <stb_image_write.h>

#include "core/error.h"
#include "core/whole_file.h"

namespace coalesce {

namespace fs = std::filesystem;

void writePng(const fs::path& file, std::span<const uint8_t> rgba, int width, int height, Rows rows) {
    CHECK_EQ(rgba.size(), size_t{4} * width * height);
    // alpha has no meaning here and would confuse image viewers
    std::vector<uint8_t> rgb(size_t{3} * width * height);
    for (int y = 0; y < height; ++y) {
        const uint8_t* from = &rgba[size_t{4} * width * (rows == Rows::TopDown ? y : height - 1 - y)];
        uint8_t* to = &rgb[size_t{3} * width * y];
        for (int x = 0; x < width; ++x, from += 4, to += 3) std::memcpy(to, from, 3);
    }

    std::string bytes;
    const auto append = [](void* context, void* data, int size) {
        static_cast<std::string*>(context)->append(static_cast<const char*>(data), size_t(size));
    };
    if (!stbi_write_png_to_func(append, &bytes, width, height, 3, rgb.data(), 3 * width))
        throw std::bad_alloc();  // its only failure
    writeFile(file, bytes);
}

Image readPng(const fs::path& file, Rows rows) {
    Image image;
    const std::unique_ptr<stbi_uc, void (*)(void*)> pixels(
        stbi_load(file.c_str(), &image.width, &image.height, nullptr, 4), stbi_image_free);
    if (!pixels)
        fail(Exit::Output, file.string(), std::string("the image cannot be read: ") + stbi_failure_reason(),
             "Record it again.");
    const size_t row = size_t{4} * image.width;
    image.rgba.resize(row * image.height);
    for (int y = 0; y < image.height; ++y)
        std::memcpy(&image.rgba[row * (rows == Rows::TopDown ? y : image.height - 1 - y)],
                    pixels.get() + row * y, row);
    return image;
}

}  // namespace coalesce
