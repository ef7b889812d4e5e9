// Writes pictures to files on a thread of its own, in order, none dropped.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

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
    ~FrameWriter();  // not finished: the video is thrown away

    // RGBA8, rows from the bottom up. Waits while the queue is full; throws what the thread stumbled over.
    void push(std::vector<uint8_t> rgba);
    // Waits until everything is on the disk, and throws what went wrong.
    void finish();

private:
    void work();
    void stop();

    Outputs m_outputs;
    std::unique_ptr<VideoEncoder> m_video;
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<std::vector<uint8_t>> m_queue;
    bool m_closed = false;
    std::exception_ptr m_failure;
    std::thread m_thread;
};

}  // namespace coalesce
