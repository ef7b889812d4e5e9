// The poster image of a scene: simulates up to the time given in the scene file, or takes it from a cache, then draws one
// frame.
#pragma once

#include "record/recorder.h"

namespace coalesce {

// Poster settings of the scene, overridden by the command line.
struct PosterChoice {
    SceneChoice choice;
    double time = 0;  // [s] at a frame
    Camera camera;
    double fill = 0;    // as in Poster
    std::string color;  // word of --color; empty: default
};
PosterChoice posterOf(const std::filesystem::path& scene, const SceneChoice& choice,
                      std::optional<double> time, const std::string& camera);
// Of a cache: this frame; by default the one that is nearest to the time of the scene's poster. Exit::Usage for a frame that
// the cache does not have.
PosterChoice posterOfCache(const std::filesystem::path& cache, std::optional<uint64_t> frame,
                           const std::string& camera);

// Draws the poster to a PNG. Of the options it uses those of simulation and display, and fromCache. Same command, computer and driver:
// same image.
RecordReport recordPoster(const RecordOptions& options, const PosterChoice& poster,
                          const std::filesystem::path& file);

}  // namespace coalesce
