// What is probably unintended in a valid scene: for `coalesce validate`, runs, recordings, and the window.
#pragma once

#include <string>
#include <vector>

#include "scene/format/scene.h"

namespace coalesce {

struct SceneWarnings {
    std::vector<std::string> warnings;  // the scene will hardly do what it is meant to
    std::vector<std::string> hints;     // it will: harmless, or less fine than its numbers suggest
};
// Particles are compared with each other and with shapes only if the scene has no more than `mostCompared`: a million
// that touch each other take 5 s.
SceneWarnings warningsOf(const Scene& scene, size_t mostCompared = size_t{1} << 20);
// Times of checks and of events. One that is late in every case of a scene is a mistake.
struct SceneTime {
    std::string what;  // "the check level is judged at 99 s"
    bool late;         // after the scene's duration
};
std::vector<SceneTime> timesOf(const Scene& scene);
// Its warnings before a run: soon, of up to 2^18 compared particles, and once each as by addOnce().
std::vector<std::string> briefWarningsOf(const Scene& scene);

// Texts that differ only in their numbers, as those of many copies of a body, are kept once. At most 20.
void addOnce(std::vector<std::string>& texts, const std::string& text);

}  // namespace coalesce
