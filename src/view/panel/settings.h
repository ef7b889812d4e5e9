// What the window keeps between two runs. No window, no OpenGL.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "render/renderer/renderer.h"
#include "session/snapshot_history.h"

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

// One of the numbers above.
struct SettingInfo {
    const char* key;
    double least, most;
    // of those that the page Settings offers
    const char* label = nullptr;
    const char* unit = "";
    const char* about = "";
};
// visit(info, value) for each of them: reading, writing and the page go through the same list.
template <class AnySettings, class Visit>
void forEachSetting(AnySettings& s, Visit&& visit) {
    visit(SettingInfo{"width", 1, 16384}, s.width);
    visit(SettingInfo{"height", 1, 16384}, s.height);
    visit(SettingInfo{"panelWidth", 0, 16384}, s.panelWidth);
    visit(SettingInfo{"exposure", 0.01, 100}, s.exposure);
    visit(
        SettingInfo{"fontScale", 0.5, 4, "Size of letters", "x",
                    "Of panel and messages; 1 is the size that the display asks for. Counts when the slider "
                    "is let go."},
        s.fontScale);
    visit(SettingInfo{"rewindSeconds", 0, 3600, "Way back", "s",
                      "So much of the simulated time can be gone back to (the slider at the lower edge, and "
                      "the keys , and .). 0: none is kept."},
          s.rewind.seconds);
    visit(SettingInfo{"rewindPerSecond", 0.1, 1000, "States kept", "1/s",
                      "Per simulated second. More make the steps of the way back smaller, and take time and "
                      "memory."},
          s.rewind.perSecond);
    visit(SettingInfo{"rewindMegabytes", 0, 1e6, "Memory for them", "MB",
                      "States that do not fit are thinned out, the older ones first."},
          s.rewind.megabytes);
}

// In configFolder(); empty where there is none.
std::filesystem::path settingsFile();

// Never fails: of a file that cannot be understood, `warning` says what is wrong with it, it is kept aside as
// settings.json.broken, and everything has its default. A value out of range has its default, too. No file:
// defaults, no warning.
Settings loadSettings(const std::filesystem::path& file, std::string& warning);
// All of it or nothing; makes the folder. Exit::Output.
void saveSettings(const Settings& settings, const std::filesystem::path& file);

}  // namespace coalesce
