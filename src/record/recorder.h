// Records a scene: fixed simulation steps, one image per output frame, independent of wall clock and window.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "bridge/draw_arrays.h"
#include "core/exec.h"
#include "record/frame_writer.h"
#include "record/image_drawer.h"
#include "render/gl/egl_context.h"
#include "render/renderer/renderer.h"
#include "scene/format/scene.h"
#include "session/replay.h"

namespace coalesce {

struct RecordOptions {
    std::filesystem::path scene;
    SceneChoice choice;
    ExecOptions exec;
    std::optional<uint64_t> frames;  // images, including the first; overrides the scene's duration
    std::optional<double> duration;  // [s] of film; frames takes precedence
    double from = 0;                 // [s] of film: the first image
    std::optional<double> fps;       // images per second of film; default: one per simulation frame
    int width = 1280, height = 720;  // [px]
    DrawOptions draw;
    AccumulationOptions accumulation;
    Quantity quantity = Quantity::Material;
    std::optional<SurfaceOptions> mesh;  // draws liquids as surface meshes
    LineSet lines;
    std::string camera;                   // name; "": those of the film, with its cuts
    std::filesystem::path video, images;  // at least one, or a strip
    ImageFormat imageFormat = ImageFormat::Png;
    std::vector<Pass> passes;      // of Exr images
    int videoDepth = 8;            // bits per channel, 8 or 10; 10 without images
    FrameWriter* strip = nullptr;  // also gets every image; of the same size and depth
    GlChoice gl;
    bool quiet = false;
    std::filesystem::path loadState, saveState;
    std::optional<Replay> replay;  // of the same scene and choice
    // Draws the frames of this cache instead of simulating; scene, choice, duration and number of images are
    // then the cache's.
    std::filesystem::path fromCache;
    uint64_t firstFrame = 0, lastFrame = UINT64_MAX;  // of the cache
    // Only these images are drawn, numbered as in the whole recording, which begins at `from` (of a loaded
    // state, too): several programs can draw one recording.
    std::optional<uint64_t> firstImage;
    uint64_t lastImage = UINT64_MAX;
    std::function<void(const Scene&, uint64_t frame, uint64_t hash)>
        onHash;                                               // after each image; costs a hash
    std::function<void(const Scene&, const World&)> onFrame;  // at the start and after each frame
    std::function<bool()> stop;  // called before each image; true stops with Exit::Failure

    DrawRequest request() const { return drawRequest(draw, quantity, lines, mesh); }
    // interval: [s] of film from image to image
    ImageOptions imageOptions(double interval) const {
        return {
            width, height, draw, request(), accumulation, interval, bitsOfFrames(imageFormat, videoDepth)};
    }
};

struct RecordReport {
    uint64_t images = 0;
    size_t particles = 0;
    uint64_t hash = 0;     // of the last state
    std::string renderer;  // OpenGL renderer
    std::string path;      // transfer path of the frame data
};

// Image k shows the state at time from + k/fps of the film, of a cache that of its first frame of the range
// and on. Same command, computer and driver: same images.
RecordReport record(const RecordOptions& options);

// Records shots. A shot that is later in the same run as the one before it goes on from there; else it is
// simulated from the start. Its images are those of record().
class ShotRecorder {
public:
    ShotRecorder();
    ~ShotRecorder();
    RecordReport record(const RecordOptions& options);

private:
    std::unique_ptr<struct RecordedRun> m_run;  // of the last shot
};

// Number of simulation frames per image. Exit::Usage if it is not a whole number.
uint64_t framesPerImage(double frameRate, std::optional<double> fps);

}  // namespace coalesce
