// The panel's page of what is in the scene besides particles: gravity and fields, emitters, sinks and shapes,
// each with handles in the picture.
#pragma once

#include "view/look.h"
#include "view/panel_rows.h"

namespace coalesce {

void drawObjects(Session& session, Look& look, PanelRows& rows);

}  // namespace coalesce
