// The folder of the user's settings.
#pragma once

#include <filesystem>

namespace coalesce {

// $XDG_CONFIG_HOME/coalesce, or ~/.config/coalesce; empty when neither is set. Relative paths are ignored,
// as the XDG Base Directory Specification demands.
std::filesystem::path configFolder();

}  // namespace coalesce
