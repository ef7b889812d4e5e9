// The left mouse button in the viewport: grabs a particle, brushes, or cuts. No window, no OpenGL.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "render/frame/camera.h"
#include "render/renderer/renderer.h"
#include "session/session.h"

namespace coalesce {

struct MouseInput {
    glm::vec2 cursor{0, 0};  // [px] from the upper left corner of the viewport
    bool left = false;       // held
    bool shift = false;      // brush instead of grab
    bool ctrl = false;       // ignore particles
    bool cut = false;        // the knife key is held
    ClipPlane clipPlane{};   // what it hides is not under the cursor
};

class GrabTool {
public:
    // To be called every frame. True: the tool uses the button, and the camera must not.
    bool use(Session& session, const Camera& camera, const MouseInput& input, int width, int height);

    // A press and release at one position since the last call: on a particle, or on none.
    struct Click {
        std::optional<uint32_t> id;
    };
    std::optional<Click> takeClick() { return std::exchange(m_click, {}); }

    // What to draw over the viewport [px]: the spring of the grab, or the stroke of the knife.
    struct Line {
        glm::vec2 from, to;
        bool cut;
    };
    std::optional<Line> line(Session& session, const Camera& camera, int width, int height) const;
    // The springs that cuts of a paused session will separate in its next frame.
    std::vector<Line> waitingCuts(Session& session, const Camera& camera, int width, int height);

    // What to tell the user since the last call; empty: nothing.
    std::string takeMessage() { return std::exchange(m_message, {}); }

private:
    enum class Mode { None, Camera, Grab, Brush, Cut };
    void cut(Session& session, const Camera& camera, int width, int height);
    void press(Session& session, const Camera& camera, const MouseInput& input, int width, int height);

    Mode m_mode = Mode::None;
    uint64_t m_generation = 0;  // of the session when the button was pressed
    uint32_t m_id = 0;          // of the grabbed particle
    float m_depth = 0;          // [m] of the press, along the view
    glm::vec3 m_at{};           // [m] position of grab or brush
    glm::vec2 m_pressed{}, m_cursor{};
    bool m_moved = false;  // since the press, too far for a click
    bool m_begun = false;  // the press has become an interaction of the session
    std::optional<Click> m_click;
    std::string m_message;
    std::vector<std::array<Vec3, 2>> m_marked;    // [m] ends of the springs under waiting cuts
    std::array<uint64_t, 3> m_markedOf{0, 0, 0};  // generation, frame and number of these cuts
};

}  // namespace coalesce
