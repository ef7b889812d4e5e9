// The bar at the bottom of the picture: panel and scenes, what time it is, the way back, and how fast time
// goes. Dear ImGui only.
#pragma once

#include <vector>

#include "session/session.h"
#include "view/widgets/widget_rect.h"

namespace coalesce {

class TimeBar {
public:
    // What only the window can do.
    enum class Wish { None, Panel, Scenes, Record };
    struct Shown {
        bool panel = true, recording = false;
    };
    // Between left and left + width, above the lower edge of the window. [px] Where there is no room for all
    // of it, what is needed least is left out; the way to the panel stays.
    Wish draw(Session& session, Shown shown, float left, float width, float height);
    float height() const { return m_height; }  // [px] as drawn last

    // Where the widgets of the last frame are: "bar.panel", "bar.time", ….
    const std::vector<WidgetRect>& placed() const { return m_placed; }

private:
    void drawTime(Session& session, float width);
    void drawSpeed(Session& session, float width);
    void place(const char* path) { m_placed.push_back(placedItem(path)); }

    float m_height = 0;
    std::vector<WidgetRect> m_placed;
};

// This many frames back or forward; where simulating them again takes too long, as many kept states. Pauses.
// False: there is no way.
bool scrub(Session& session, int frames);
// To the kept state this many places away.
bool scrubStates(Session& session, int places);
// Twice as fast or half, within what a session allows.
void changeSpeed(Session& session, bool faster);
// "1/4 speed", "2 x speed"; empty: real time.
std::string speedWords(float speed);

}  // namespace coalesce
