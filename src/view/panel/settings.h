// Settings of the window that are kept between runs. No window, no OpenGL.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "render/renderer/renderer.h"
#include "session/snapshot_history.h"
#include "view/viewport/draft_mode.h"

namespace coalesce {

// [px] of recordings from the window: those of the viewport, or fixed.
enum class RecordingSize { Viewport, Hd, FullHd, Uhd };
inline constexpr const char* kRecordingSizes[] = {"viewport", "1280x720", "1920x1080", "3840x2160"};

struct Settings {
    int width = 1280, height = 720;  // [px] of the window
    float panelWidth = 0;            // [px] 0: default
    float fontScale = 1;             // relative to the display's own scale
    Quality quality = Quality::Standard;
    Draft draft = Draft::Automatic;
    Background background = Background::Studio;
    Ground ground = Ground::Auto;
    float exposure = 1.3f;  // [-]
    RecordingSize recordingSize = RecordingSize::Viewport;
    float recordingLength = 0;  // [s] of simulated time; 0: until it is stopped
    RewindLimits rewind;
    std::vector<std::filesystem::path> recent;  // scenes, the most recent first

    // Takes over the display options that were changed in the window since the start. Options of the command
    // line apply to one run and are not kept.
    void takeChanges(const DrawOptions& start, const DrawOptions& now);

    static constexpr size_t kMaxRecent = 12;
    // Moves the scene to the front of the recent ones.
    void addRecent(const std::filesystem::path& scene);
};

// Declaration of one of the numbers above.
struct SettingInfo {
    const char* key;
    double min, max;
    // for those on the settings page
    const char* label = nullptr;
    const char* unit = "";
    const char* about = "";
};
// Calls visit(info, value) for each: reading, writing and the settings page use the same list.
template <class AnySettings, class Visit>
void forEachSetting(AnySettings& s, Visit&& visit) {
    visit(SettingInfo{"width", 1, 16384}, s.width);
    visit(SettingInfo{"height", 1, 16384}, s.height);
    visit(SettingInfo{"panelWidth", 0, 16384}, s.panelWidth);
    visit(SettingInfo{"exposure", 0.01, 100}, s.exposure);
    visit(
        SettingInfo{
            "fontScale", 0.5, 4, "UI scale", "x",
            "Size of text and widgets, relative to the display's own scale. Applies when the slider is "
            "released."},
        s.fontScale);
    visit(SettingInfo{"rewindSeconds", 0, 3600, "Rewind length", "s",
                      "Simulated time that the time slider and the keys , and . can go back. 0 disables "
                      "rewinding."},
          s.rewind.seconds);
    visit(SettingInfo{"rewindPerSecond", 0.1, 1000, "Snapshots per second", "1/s",
                      "Per simulated second. More snapshots make seeking faster, and take time and memory."},
          s.rewind.perSecond);
    visit(SettingInfo{"rewindMegabytes", 0, 1e6, "Rewind memory", "MB",
                      "Memory limit of the snapshots. Beyond it, older snapshots are thinned out."},
          s.rewind.megabytes);
    visit(
        SettingInfo{"recordingLength", 0, 3600, "Recording length", "s",
                    "Simulated time after which a recording (F9) stops by itself. 0: it goes on until it is "
                    "stopped."},
        s.recordingLength);
}

// Width and height [px]; 0: those of the viewport.
std::pair<int, int> pixelsOf(RecordingSize size);

// In configFolder(); empty where there is none.
std::filesystem::path settingsFile();

// Never fails. A file that cannot be parsed is renamed to settings.json.broken, all settings have their
// defaults, and `warning` has the error. A value out of range has its default. No file: defaults, no warning.
Settings loadSettings(const std::filesystem::path& file, std::string& warning);
// Atomic; creates the folder. Exit::Output.
void saveSettings(const Settings& settings, const std::filesystem::path& file);

}  // namespace coalesce
