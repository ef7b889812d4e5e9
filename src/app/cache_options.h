// --cache and related options, and --from-cache with its range, shared by several commands.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>

#include "cache/cache_writer.h"

namespace coalesce {

struct CacheChoice {
    std::filesystem::path folder;  // empty: no cache is written
    uint64_t every = 30;
    bool resume = false;
};
void addCacheOptions(CLI::App& command, CacheChoice& choice);
std::optional<CacheOptions> cacheOptions(const CacheChoice& choice);

// Frames A:B of a cache, both included; "A:" and ":B" are open.
struct FrameRange {
    uint64_t first = 0, last = UINT64_MAX;
};
// Exit::Usage, with the name of the option, for a text that is no range.
FrameRange parseRange(const std::string& option, const std::string& text);
struct FromCache {
    std::filesystem::path folder;  // empty: the scene is simulated
    std::string range;

    FrameRange frames() const { return parseRange("--cache-range", range); }
};
void addFromCacheOptions(CLI::App& command, FromCache& from, const std::string& verb);
// With --from-cache excludes the options of the scene, which a cache holds since it was written, and others.
void excludeFromCache(CLI::App& command, const std::vector<const char*>& others);

}  // namespace coalesce
