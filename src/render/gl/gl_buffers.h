// The particle arrays on the graphics side: one GL buffer per slot, written by the bridge, read by the
// renderer.
#pragma once

#include <array>

#include "render/frame/render_frame.h"
#include "render/gl/gl.h"

namespace coalesce {

class GlBuffers {
public:
    // Makes room; when the buffer must grow it gets a new GL name and generation, and its contents are lost.
    void reserve(Slot slot, size_t bytes);
    // Copies from host memory; grows when needed.
    void upload(Slot slot, const void* data, size_t bytes);

    GLuint id(Slot slot) const { return at(slot).buffer.id(); }  // 0 before the first reserve or upload
    size_t capacity(Slot slot) const { return at(slot).buffer.capacity(); }  // [bytes]
    // Counts the names a slot has had: an interop registration of an older generation must be renewed.
    uint32_t generation(Slot slot) const { return at(slot).generation; }

private:
    struct Entry {
        gl::Buffer buffer;
        uint32_t generation = 0;
    };
    const Entry& at(Slot slot) const { return m_entries[static_cast<size_t>(slot)]; }
    Entry& at(Slot slot) { return m_entries[static_cast<size_t>(slot)]; }

    std::array<Entry, static_cast<size_t>(Slot::Count)> m_entries;
};

}  // namespace coalesce
