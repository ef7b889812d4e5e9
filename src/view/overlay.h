// What lies over the picture: numbers and timers, help, messages. Dear ImGui only.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "render/renderer.h"
#include "view/keys.h"
#include "view/session.h"

namespace coalesce {

struct OverlayFacts {
    const char* path;      // how particles come to the graphics side
    std::string renderer;  // OpenGL's name for what draws
    double frameMs;        // wall time between two pictures
    std::span<const PassTime> passes;
    std::string shaderErrors;  // empty: none
};

class Overlay {
public:
    // At the picture's upper left corner: the legend has the right edge. left: where the picture begins [px].
    void draw(Session& session, const OverlayFacts& facts, float left, float height);
    // One line at the bottom for a few seconds.
    void say(const std::string& message, double seconds = 4);
    void drawMessage(float left, float width, float height, double elapsed);

    // In the middle of the picture.
    static void drawHelp(float left, float width, float height);
    // All that drawHelp shows, in order.
    static std::vector<std::pair<std::string, std::string>> helpLines();

private:
    void plot(float width);

    static constexpr size_t kSamples = 120;
    std::array<float, kSamples> m_step{}, m_frame{};  // [ms] of the last frames, a ring
    size_t m_next = 0;
    std::string m_message;
    double m_left = 0;  // [s] the message stays
};

}  // namespace coalesce
