// Environment maps from image files: Radiance (.hdr) and OpenEXR (.exr).
#pragma once

#include <filesystem>

#include "render/frame/environment_map.h"

namespace coalesce {

// Exit::Usage where the file is missing, of another kind, or no equirectangular map.
EnvironmentMap readEnvironment(const std::filesystem::path& file);

}  // namespace coalesce
