#include "app/cache_options.h"

#include <charconv>

#include "app/options.h"

namespace coalesce {

void addCacheOptions(CLI::App& command, CacheChoice& choice) {
    CLI::Option* cache =
        command
            .add_option("--cache", choice.folder,
                        "Writes every frame to this folder, for --from-cache of view, record and export")
            ->type_name("DIR");
    command
        .add_option("--cache-full-every", choice.every,
                    "Frames between full frames, from which a run can go on")
        ->type_name("K")
        ->check(integer(1, 1'000'000))
        ->capture_default_str()
        ->needs(cache);
    command
        .add_flag(
            "--resume", choice.resume,
            "Continues the cache: keeps its good frames, and simulates those that are missing or damaged")
        ->needs(cache);
}

std::optional<CacheOptions> cacheOptions(const CacheChoice& choice) {
    if (choice.folder.empty()) return {};
    return CacheOptions{choice.folder, choice.every, choice.resume};
}

FrameRange parseRange(const std::string& option, const std::string& range) {
    FrameRange frames;
    if (range.empty()) return frames;
    const size_t colon = range.find(':');
    const auto number = [&](const std::string& text, uint64_t& to) {
        if (text.empty()) return true;
        const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), to);
        return error == std::errc() && stop == text.data() + text.size();
    };
    const bool good = colon == std::string::npos ? number(range, frames.first) && number(range, frames.last)
                                                 : number(range.substr(0, colon), frames.first) &&
                                                       number(range.substr(colon + 1), frames.last);
    if (!good || frames.first > frames.last)
        fail(Exit::Usage, option + " " + range, "this is no range",
             "Give FIRST:LAST, e.g. 30:90, 30: or :90, or one frame.");
    return frames;
}

void addFromCacheOptions(CLI::App& command, FromCache& from, const std::string& verb) {
    CLI::Option* folder = command
                              .add_option("--from-cache", from.folder,
                                          verb +
                                              " the frames of a cache (coalesce run --cache) without "
                                              "simulating")
                              ->type_name("DIR");
    command
        .add_option("--cache-range", from.range,
                    "With --from-cache: frames of the cache, both included; default: all")
        ->type_name("FIRST:LAST")
        ->needs(folder);
}

void excludeFromCache(CLI::App& command, const std::vector<const char*>& others) {
    CLI::Option* folder = command.get_option("--from-cache");
    for (const char* name : {"scene", "--size", "--set", "--preset", "--seed"})
        folder->excludes(command.get_option(name));
    for (const char* name : others) folder->excludes(command.get_option(name));
}

}  // namespace coalesce
