// The window: puts session, picture and panel together.
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
    std::filesystem::path sceneFolder;      // of the list
    std::filesystem::path thumbnailFolder;  // NAME.jpg or NAME.png of its scenes
    std::filesystem::path dropFolder;       // for scenes around meshes that are dropped
    SceneChoice choice;
    ExecOptions exec;
    int width = 1280, height = 720;  // [px] of the window
    ViewSettings look;               // its camera comes from the scene
    std::string camera;              // name; "" = the scene's first
    std::filesystem::path loadState, saveState, saveReplay;
    std::optional<uint64_t> frames;    // closes after this many frames, each simulated, as fast as they come
    std::filesystem::path screenshot;  // of the whole window, when it closes
    Settings settings;  // as the last run left them; what they say of the window, its look is above
    std::function<void(const Settings&)> keepSettings;  // empty: they are not kept
    SaveImage saveImage;
    OpenRecording openRecording;
    std::string advice;  // what to do where no window can open
    bool quiet = false;
};

// Returns when the window is closed. Exit::Graphics where none can open.
void view(const ViewOptions& options);

}  // namespace coalesce
