// Files that are dropped on the window.
#pragma once

#include <filesystem>
#include <string>

#include "session/session.h"

namespace coalesce {

// Opens a scene. For a mesh, see meshFormatOf(), writes a small scene around it into `folder`, which is
// created if needed, and opens that. Returns a message; on failure the present scene continues.
std::string openDropped(Session& session, const std::filesystem::path& file,
                        const std::filesystem::path& folder);

}  // namespace coalesce
