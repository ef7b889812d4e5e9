// Pictures on their way from OpenGL to the host, without waiting for the drawing of the newest.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "render/renderer/renderer.h"

namespace coalesce {

class PixelRing {
public:
    PixelRing(int width, int height);
    ~PixelRing();
    PixelRing(const PixelRing&) = delete;
    PixelRing& operator=(const PixelRing&) = delete;

    // Starts to read this picture. When the ring is full, the oldest arrives first: receive(RGBA8, bottom
    // up).
    using Receive = std::function<void(std::vector<uint8_t>)>;
    void push(const OutputTarget& target, const Receive& receive);
    // All that are still on their way, in order.
    void drain(const Receive& receive);

private:
    struct Entry {
        gl::Handle<gl::deleteBuffer> buffer;
        GLsync drawn = nullptr;
    };
    void arrive(Entry& entry, const Receive& receive);

    int m_width, m_height;
    std::array<Entry, 3> m_entries;
    size_t m_next = 0, m_pending = 0;
};

}  // namespace coalesce
