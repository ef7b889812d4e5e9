// Mouse input in the viewport: the left button belongs to the tools where they can use it, everything else
// moves the camera. Reads Dear ImGui's mouse; no window.
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
    // isHeld: whether a key is down (GLFW key code).
    explicit Mouse(std::function<bool(int)> isHeld) : m_isHeld(std::move(isHeld)) {}

    // floor: height [m] that the camera stays above; left, width, height: of the viewport [ImGui's units].
    // With the cursor outside of it, only the camera moves. Returns what to tell the user, such as why an
    // action is impossible; empty: nothing.
    std::string use(Session& session, ViewSettings& view, std::optional<float> floor, float left, int width,
                    int height);
    // The cursor in the viewport, as of the last use().
    const Aim& aim() const { return m_aim; }
    // Chooses the next material to pour; the message names it.
    std::string nextPoured(Session& session) { return m_spawn.nextPoured(session); }
    // The gizmo, the spring of a grab, the stroke of the knife, what a waiting cut will separate.
    void draw(Session& session, const ViewSettings& view, float left, int width, int height);

private:
    void moveCamera(ViewSettings& view, std::optional<float> floor, bool buttonTaken) const;

    std::function<bool(int)> m_isHeld;
    GrabTool m_grab;
    GizmoTool m_gizmo;
    SpawnTool m_spawn;
    Aim m_aim;
    bool m_pouring = false, m_blowing = false;
};

}  // namespace coalesce
