// Joins images of one recording, drawn by one program or several, to its video.
#pragma once

#include <cstdint>
#include <filesystem>

#include "record/image_file.h"

namespace coalesce {

// Encodes frame_000000.png, … of a folder; the bytes are those of a recording that wrote
// the video itself. Returns the number of images. Exit::Usage, with their names, when
// images are missing in between or have several sizes.
uint64_t encodeImages(const std::filesystem::path& images, const std::filesystem::path& video, double fps);
// A recording of so many images would leave others in the folder, which are of another one: Exit::Usage.
void requireNoFurtherImages(const std::filesystem::path& folder, ImageFormat format, uint64_t count);

}  // namespace coalesce
