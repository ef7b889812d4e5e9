#include "record/pixel_ring.h"

#include <cstring>

namespace coalesce {

PixelRing::PixelRing(int width, int height, size_t bytesPerPixel)
    : m_width(width), m_height(height), m_bytes(bytesPerPixel * size_t(width) * size_t(height)) {
    for (Entry& entry : m_entries) {
        GLuint id = 0;
        glCreateBuffers(1, &id);
        glNamedBufferStorage(id, GLsizeiptr(m_bytes), nullptr, GL_MAP_READ_BIT | GL_CLIENT_STORAGE_BIT);
        entry.buffer = gl::Handle<gl::deleteBuffer>(id);
    }
}

PixelRing::~PixelRing() {
    for (Entry& entry : m_entries)
        if (entry.drawn) glDeleteSync(entry.drawn);
}

void PixelRing::push(const OutputTarget& target, const Receive& receive) {
    Entry& entry = m_entries[m_next];
    if (m_pending == m_entries.size()) arrive(entry, receive);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, target.framebuffer);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, entry.buffer.id());
    glPixelStorei(GL_PACK_ALIGNMENT, 4);
    const GLenum type = target.bits == 8            ? GL_UNSIGNED_BYTE
                        : target.bits == kLightBits ? GL_FLOAT
                                                    : GL_UNSIGNED_SHORT;
    glReadPixels(0, 0, m_width, m_height, GL_RGBA, type, nullptr);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    entry.drawn = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    m_next = (m_next + 1) % m_entries.size();
    ++m_pending;
}

void PixelRing::drain(const Receive& receive) {
    while (m_pending > 0)
        arrive(m_entries[(m_next + m_entries.size() - m_pending) % m_entries.size()], receive);
}

void PixelRing::arrive(Entry& entry, const Receive& receive) {
    constexpr GLuint64 kSecond = 1'000'000'000;  // [ns]
    while (glClientWaitSync(entry.drawn, GL_SYNC_FLUSH_COMMANDS_BIT, kSecond) == GL_TIMEOUT_EXPIRED) {
    }
    glDeleteSync(entry.drawn);
    entry.drawn = nullptr;
    std::vector<uint8_t> pixels(m_bytes);
    const auto bytes = GLsizeiptr(m_bytes);
    const void* mapped = glMapNamedBufferRange(entry.buffer.id(), 0, bytes, GL_MAP_READ_BIT);
    if (!mapped) throw gl::Error("a frame could not be read back: OpenGL could not map the buffer");
    std::memcpy(pixels.data(), mapped, pixels.size());
    glUnmapNamedBuffer(entry.buffer.id());
    --m_pending;
    receive(std::move(pixels));
}

}  // namespace coalesce
