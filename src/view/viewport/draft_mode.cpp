#include "view/viewport/draft_mode.h"

#include <algorithm>
#include <cmath>

namespace coalesce {

namespace {

// Below 10 images per second a camera is hard to steer. A draft takes at least a sixth
// of the time of the full image, which has four times the pixels, so at the lower
// limit that one takes less than the upper limit.
constexpr double kTooSlow = 0.1, kFastEnough = 0.015;  // [s] per image
constexpr double kSettle = 1;                          // [s] of measurement before a change,
constexpr int kFrames = 4;                             // with so many images: the first one compiles shaders
constexpr double kSmoothing = 0.3;                     // [s]

}  // namespace

bool DraftMode::update(Draft choice, double drawing, double elapsed) {
    const bool before = m_on;
    if (choice != Draft::Automatic) {
        m_on = choice == Draft::On;
        m_drawing = m_measured = m_frames = 0;
        return false;
    }
    const double weight = m_frames > 1 ? 1 - std::exp(-elapsed / kSmoothing) : 1;
    m_drawing += weight * (drawing - m_drawing);
    m_measured += elapsed;
    ++m_frames;
    if (m_measured >= kSettle && m_frames >= kFrames) m_on = m_drawing > (m_on ? kFastEnough : kTooSlow);
    if (m_on != before) m_drawing = m_measured = m_frames = 0;
    return m_on && !before;
}

DrawOptions draftOf(DrawOptions options) {
    options.shadows = options.occlusion = false;
    options.quality = std::min(options.quality, Quality::Standard);
    options.ssaa = 1;
    options.halved = true;
    return options;
}

}  // namespace coalesce
