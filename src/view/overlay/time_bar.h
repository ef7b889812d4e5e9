// The bar at the bottom of the viewport: panel, scenes, pause, time slider, speed, record. Dear ImGui only.
#pragma once

#include "session/session.h"

namespace coalesce {

class TimeBar {
public:
    // Requests that the window serves.
    enum class Request { None, Panel, Scenes, Record };
    struct Shown {
        bool panel = true, recording = false;
    };
    // Between left and left + width, at the lower edge of a window of this height [px]. Parts that do not fit
    // are omitted, the least important first; the panel button is kept longest.
    Request draw(Session& session, Shown shown, float left, float width, float height);
    float height() const { return m_height; }  // [px] as drawn last

private:
    static void drawTime(Session& session, float width);
    static void drawSpeed(Session& session, float width);

    float m_height = 0;
};

// This many frames forward or back; by keyframes (snapshots) if resimulating exceeds the seek budget. Pauses.
// False: out of range.
bool scrub(Session& session, int frames);
// To the snapshot this many keyframes away.
bool scrubSnapshots(Session& session, int keyframes);
// Doubles or halves the speed, within the session's limits.
void changeSpeed(Session& session, bool faster);
// "1/4x", "2x"; empty: real time.
std::string speedText(float speed);

}  // namespace coalesce
