// The gizmo of the selected element, or the box of a selected body: the left button drags its handles; it takes
// precedence over the grab tool. Draws with Dear ImGui.
#pragma once

#include <optional>

#include "view/tools/grab_tool.h"
#include "view/viewport/selection.h"

namespace coalesce {

class GizmoTool {
public:
    // To be called every frame. True: the gizmo uses the button. A click that no other tool has used selects
    // the shape under it, or nothing.
    bool use(Session& session, Selection& selection, const Camera& camera, const MouseInput& input,
             ViewportSize viewport);
    // To be called when another tool uses the button: its click selects nothing.
    void cancelClick() { m_click = false; }
    // left: where the viewport begins [ImGui's units]
    void draw(const Session& session, const Selection& selection, const Camera& camera, float left,
              ViewportSize viewport) const;

private:
    // Where the particles of the selected body were in a frame.
    struct BodyBox {
        Selection body;
        uint64_t world = 0, step = 0;
        std::optional<Bounds> box;
    };
    BodyBox m_body;
    std::optional<GizmoDrag> m_drag;
    std::optional<GizmoHandle> m_hovered;
    bool m_down = false, m_click = false;
    glm::vec2 m_pressed{};
};

}  // namespace coalesce
