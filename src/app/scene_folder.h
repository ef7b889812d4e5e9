// Location of the scene files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace coalesce {

// scenes/ in the current folder, else in the source tree.
std::filesystem::path sceneFolder();

// The folder of the presets that come with the scenes.
std::filesystem::path shippedPresets();

// Resolves a path, or the bare name of a scene in sceneFolder(). Exit::Scene for a bare name of none.
std::filesystem::path sceneFile(const std::string& name);

// The file of a film or sweep: a path, or a bare name in this folder of sceneFolder() ("films", "sweeps").
// Exit::Scene for a bare name of none.
std::filesystem::path shippedFile(const std::string& folder, const std::filesystem::path& name);

// The *.json files of a folder, sorted by name. An empty folder means sceneFolder().
std::vector<std::filesystem::path> sceneFiles(const std::string& folder = {});

}  // namespace coalesce
