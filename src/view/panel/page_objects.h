// The panel's page of what is in the scene besides particles: gravity and fields, emitters, sinks and shapes,
// each with handles in the picture.
#pragma once

#include "view/viewport/view_settings.h"
#include "view/widgets/panel_rows.h"

namespace coalesce {

void drawObjects(Session& session, ViewSettings& look, PanelRows& rows);

}  // namespace coalesce
