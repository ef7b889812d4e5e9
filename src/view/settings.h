// What the window keeps between two runs. No window, no OpenGL.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "render/renderer.h"
#include "view/rewind.h"

namespace coalesce {

struct Settings {
    int width = 1280, height = 720;  // [px] of the window
    float panelWidth = 0;            // [px] 0: as wide as the panel likes
    float fontScale = 1;             // of the display's own size
    Quality quality = Quality::Ellipsoids;
    Background background = Background::Studio;
    Ground ground = Ground::Auto;
    float exposure = 0.9f;  // [-]
    RewindLimits rewind;
    std::vector<std::filesystem::path> recent;  // scenes, the last one first

    // What of the look was changed since the start, and so is wanted again. What the command line gave was
    // meant for one run, and is not.
    void takeChanges(const DrawOptions& start, const DrawOptions& now);

    static constexpr size_t kMostRecent = 12;
    // Becomes the last one.
    void noteScene(const std::filesystem::path& scene);
};

// In configFolder(); empty where there is none.
std::filesystem::path settingsFile();

// Never fails: of a file that cannot be understood, `warning` says what is wrong with it, it is kept aside as
// settings.json.broken, and everything has its default. A value out of range has its default, too. No file:
// defaults, no warning.
Settings loadSettings(const std::filesystem::path& file, std::string& warning);
// All of it or nothing; makes the folder. Exit::Output.
void saveSettings(const Settings& settings, const std::filesystem::path& file);

}  // namespace coalesce
