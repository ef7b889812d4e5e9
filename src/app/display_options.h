// Display options, shared by view and record.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bridge/draw_arrays.h"
#include "render/gl/egl_context.h"
#include "render/renderer/renderer.h"

namespace coalesce {

struct DisplayOptions {
    std::string resolution = "1280x720", quality = "standard", color = "surface", shapes = "solid",
                cloth = "solid", gas = "material", gl = "auto", camera, clip, background = "studio",
                ground = "auto", buffer = "none", label, environment;
    int ssaa = 1, grains = DrawOptions().grains;
    std::vector<std::string> lines;
    bool contactLines = false, springLines = false;
    std::vector<float> sun;    // azimuth, elevation [deg]; empty: default of the background
    std::vector<float> range;  // of the colors, lowest and highest value; empty: range of each frame
    float exposure = DrawOptions().exposure, split = DrawOptions().split;
    std::string surface = "particles";
    SurfaceOptions mesh;  // where liquids are drawn as meshes; added by the commands

    int width() const, height() const;  // [px]; Exit::Usage when malformed
    DrawOptions draw() const;
    std::shared_ptr<const EnvironmentMap> environmentMap() const;  // null: none; Exit::Usage
    std::optional<SurfaceOptions> surfaceMesh() const;  // none: liquids are drawn from their particles
    Quantity quantity() const;
    LineSet lineSet() const;
    GlChoice glChoice() const;                    // Exit::Usage
    void chooseColor(const std::string& chosen);  // like --color; Exit::Usage
};
// Exit::Usage
ClipPlane parseClipPlane(const std::string& text);
// --quality of a command.
void addQualityOption(CLI::App& command, std::string& quality, const std::string& about);
void addDisplayOptions(CLI::App& command, DisplayOptions& options);

}  // namespace coalesce
