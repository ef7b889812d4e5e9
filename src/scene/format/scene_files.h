// The files that a scene refers to.
#pragma once

#include <filesystem>
#include <vector>

#include "scene/format/scene.h"

namespace coalesce {

// Path of a file that a scene names, relative to the scene's folder.
std::filesystem::path resolvePath(const Scene& scene, const std::filesystem::path& file);
// The mesh file of a solid; empty: it has none, or its shape replaces the one that is missing.
std::filesystem::path meshFileOf(const Scene& scene, const SolidSpec& spec);
// Meshes of bodies, prefabs, shapes, sinks and emitters, existing or not, without duplicates.
std::vector<std::filesystem::path> filesOf(const Scene& scene);

// The same with the scene file.
std::vector<std::filesystem::path> filesReadBy(const Scene& scene);

}  // namespace coalesce
