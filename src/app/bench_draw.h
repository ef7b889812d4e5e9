// `coalesce bench --draw WxH`: how long a picture takes, pass by pass.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "scene/format/scene.h"
#include "sim/solver/solver.h"

namespace coalesce {

struct DrawBenchOptions {
    std::string resolution;  // empty: nothing is drawn
    std::string quality = "ellipsoids", gl = "auto";
    uint64_t frames = 20;
};
// Nothing in a build without pictures.
void addDrawBenchOptions(CLI::App& command, DrawBenchOptions& options);

// Draws the present state again and again, prints a table and hands out the same numbers. Times are of the
// wall clock with the drawing finished, those of the passes as Renderer::timings.
nlohmann::ordered_json benchDrawing(const DrawBenchOptions& options, const Scene& scene, World& world,
                                    Solver& solver, const ExecOptions& exec);

}  // namespace coalesce
