// What is known of how the pictures in the window are made.
#pragma once

#include <span>
#include <string>

#include "render/renderer/renderer.h"

namespace coalesce {

struct DrawFacts {
    const char* path = "";      // how particles come to the graphics side
    std::string renderer = {};  // OpenGL's name for what draws
    double frameMs = 0;         // wall time between two pictures
    std::span<const PassTime> passes = {};
    std::string shaderErrors = {};  // empty: none
};

}  // namespace coalesce
