// What lies over the picture: a line of numbers, help, messages. Dear ImGui only.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "session/session.h"
#include "view/tools/keys.h"
#include "view/viewport/draw_facts.h"
#include "view/widgets/widget_rect.h"

namespace coalesce {

class Overlay {
public:
    struct Shown {
        bool numbers = true, notices = true;
    };
    // At the picture's upper left corner, between left and left + width [px]: the legend has the right edge.
    // What is wrong stands below the numbers. Answers the path of a value that helps, when it is asked for.
    std::string draw(Session& session, const DrawFacts& facts, Shown shown, float left, float width,
                     float height);
    // How fast it goes and how much there is, the most telling first.
    std::vector<std::string> numbers(const Session& session) const;

    // At the bottom for a few seconds.
    void say(const std::string& message, double seconds = 4);
    void drawMessage(float left, float width, float height, double elapsed);
    const std::string& message() const { return m_message; }  // the last one

    // In the middle of the window, in as many columns as it takes.
    static void drawHelp(float width, float height);
    // All that drawHelp shows, in order.
    static std::vector<std::pair<std::string, std::string>> helpLines();

    // Where the widgets of the last frame are.
    const std::vector<WidgetRect>& placed() const { return m_placed; }

private:
    double m_frameMs = 0;  // [ms] between two pictures, smoothed over about a second
    std::string m_message;
    double m_left = 0;  // [s] the message stays
    std::vector<WidgetRect> m_placed;
};

}  // namespace coalesce
