#include "record/png.h"

#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <cstring>
#include <new>
#include <stb_image_write.h>
#include <vector>

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

}  // namespace coalesce
