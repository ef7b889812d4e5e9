// The user's folders for settings and for cached data.
#pragma once

#include <filesystem>

namespace coalesce {

// $XDG_CONFIG_HOME/coalesce, or ~/.config/coalesce; empty when neither is set. Relative paths are ignored,
// as the XDG Base Directory Specification demands.
std::filesystem::path configFolder();

// The same with XDG_CACHE_HOME and ~/.cache.
std::filesystem::path cacheFolder();

}  // namespace coalesce
