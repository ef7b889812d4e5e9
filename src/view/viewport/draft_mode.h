// Decides when the viewport is drawn in draft: at half the resolution, without shadows
// and ambient occlusion. Plain numbers; no OpenGL.
#pragma once

#include "render/renderer/renderer.h"

namespace coalesce {

enum class Draft { Automatic, On, Off };
inline constexpr const char* kDraftNames[] = {"auto", "on", "off"};

class DraftMode {
public:
    // Once per displayed frame. drawing: time that the render passes of the last frame took [s]; elapsed:
    // since the last frame [s]. True: draft has begun by itself, which the user is told.
    bool update(Draft choice, double drawing, double elapsed);
    bool isOn() const { return m_on; }

private:
    bool m_on = false;
    double m_drawing = 0;   // [s] per frame, smoothed
    double m_measured = 0;  // [s] since it was switched
    int m_frames = 0;       // in this time
};

// The options with which a draft is drawn.
DrawOptions draftOf(DrawOptions options);

}  // namespace coalesce
