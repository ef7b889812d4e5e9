// PNG files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "record/image_file.h"

namespace coalesce {

// RGBA8 pixels; the file is opaque. Atomic: writes a temporary file, then renames it. Exit::Output on
// failure.
void writePng(const std::filesystem::path& file, std::span<const uint8_t> rgba, int width, int height,
              Rows rows);

struct Image {
    int width = 0, height = 0;
    std::vector<uint8_t> rgba;
};
// Exit::Output for a file that is missing or no image.
Image readPng(const std::filesystem::path& file, Rows rows);

}  // namespace coalesce
