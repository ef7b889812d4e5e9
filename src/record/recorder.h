// Records a scene: fixed steps of simulated time, one picture per output frame, no wall clock, no window.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "bridge/draw_arrays.h"
#include "core/exec.h"
#include "render/gl/egl_context.h"
#include "render/renderer/renderer.h"
#include "scene/format/scene.h"
#include "session/replay.h"

namespace coalesce {

struct RecordOptions {
    std::filesystem::path scene;
    SceneChoice choice;
    ExecOptions exec;
    std::optional<uint64_t> frames;  // pictures, the first one included; instead of the scene's duration
    std::optional<double> duration;  // [s]; frames wins
    std::optional<double> fps;       // pictures per simulated second; default: one per frame of the solver
    int width = 1280, height = 720;  // [px]
    DrawOptions draw;
    Quantity quantity = Quantity::Material;
    LineSet lines;
    std::string camera;                   // name; "" = the scene's first
    std::filesystem::path video, images;  // at least one
    GlChoice gl;
    bool quiet = false;
    std::filesystem::path loadState, saveState;
    std::optional<Replay> replay;  // of this scene in this choice
    std::function<void(const Scene&, uint64_t frame, uint64_t hash)>
        onHash;                                               // after each picture; costs a hash
    std::function<void(const Scene&, const World&)> onFrame;  // at the start and after each frame
    std::function<bool()> stop;  // asked before each picture; true ends the recording with Exit::Failure

    DrawRequest request() const {
        return {.quantity = quantity,
                .ellipsoids = draw.mode == DrawMode::Surface && draw.quality >= Quality::Ellipsoids,
                .lines = lines,
                .picked = {}};
    }
};

struct RecordReport {
    uint64_t pictures = 0;
    size_t particles = 0;
    uint64_t hash = 0;     // of the last state
    std::string renderer;  // what drew
    std::string path;      // how the data came there
};

// Picture k shows the state at time k/fps; picture 0 the start. Same command, same machine and driver: same
// pictures.
RecordReport record(const RecordOptions& options);

// How many frames of the solver pass between two pictures. Exit::Usage when that is no whole number.
uint64_t framesPerPicture(double frameRate, std::optional<double> fps);

}  // namespace coalesce
