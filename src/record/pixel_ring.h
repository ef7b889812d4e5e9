// Asynchronous readback of frames from OpenGL: does not wait for the newest frame to be drawn.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "render/renderer/renderer.h"

namespace coalesce {

class PixelRing {
public:
    PixelRing(int width, int height, size_t bytesPerPixel);
    ~PixelRing();
    PixelRing(const PixelRing&) = delete;
    PixelRing& operator=(const PixelRing&) = delete;

    // Starts reading this frame. When the ring is full, passes the oldest one to receive(RGBA8, RGBA16 or
    // RGBA32F, bottom to top) first.
    using Receive = std::function<void(std::vector<uint8_t>)>;
    void push(const OutputTarget& target, const Receive& receive);
    // Receives all pending frames, in order.
    void drain(const Receive& receive);

private:
    struct Entry {
        gl::Handle<gl::deleteBuffer> buffer;
        GLsync drawn = nullptr;
    };
    void arrive(Entry& entry, const Receive& receive);

    int m_width, m_height;
    size_t m_bytes;  // of a frame
    std::array<Entry, 3> m_entries;
    size_t m_next = 0, m_pending = 0;
};

}  // namespace coalesce
