// How the displayed frames are rendered, for the performance page and notices.
#pragma once

#include <span>
#include <string>

#include "render/renderer/renderer.h"

namespace coalesce {

struct DrawFacts {
    const char* path = "";                       // how particle data gets to the renderer
    std::string renderer = {};                   // OpenGL renderer
    bool software = false;                       // it runs on the CPU
    bool draft = false;                          // the view is a draft
    bool points = false;                         // with the quality Points
    glm::vec3 lower{-1, 0, -1}, upper{1, 1, 1};  // [m] bounds of what moves
    double frameMs = 0;                          // wall time between two displayed frames
    std::span<const PassTime> passes = {};
    std::string shaderErrors = {};  // empty: none
};

}  // namespace coalesce
