// What is probably unintended in a valid scene: for `coalesce validate`, reports of runs, and the window.
#pragma once

#include <string>
#include <vector>

#include "scene/format/scene.h"

namespace coalesce {

struct SceneWarnings {
    std::vector<std::string> warnings;  // the scene will hardly do what it is meant to
    std::vector<std::string> hints;     // it will, but less finely than its numbers suggest
};
// Places all particles on the host, some 0.1 s for 100,000. Those of more than 2^20 are not compared with each other or
// with shapes.
SceneWarnings warningsOf(const Scene& scene);

// Texts that differ only in their numbers, as those of many copies of a body, are kept once. At most 20.
void addOnce(std::vector<std::string>& texts, const std::string& text);

}  // namespace coalesce
