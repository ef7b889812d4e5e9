// Writes pictures to files on a thread of its own, in order, none dropped.
#pragma once

#include <filesystem>
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
};

class FrameWriter {
public:
    explicit FrameWriter(const Outputs& outputs);

    // RGBA8, rows from the bottom up. Waits while the queue is full; throws what the thread stumbled over.
    void push(std::vector<uint8_t> rgba) { m_queue->push(std::move(rgba)); }
    // Waits until everything is on the disk, and throws what went wrong. Not finished: the video is thrown
    // away.
    void finish();

private:
    void write(const std::vector<uint8_t>& rgba);

    Outputs m_outputs;
    std::unique_ptr<VideoEncoder> m_video;
    int m_frame = 0;
    std::optional<BackgroundQueue<std::vector<uint8_t>>> m_queue;  // last: its thread uses the others
};

}  // namespace coalesce
