// Presets: values by their paths, under a name, as JSON files in a folder.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "scene/format/edits.h"

namespace coalesce {

struct Preset {
    std::filesystem::path file;  // "" before it is written
    std::string about;
    std::string scene;  // name of the one that it was made with; it may serve others
    std::vector<Edit> values;
    std::vector<int> lines;  // of the values in the file
};

// What of the manifests is not as it is by default. What a default is of each other thing, nobody can say.
std::vector<Edit> differencesFromDefaults(const Scene& scene);

// Every mistake is reported with line and path: SceneError.
Preset readPreset(const std::filesystem::path& file);
// The values that the preset gives this scene. What the scene has no place for is refused, with the line and
// the nearest path that it has: SceneError.
std::vector<Edit> valuesFor(const Scene& scene, const Preset& preset);
// All of it or nothing. Exit::Output.
void writePreset(const Preset& preset, const std::filesystem::path& file);

// Where a person's presets are: in configFolder(); empty where there is none.
std::filesystem::path presetFolder();
// The file of a preset by this name: letters that no file name has are refused, Exit::Usage.
std::filesystem::path presetFile(const std::filesystem::path& folder, const std::string& name);

struct PresetEntry {
    std::filesystem::path file;
    std::string name, about, scene;
    std::string error;  // what is wrong with the file; empty: nothing
};
// Those of a folder, by name; none where there is no folder.
std::vector<PresetEntry> listPresets(const std::filesystem::path& folder);

}  // namespace coalesce
