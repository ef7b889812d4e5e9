// The picture that stands for a scene: simulated up to the moment that its file names, then drawn once.
#pragma once

#include "record/recorder.h"

namespace coalesce {

// What the scene's poster says, where the command line says nothing: moment, size, case, camera.
struct PosterChoice {
    SceneChoice choice;
    double time = 0;  // [s] a frame's
    Camera camera;
    std::string color;  // word of --color; empty: as one would see it
};
PosterChoice posterOf(const std::filesystem::path& scene, const SceneChoice& choice,
                      std::optional<double> time, const std::string& camera);

// Draws it into a PNG. Of the options those that say what is simulated and what it looks like; same command,
// same machine and driver: same picture.
RecordReport recordPoster(const RecordOptions& options, const PosterChoice& poster,
                          const std::filesystem::path& file);

}  // namespace coalesce
