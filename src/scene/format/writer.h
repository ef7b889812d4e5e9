// Writes scenes as JSON, and the schema of scene files.
#pragma once

#include <string>

#include "scene/format/scene.h"

namespace coalesce {

// The resolved scene as JSON that reads back to the same scene. The override sets of its size and case are
// empty.
std::string writeScene(const Scene& scene);
// A film file with these commands, each on a line of its own; duration [s]. scene: that of the film.
std::string writeFilm(const std::string& about, double duration, std::vector<TimedCommand> timeline,
                      const Scene& scene);
// JSON schema (draft 2020-12) of scene files, from the same declarations as reader and writer.
std::string sceneSchema();

}  // namespace coalesce
