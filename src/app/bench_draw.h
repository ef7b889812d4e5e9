// `coalesce bench --draw WxH`: time per frame, by render pass.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "scene/format/scene.h"
#include "sim/solver/solver.h"

namespace coalesce {

struct DrawBenchOptions {
    std::string resolution;  // empty: no drawing
    std::string quality = "standard", surface = "particles", gl = "auto";
    uint64_t frames = 20;
};
// Adds no options in a build without OpenGL.
void addDrawBenchOptions(CLI::App& command, DrawBenchOptions& options);

// Draws the current state repeatedly, prints a table and returns the same numbers as JSON. Frame times are
// wall clock times until the drawing is finished; pass times are Renderer::timings.
nlohmann::ordered_json benchDrawing(const DrawBenchOptions& options, const Scene& scene, World& world,
                                    Solver& solver);

}  // namespace coalesce
