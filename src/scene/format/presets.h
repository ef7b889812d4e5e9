// Presets: named sets of values, as JSON files in a folder.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "scene/format/edits.h"

namespace coalesce {

struct Preset {
    std::filesystem::path file;  // "" before it is written
    std::string about;
    std::string scene;  // name of the scene that it was created with; it may be applied to others
    std::vector<Edit> values;
    std::vector<int> lines;  // of the values in the file
};

// Values of the manifests that differ from their defaults; other values have no default.
std::vector<Edit> differencesFromDefaults(const Scene& scene);

// Reports all errors with line and path: SceneError.
Preset readPreset(const std::filesystem::path& file);
// The values of the preset for this scene. Rejects values that the scene does not have, with the line and the
// nearest path: SceneError.
std::vector<Edit> valuesFor(const Scene& scene, const Preset& preset);
// Replaces the file atomically. Exit::Output.
void writePreset(const Preset& preset, const std::filesystem::path& file);

// Folder of the user's presets, in configFolder(); empty without one.
std::filesystem::path presetFolder();
// The file of a preset by its name. Rejects names that are not valid file names: Exit::Usage.
std::filesystem::path presetFile(const std::filesystem::path& folder, const std::string& name);

// The file of a preset: a path, or a name in the first of the folders that has it. Exit::Scene where none has;
// rejects names as presetFile() does.
std::filesystem::path findPreset(const std::vector<std::filesystem::path>& folders, const std::string& name);

struct PresetEntry {
    std::filesystem::path file;
    std::string name, about, scene;
    std::string error;  // error in the file; empty: valid
};
// The presets in a folder, sorted by name; empty without a folder.
std::vector<PresetEntry> listPresets(const std::filesystem::path& folder);

}  // namespace coalesce
