// The window: session, viewport, panel and overlays together.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "core/exec.h"
#include "scene/format/scene.h"
#include "view/app/recording.h"
#include "view/app/screenshots.h"
#include "view/panel/settings.h"
#include "view/viewport/view_settings.h"

namespace coalesce {

struct ViewOptions {
    std::filesystem::path scene;
    std::filesystem::path sceneFolder;      // of the scene list
    std::filesystem::path presetFolder;     // of the presets that come with the scenes
    std::filesystem::path thumbnailFolder;  // with NAME.jpg or NAME.png per scene
    std::filesystem::path dropFolder;       // for scenes around dropped meshes
    SceneChoice choice;
    ExecOptions exec;
    int width = 1280, height = 720;  // [px] of the window
    ViewSettings view;               // the camera is set from the scene
    std::string camera;              // name; "": the first of the scene
    std::filesystem::path loadState, saveState, saveReplay;
    std::filesystem::path fromCache;  // plays this cache; scene and choice are then the cache's
    uint64_t firstFrame = 0, lastFrame = UINT64_MAX;  // of the cache
    std::optional<uint64_t> frames;    // closes after this many frames, each simulated, without vertical sync
    std::filesystem::path screenshot;  // of the whole window, when it closes
    Settings settings;                 // of the last run; window size and display options are above
    std::function<void(const Settings&)> saveSettings;  // empty: not saved
    SaveImage saveImage;
    OpenRecording openRecording;
    std::string advice;  // shown if no window can open
    bool quiet = false;
};

// Returns when the window is closed. Exit::Graphics if it cannot open.
void view(const ViewOptions& options);

}  // namespace coalesce
