// Former names of keys. A key of scene_fields.h that was renamed lists its earlier names in
// KeySpec::formerNames, a parameter in former_names.def, a kind of check in CheckKind::formerName. Files with
// these names still load: they are renamed before reading, so that nothing else knows of them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "scene/format/json_text.h"

namespace coalesce {

// Gives keys and kinds of checks of a scene file their current names, in override sets too. Adds one note for
// each renamed key.
void renameFormerKeys(Node& root, std::vector<std::string>& notes);
// The same for the path and the value of --set.
void renameFormerKeys(std::string& path, Node& value);
// The current name of a case, which lists its former ones under `formerly`.
std::string currentCase(const Node& root, const std::string& name);
std::string currentCase(const std::filesystem::path& file, const std::string& name);
// The current path of a value of presets and replays.
std::string currentPath(std::string path);

}  // namespace coalesce
