// Overlays of the viewport: a line of numbers, notices, messages. Dear ImGui only.
#pragma once

#include <string>
#include <vector>

#include "session/session.h"
#include "view/viewport/draw_facts.h"

namespace coalesce {

inline constexpr float kOverlayMargin = 10;  // [px] between overlays and the edges of the viewport

class Overlay {
public:
    struct Shown {
        bool numbers = true, notices = true;
    };
    // At the upper left corner of the viewport, between left and left + width [px]: numbers, and notices
    // below them. The legend is at the right edge. Returns the path of a recommended value when its button is
    // pressed.
    std::string draw(Session& session, const DrawFacts& facts, Shown shown, float left, float width,
                     float height);
    // Frame rate, real-time factor, particle count; the most important first.
    std::vector<std::string> numbers(const Session& session, bool draft) const;

    // Shows a message at the bottom for a few seconds.
    void say(const std::string& message, double seconds = 4);
    void drawMessage(float left, float width, float height, double elapsed);

private:
    double m_frameMs = 0;  // [ms] between two frames, smoothed over about a second
    std::string m_message;
    double m_secondsLeft = 0;  // of the message
};

}  // namespace coalesce
