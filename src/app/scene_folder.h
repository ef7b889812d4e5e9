// Where scenes are found.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace coalesce {

// scenes/ here, or that of the source tree.
std::filesystem::path sceneFolder();

// The file that a path or the bare name of a scene in sceneFolder() means.
std::filesystem::path sceneFile(const std::string& name);

// The *.json files of a folder, by name. An empty folder means sceneFolder().
std::vector<std::filesystem::path> sceneFiles(const std::string& folder = {});

}  // namespace coalesce
