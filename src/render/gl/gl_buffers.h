// OpenGL buffers of the frame's arrays, one per slot, written by the bridge, read by the renderer.
#pragma once

#include <array>

#include "render/frame/render_frame.h"
#include "render/gl/gl.h"

namespace coalesce {

class GlBuffers {
public:
    // Ensures the capacity; a buffer that grows gets a new OpenGL name and generation and loses its contents.
    void reserve(Slot slot, size_t bytes);
    // Copies from host memory; grows if needed.
    void upload(Slot slot, const void* data, size_t bytes);

    GLuint id(Slot slot) const { return at(slot).buffer.id(); }  // 0 before the first reserve or upload
    size_t capacity(Slot slot) const { return at(slot).buffer.capacity(); }  // [bytes]
    // Counts the names of a slot: interop registrations of an older generation are invalid.
    uint32_t generation(Slot slot) const { return at(slot).generation; }

private:
    struct Entry {
        gl::Buffer buffer;
        uint32_t generation = 0;
    };
    const Entry& at(Slot slot) const { return m_entries[size_t(slot)]; }
    Entry& at(Slot slot) { return m_entries[size_t(slot)]; }

    std::array<Entry, size_t(Slot::Count)> m_entries;
};

}  // namespace coalesce
