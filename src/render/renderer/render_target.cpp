// Offscreen image of the caller.
#include <algorithm>

#include "render/renderer/renderer.h"

namespace coalesce {

RenderTarget::RenderTarget(int width, int height, int bits)
    : m_bits(bits),
      m_color(bits == 8            ? GL_RGBA8
              : bits == kLightBits ? GL_RGBA32F
                                   : GL_RGBA16,
              width, height, GL_LINEAR),
      m_framebuffer({&m_color}, nullptr) {}

std::vector<uint8_t> readPixels(const OutputTarget& target, RowOrder order) {
    const size_t row = size_t(target.width) * 4;
    std::vector<uint8_t> pixels(row * size_t(target.height));
    glBindFramebuffer(GL_READ_FRAMEBUFFER, target.framebuffer);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, target.width, target.height, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
    if (order == RowOrder::TopDown) {
        for (int y = 0; y < target.height / 2; ++y) {
            uint8_t* upper = pixels.data() + size_t(y) * row;
            uint8_t* lower = pixels.data() + size_t(target.height - 1 - y) * row;
            std::swap_ranges(upper, upper + row, lower);
        }
    }
    return pixels;
}

}  // namespace coalesce
