// Which other files a scene is made of.
#pragma once

#include <filesystem>
#include <vector>

#include "scene/format/scene.h"

namespace coalesce {

// Where a file that a scene names is: counted from the scene's own folder.
std::filesystem::path placeOfFile(const Scene& scene, const std::filesystem::path& file);
// The meshes of bodies, prefabs, shapes, sinks and emitters, there or not; each once.
std::vector<std::filesystem::path> filesOf(const Scene& scene);

}  // namespace coalesce
