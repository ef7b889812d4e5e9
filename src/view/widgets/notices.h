// Errors and warnings with advice. Dear ImGui only.
#pragma once

#include <string>

#include "session/session.h"

namespace coalesce {

// Whether there is any error or warning.
bool hasNotices(const Session& session, const std::string& shaderErrors);
// In the present window, one below the other: simulation error, errors in the scene file and in shaders,
// warnings. Returns the path of the recommended value when its button is pressed.
std::string drawNotices(Session& session, const std::string& shaderErrors);

}  // namespace coalesce
