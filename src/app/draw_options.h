// Options of what a picture looks like, shared by view and record.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "bridge/draw_arrays.h"
#include "render/gl/egl_context.h"
#include "render/renderer/renderer.h"

namespace coalesce {

struct LookOptions {
    std::string resolution = "1280x720", quality = "ellipsoids", color = "surface", shapes = "solid",
                cloth = "solid", gl = "auto", camera, background = "studio", ground = "auto", buffer = "none";
    int ssaa = 1;
    std::vector<std::string> lines;
    bool contactLines = false, springLines = false;
    std::vector<float> sun;    // azimuth, elevation [deg]; empty: the background's
    std::vector<float> range;  // of the colors, lowest and highest value; empty: that of each picture
    float exposure = DrawOptions().exposure, split = DrawOptions().split;

    int width() const, height() const;  // [px]; Exit::Usage when the text is none
    DrawOptions draw() const;
    Quantity quantity() const;
    LineSet lineSet() const;
    GlChoice glChoice() const;                  // Exit::Usage
    void chooseColor(const std::string& word);  // as --color does; Exit::Usage
};
void addLookOptions(CLI::App& command, LookOptions& options);

}  // namespace coalesce
