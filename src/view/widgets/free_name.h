// Names of files that the window writes.
#pragma once

#include <filesystem>
#include <string>

namespace coalesce {

// The first unused name of SCENE_0001.png, SCENE_0002.png, … in the working folder.
std::filesystem::path freeName(const std::string& scene, const std::string& ending);

}  // namespace coalesce
