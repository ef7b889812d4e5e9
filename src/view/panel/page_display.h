// The panel's page of display settings: coloring, render quality, surroundings, camera, lines.
#pragma once

#include <string>

#include "session/session.h"
#include "view/viewport/draw_facts.h"
#include "view/viewport/view_settings.h"

namespace coalesce {

// wanted: draws only what has this text in its label or description; "": everything. False: nothing has it.
bool drawDisplayPage(Session& session, ViewSettings& view, const DrawFacts& facts,
                     const std::string& wanted = "");

}  // namespace coalesce
