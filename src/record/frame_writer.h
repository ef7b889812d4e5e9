// Writes frames to files on a background thread, in order; none is dropped.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/background_queue.h"
#include "core/error.h"
#include "record/image_file.h"
#include "record/passes.h"
#include "record/video.h"
#include "render/renderer/renderer.h"

namespace coalesce {

// Bits per channel of the frames for these outputs, as in OutputTarget.
constexpr int bitsOfFrames(ImageFormat format, int videoDepth) {
    return format == ImageFormat::Exr ? kLightBits : videoDepth == 8 ? 8 : 16;
}

struct Outputs {
    std::filesystem::path video;            // empty: none
    std::filesystem::path images;           // folder for frame_000000.png …; empty: none
    ImageFormat format = ImageFormat::Png;  // of the images; Exr without video
    std::vector<Pass> passes = {};          // of Exr images
    int width = 1280, height = 720;
    double fps = 60;
    int depth = 8;                    // of VideoOptions; images have 8 bits
    uint64_t firstNumber = 0;         // of the first image file
    std::function<bool()> stop = {};  // of VideoOptions

    int bits() const { return bitsOfFrames(format, depth); }
};

// A drawn image: RGBA8, RGBA16 for a depth of 10, or RGBA32F for
// Exr, as in OutputTarget; rows from bottom to top.
struct DrawnFrame {
    std::vector<uint8_t> rgba;
    std::shared_ptr<const PassScene> scene;  // what it shows, for passes
};

class FrameWriter {
public:
    explicit FrameWriter(const Outputs& outputs);

    // Waits while the queue is full; rethrows errors of the thread.
    void push(DrawnFrame frame) { m_queue->push(std::move(frame)); }
    // Waits until everything is written and rethrows errors. Without it and keepVideo() the video is discarded.
    void finish();
    // In place of finish(), of a recording that was broken off: as VideoEncoder::keep().
    std::filesystem::path keepVideo();

private:
    void write(const DrawnFrame& frame);

    Outputs m_outputs;
    std::unique_ptr<VideoEncoder> m_video;
    uint64_t m_frame = 0;                                // the next one
    std::optional<BackgroundQueue<DrawnFrame>> m_queue;  // last: its thread uses the other members
};

// An error that broke off a recording, which also names the video of the frames so far, if there is one. It replaces the
// error that is being handled.
[[noreturn]] void rethrowWith(const Error& error, const std::filesystem::path& video);

}  // namespace coalesce
