// PNG files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

namespace coalesce {

enum class Rows { TopDown, BottomUp };

// RGBA8 pixels; the file is opaque. Atomic: writes a temporary file, then renames it. Exit::Output on
// failure.
void writePng(const std::filesystem::path& file, std::span<const uint8_t> rgba, int width, int height,
              Rows rows);

}  // namespace coalesce
