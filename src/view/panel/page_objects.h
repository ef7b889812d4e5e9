// The panel's page of scene elements: gravity, force fields, emitters, sinks, shapes and bodies.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "view/viewport/view_settings.h"
#include "view/widgets/panel_rows.h"

namespace coalesce {

class PageObjects {
public:
    void draw(Session& session, ViewSettings& view, PanelRows& rows);

    // What the user does to the elements; done after they are drawn, because it replaces the world.
    using Action = std::function<void(Session&, ViewSettings&)>;

private:
    void drawBodies(const Session& session, ViewSettings& view, Action& action);
    void drawPlacement(const Body& body, Action& action);

    // The position of a body while it is dragged or typed [m]: a new one restarts the scene, so it waits for the
    // end. Not after Esc.
    struct Placement {
        std::string body;
        float center[3];
    };
    std::optional<Placement> m_placement;
};

}  // namespace coalesce
