// What is wrong, and what to do about it. Dear ImGui only.
#pragma once

#include <string>
#include <vector>

#include "session/session.h"
#include "view/widgets/widget_rect.h"

namespace coalesce {

// Whether there is anything to say.
bool hasNotices(const Session& session, const std::string& shaderErrors);
// In the present window, one below the other: an error of the simulation, mistakes in the scene's file and in
// shaders, warnings. Answers the path of a value that helps, when its button is pressed.
std::string drawNotices(Session& session, const std::string& shaderErrors, std::vector<WidgetRect>& placed);

}  // namespace coalesce
