// The panel's page of how the scene is looked at.
#pragma once

#include "view/look.h"
#include "view/panel_rows.h"

namespace coalesce {

void drawLookPage(Session& session, Look& look, PanelRows& rows);

}  // namespace coalesce
