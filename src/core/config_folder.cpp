#include "core/config_folder.h"

#include <cstdlib>

namespace coalesce {

std::filesystem::path configFolder() {
    const auto absolute = [](const char* name) {
        const char* value = std::getenv(name);
        const std::filesystem::path path(value ? value : "");
        return path.is_absolute() ? path : std::filesystem::path();
    };
    if (const auto config = absolute("XDG_CONFIG_HOME"); !config.empty()) return config / "coalesce";
    const auto home = absolute("HOME");
    return home.empty() ? home : home / ".config" / "coalesce";
}

}  // namespace coalesce
