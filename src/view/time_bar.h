// The bar at the bottom of the picture: what time it is, the way back, and how fast time goes. Dear ImGui
// only.
#pragma once

#include "view/placed.h"
#include "view/session.h"

namespace coalesce {

class TimeBar {
public:
    // What only the window can do.
    enum class Wish { None, Scenes, Record };
    // Between left and left + width, above the lower edge of the window. [px]
    Wish draw(Session& session, bool recording, float left, float width, float height);
    float height() const { return m_height; }  // [px] as drawn last

    // Where the slider of the last frame is [px].
    const Placed& slider() const { return m_slider; }

private:
    float m_height = 0;
    Placed m_slider;
};

// To the kept state this many places away. False: there is none.
bool scrub(Session& session, int places);
// Twice as fast or half, within what a session allows.
void changeSpeed(Session& session, bool faster);
// "1/4 speed", "2 x speed"; empty: real time.
std::string speedWords(float speed);

}  // namespace coalesce
