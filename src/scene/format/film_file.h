// Film files: cameras, tracks, events and shots for a scene, apart from it, so that a scene can have several
// films (--film).
#pragma once

#include <filesystem>
#include <vector>

#include "scene/format/json_text.h"

namespace coalesce {

// Adds a film to the tree of a scene file: its `tracks`, `timeline` and `shots` are appended to those of the
// scene, its `camera`, `cameras`, `poster`, `about` and `duration` replace them. Errors in it have its name.
// Paths of presets in it are relative to the film file.
void mergeFilm(Node& root, const std::filesystem::path& film, std::vector<Diagnostic>& diagnostics);

}  // namespace coalesce
