// Reads scene files.
#pragma once

#include <filesystem>
#include <string>

#include "scene/format/scene.h"

namespace coalesce {

// Reads a scene file (JSON with comments). Reports all of its errors, each with file, line, JSON path, the
// nearest known name and what to do: SceneError. Throws Error, Exit::Scene if the file cannot be read.
Scene readScene(const std::filesystem::path& file, const SceneChoice& choice = {});
// For lists of scenes: reads all keys, without validating the scene as a whole and without reading meshes.
// The result cannot be built. Reports errors as readScene does.
Scene readSceneFields(const std::filesystem::path& file);
// Reads from a text; `file` is used in messages only.
Scene readSceneText(const std::string& text, const std::filesystem::path& file,
                    const SceneChoice& choice = {});

}  // namespace coalesce
