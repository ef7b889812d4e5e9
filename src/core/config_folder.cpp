#include "core/config_folder.h"

#include <cstdlib>

namespace coalesce {

namespace {

std::filesystem::path folderOf(const char* variable, const char* below) {
    const auto absolute = [](const char* name) {
        const char* value = std::getenv(name);
        const std::filesystem::path path(value ? value : "");
        return path.is_absolute() ? path : std::filesystem::path();
    };
    if (const auto folder = absolute(variable); !folder.empty()) return folder / "coalesce";
    const auto home = absolute("HOME");
    return home.empty() ? home : home / below / "coalesce";
}

}  // namespace

std::filesystem::path configFolder() {
    return folderOf("XDG_CONFIG_HOME", ".config");
}

std::filesystem::path cacheFolder() {
    return folderOf("XDG_CACHE_HOME", ".cache");
}

}  // namespace coalesce
