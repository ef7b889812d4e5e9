// The panel's page of how the scene is looked at.
#pragma once

#include "view/viewport/view_settings.h"
#include "view/widgets/panel_rows.h"

namespace coalesce {

void drawDisplayPage(Session& session, ViewSettings& look, PanelRows& rows);

}  // namespace coalesce
