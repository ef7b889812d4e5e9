// The panel's page of scene elements: gravity, force fields, emitters, sinks, shapes and bodies.
#pragma once

#include "view/viewport/view_settings.h"
#include "view/widgets/panel_rows.h"

namespace coalesce {

void drawObjects(Session& session, ViewSettings& view, PanelRows& rows);

}  // namespace coalesce
