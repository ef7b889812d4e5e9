// Writes frames to files on a background thread, in order; none is dropped.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/background_queue.h"
#include "record/video.h"

namespace coalesce {

struct Outputs {
    std::filesystem::path video;   // empty: none
    std::filesystem::path images;  // folder for frame_000000.png …; empty: none
    int width = 1280, height = 720;
    double fps = 60;
    int depth = 8;                    // of VideoOptions; images have 8 bits
    uint64_t firstNumber = 0;         // of the first image file
    std::function<bool()> stop = {};  // of VideoOptions
};

class FrameWriter {
public:
    explicit FrameWriter(const Outputs& outputs);

    // RGBA8, or RGBA16 for a depth of 10; rows from bottom to top. Waits while the queue is full; rethrows errors of the thread.
    void push(std::vector<uint8_t> rgba) { m_queue->push(std::move(rgba)); }
    // Waits until everything is written and rethrows errors. Without it the video is discarded.
    void finish();

private:
    void write(const std::vector<uint8_t>& rgba);

    Outputs m_outputs;
    std::unique_ptr<VideoEncoder> m_video;
    uint64_t m_frame = 0;                                          // the next one
    std::optional<BackgroundQueue<std::vector<uint8_t>>> m_queue;  // last: its thread uses the other members
};

}  // namespace coalesce
