// Pictures as they are drawn, on their way into a video or images: read back, queued and written, in order,
// none dropped.
#pragma once

#include "record/frame_writer.h"
#include "record/pixel_ring.h"

namespace coalesce {

class PictureRecorder {
public:
    explicit PictureRecorder(const Outputs& outputs)
        : m_writer(outputs), m_ring(outputs.width, outputs.height) {}

    // Of the size of the outputs. Waits while the writer is behind; throws what it stumbled over.
    void take(const OutputTarget& picture) { m_ring.push(picture, m_receive); }
    // Waits until everything is on the disk. Without it the video is thrown away.
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
