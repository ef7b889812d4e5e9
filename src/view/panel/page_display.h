// The panel's page of display settings: coloring, render quality, surroundings, camera, lines.
#pragma once

#include "session/session.h"
#include "view/viewport/draw_facts.h"
#include "view/viewport/view_settings.h"

namespace coalesce {

void drawDisplayPage(Session& session, ViewSettings& view, const DrawFacts& facts);

}  // namespace coalesce
