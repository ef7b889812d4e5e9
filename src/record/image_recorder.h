// Reads back rendered frames, queues them and writes them to a video or images, in order; none is dropped.
#pragma once

#include "record/frame_writer.h"
#include "record/pixel_ring.h"

namespace coalesce {

class ImageRecorder {
public:
    explicit ImageRecorder(const Outputs& outputs)
        : m_writer(outputs), m_ring(outputs.width, outputs.height) {}

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
    PixelRing::Receive m_receive = [this](std::vector<uint8_t> rgba) { m_writer.push(std::move(rgba)); };
};

}  // namespace coalesce
