// Where a user's settings are kept.
#pragma once

#include <filesystem>

namespace coalesce {

// $XDG_CONFIG_HOME/coalesce, or ~/.config/coalesce; empty where there is neither. Relative ones are ignored,
// as the XDG Base Directory Specification asks.
std::filesystem::path configFolder();

}  // namespace coalesce
