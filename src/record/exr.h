// OpenEXR files.
#pragma once

#include <filesystem>
#include <span>

#include "record/image_file.h"
#include "record/passes.h"

namespace coalesce {

// Channels R, G, B (half; linear light, primaries of BT.709) and Z (float; distance along the view axis [m]),
// lossless. rgbz: four per pixel. passes: further channels normal.X … id (float), in the same order of rows.
// framesPerSecond goes to the header. Atomic; equal pixels give equal bytes. Exit::Output on failure.
void writeExr(const std::filesystem::path& file, std::span<const float> rgbz, int width, int height,
              Rows rows, double framesPerSecond, std::span<const PassValues> passes = {});

}  // namespace coalesce
