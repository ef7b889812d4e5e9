// Files that are dropped on the window.
#pragma once

#include <filesystem>
#include <string>

#include "session/session.h"

namespace coalesce {

// A scene opens. A mesh (.obj, .ply) gets a small scene around it, kept in `folder`, which is made if need
// be. The answer says what happened, or why nothing did; then the present scene goes on.
std::string openDropped(Session& session, const std::filesystem::path& file,
                        const std::filesystem::path& folder);

}  // namespace coalesce
