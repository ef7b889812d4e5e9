#include "record/frame_writer.h"

#include <utility>

#include "core/error.h"
#include "record/png.h"

namespace coalesce {

namespace {
constexpr size_t kQueueLength = 4;  // pictures; bounds the memory when the encoder is the slowest
}

FrameWriter::FrameWriter(const Outputs& outputs) : m_outputs(outputs) {
    if (!outputs.images.empty()) {
        std::error_code failed;
        std::filesystem::create_directories(outputs.images, failed);
        if (failed)
            fail(Exit::Output, "--images " + outputs.images.string(),
                 "the folder cannot be made: " + failed.message(),
                 "Give a folder in a place that may be written.");
    }
    if (!outputs.video.empty())
        m_video = std::make_unique<VideoEncoder>(
            VideoOptions{outputs.video, outputs.width, outputs.height, outputs.fps});
    m_thread = std::thread([this] { work(); });
}

FrameWriter::~FrameWriter() {
    {
        std::lock_guard lock(m_mutex);
        m_queue.clear();
    }
    stop();
}

void FrameWriter::push(std::vector<uint8_t> rgba) {
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [this] { return m_queue.size() < kQueueLength || m_failure; });
    if (m_failure) std::rethrow_exception(m_failure);
    m_queue.push_back(std::move(rgba));
    m_changed.notify_all();
}

void FrameWriter::finish() {
    stop();
    if (m_failure) std::rethrow_exception(m_failure);
    if (m_video) m_video->finish();
    m_video.reset();
}

void FrameWriter::stop() {
    {
        std::lock_guard lock(m_mutex);
        m_closed = true;
        m_changed.notify_all();
    }
    if (m_thread.joinable()) m_thread.join();
}

void FrameWriter::work() {
    for (int frame = 0;; ++frame) {
        std::vector<uint8_t> rgba;
        {
            std::unique_lock lock(m_mutex);
            m_changed.wait(lock, [this] { return !m_queue.empty() || m_closed; });
            if (m_queue.empty()) return;
            rgba = std::move(m_queue.front());
            m_queue.pop_front();
            m_changed.notify_all();
        }
        try {
            if (!m_outputs.images.empty())
                writePng(m_outputs.images / fmt::format("frame_{:06}.png", frame), rgba, m_outputs.width,
                         m_outputs.height, Rows::BottomUp);
            if (m_video) m_video->write(rgba);
        } catch (...) {
            std::lock_guard lock(m_mutex);
            m_failure = std::current_exception();
            m_changed.notify_all();
            return;
        }
    }
}

}  // namespace coalesce
