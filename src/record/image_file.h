// Names and formats of image files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fmt/format.h>

namespace coalesce {

enum class Rows { TopDown, BottomUp };

// Png: display colors, 8 bits. Exr: linear light in half precision, and distances.
enum class ImageFormat { Png, Exr };
inline constexpr const char* kImageFormatNames[] = {"png", "exr"};

// frame_000000.png, … of a recording
inline std::filesystem::path imageFile(const std::filesystem::path& folder, uint64_t number,
                                       ImageFormat format = ImageFormat::Png) {
    return folder / fmt::format("frame_{:06}.{}", number, kImageFormatNames[size_t(format)]);
}

}  // namespace coalesce
