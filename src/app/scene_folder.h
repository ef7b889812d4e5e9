// Where scenes are found.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace coalesce {

// scenes/ here, or that of the source tree.
std::filesystem::path sceneFolder();

// The *.json files of a folder, by name. An empty folder means sceneFolder().
std::vector<std::filesystem::path> sceneFiles(const std::string& folder = {});

}  // namespace coalesce
