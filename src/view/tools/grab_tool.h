// What the left button does in the picture: it grabs a particle, brushes, or cuts. No window, no OpenGL.
#pragma once

#include <optional>
#include <utility>

#include "render/frame/camera.h"
#include "session/session.h"

namespace coalesce {

struct HandInput {
    glm::vec2 cursor{0, 0};  // [px] from the picture's upper left corner
    bool left = false;       // held
    bool shift = false;      // brush instead of grab
    bool ctrl = false;       // leave particles alone
    bool cut = false;        // the key of the knife is held
};

class GrabTool {
public:
    static constexpr uint32_t kHand = kMouseHand;

    // To be called for every picture. True: the button is the hand's, and the camera must leave it alone.
    bool use(Session& session, const Camera& camera, const HandInput& input, int width, int height);

    // A press and release in one place since this was asked last: on which particle, or on none.
    struct Click {
        std::optional<uint32_t> id;
    };
    std::optional<Click> takeClick() { return std::exchange(m_click, {}); }

    // What to draw over the picture [px]: the spring of what is held, or the stroke of the knife.
    struct Line {
        glm::vec2 from, to;
        bool cut;
    };
    std::optional<Line> line(Session& session, const Camera& camera, int width, int height) const;

private:
    enum class Doing { Nothing, Camera, Grab, Brush, Cut };
    void press(Session& session, const Camera& camera, const HandInput& input, int width, int height);

    Doing m_doing = Doing::Nothing;
    uint64_t m_generation = 0;  // of the session in which the button went down
    uint32_t m_id = 0;          // of the particle in hand
    float m_depth = 0;          // [m] of what was pressed, along the view
    glm::vec3 m_at{};           // [m] where hand or brush are
    glm::vec2 m_pressed{}, m_cursor{};
    bool m_moved = false;  // since the press, farther than a click may
    std::optional<Click> m_click;
};

}  // namespace coalesce
