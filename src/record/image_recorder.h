// Reads back rendered frames, queues them and writes them to a video or images, in order; none is dropped.
#pragma once

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

    // The frame has the size of the outputs. Waits while the writer is behind; rethrows its errors.
    void take(const OutputTarget& frame) { m_ring.push(frame, m_receive); }
    // Waits until everything is written. Without it the video is discarded.
    void finish() {
        m_ring.drain(m_receive);
        m_writer.finish();
    }

private:
    FrameWriter m_writer;
    PixelRing m_ring;
    FrameWriter* m_strip;
    PixelRing::Receive m_receive = [this](std::vector<uint8_t> rgba) {
        if (m_strip) m_strip->push(rgba);
        m_writer.push(std::move(rgba));
    };
};

}  // namespace coalesce
