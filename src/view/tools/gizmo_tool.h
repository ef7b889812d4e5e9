// The handles of what is selected, for the left button: they come before the hand. Draws with Dear ImGui.
#pragma once

#include <optional>

#include "view/tools/grab_tool.h"
#include "view/viewport/selection.h"

namespace coalesce {

class GizmoTool {
public:
    // To be called for every picture. True: the button is the handles'. A click that is no drag, and that
    // nothing else has taken, selects the shape under it, or nothing.
    bool use(Session& session, Selection& selection, const Camera& camera, const HandInput& input,
             PictureSize picture);
    // To be told when another tool took the button: its click selects nothing.
    void leave() { m_click = false; }
    // left: where the picture begins [ImGui's units]
    void draw(const Session& session, const Selection& selection, const Camera& camera, float left,
              PictureSize picture) const;

private:
    std::optional<GizmoDrag> m_drag;
    std::optional<GizmoPart> m_under;  // the cursor
    bool m_down = false, m_click = false;
    glm::vec2 m_pressed{};
};

}  // namespace coalesce
