// What the mouse does in the picture: the left button belongs to the hand where there is something to take,
// all the rest to the camera. Dear ImGui's mouse; no window.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "view/tools/gizmo_tool.h"
#include "view/tools/grab_tool.h"
#include "view/tools/spawn_tool.h"
#include "view/viewport/view_settings.h"

namespace coalesce {

class Mouse {
public:
    // held: whether a key is down, by GLFW's code.
    explicit Mouse(std::function<bool(int)> held) : m_held(std::move(held)) {}

    // floor: height [m] of what the camera does not go through; left: where the picture begins; width,
    // height: of it. [ImGui's units] What is beside it moves the camera only. The answer says what cannot be
    // done of what is asked; empty: nothing.
    std::string use(Session& session, ViewSettings& look, std::optional<float> floor, float left, int width,
                    int height);
    // The answer as above.
    std::string throwBall(Session& session, const ViewSettings& look) const;
    std::string nextPoured(Session& session) { return m_gifts.nextPoured(session); }
    // The spring of what is held, or the stroke of the knife.
    void draw(Session& session, const ViewSettings& look, float left, int width, int height) const;

private:
    void moveCamera(ViewSettings& look, std::optional<float> floor, float left, int width, int height,
                    bool buttonTaken) const;

    std::function<bool(int)> m_held;
    GrabTool m_hand;
    GizmoTool m_gizmo;
    SpawnTool m_gifts;
    Aim m_aim;
    bool m_pours = false, m_blows = false;
};

}  // namespace coalesce
