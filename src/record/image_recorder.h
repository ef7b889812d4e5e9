// Reads back rendered frames, queues them and writes them to a video or images, in order; none is dropped.
#pragma once

#include <deque>

#include "core/error.h"
#include "record/frame_writer.h"
#include "record/pixel_ring.h"

namespace coalesce {

class ImageRecorder {
public:
    // strip: also gets every image; null: none
    explicit ImageRecorder(const Outputs& outputs, FrameWriter* strip = nullptr)
        : m_writer(outputs),
          m_ring(outputs.width, outputs.height, size_t(outputs.bits()) / 8 * 4),
          m_strip(strip) {}

    // The frame has the size of the outputs. scene: what it shows, for passes. Waits
    // while the writer is behind; rethrows its errors.
    void take(const OutputTarget& frame, std::shared_ptr<const PassScene> scene = nullptr) {
        m_scenes.push_back(std::move(scene));
        m_ring.push(frame, m_receive);
    }
    // Waits until everything is written. Without it and keepVideo() the video is discarded.
    void finish() {
        m_ring.drain(m_receive);
        m_writer.finish();
    }
    // In place of finish(), of a recording that was broken off: as VideoEncoder::keep(), with all frames taken.
    std::filesystem::path keepVideo() {
        try {
            m_ring.drain(m_receive);
        } catch (const Error&) {  // the writer has failed
            return {};
        }
        return m_writer.keepVideo();
    }

private:
    FrameWriter m_writer;
    PixelRing m_ring;
    FrameWriter* m_strip;
    std::deque<std::shared_ptr<const PassScene>> m_scenes;  // of the frames that are being read back
    PixelRing::Receive m_receive = [this](std::vector<uint8_t> rgba) {
        const std::shared_ptr<const PassScene> scene = std::move(m_scenes.front());
        m_scenes.pop_front();
        if (m_strip) m_strip->push({rgba, scene});
        m_writer.push({std::move(rgba), scene});
    };
};

}  // namespace coalesce
