// The panel's page of display settings: coloring, render quality, surroundings, camera, lines.
#pragma once

#include "session/session.h"
#include "view/viewport/view_settings.h"

namespace coalesce {

void drawDisplayPage(Session& session, ViewSettings& view);

}  // namespace coalesce
