// The section of the panel in which the user chooses how a scene is looked at.
#pragma once

#include <functional>
#include <string>

#include "view/look.h"
#include "view/session.h"

namespace coalesce {

// place: is told the path of each widget after it was drawn, e.g. "look.show"; for tests.
using PlaceWidget = std::function<void(const std::string& path)>;
void drawLookSection(Session& session, Look& look, const PlaceWidget& place);

}  // namespace coalesce
