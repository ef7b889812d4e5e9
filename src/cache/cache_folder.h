// The folder of a cache: cache.json says what was simulated, scene.json is the scene with all choices
// applied, replay.json the replay that was played, if one was; frame_000000.frame, … are the frames.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "scene/format/scene.h"

namespace coalesce {

struct CacheInfo {
    std::string scene, size, caseName;  // as it was chosen
    std::filesystem::path file;         // of the scene; meshes are found beside it
    uint64_t every = 30;                // frames from one full frame to the next
    double frameRate = 60;              // [1/s]
    std::string text;                   // of the scene: Scene::text
    std::string replay{};               // the text of the replay that was played; empty: none

    // Identifies the run: equal scenes, sizes, cases, values and replays have equal keys.
    uint64_t key() const;
};

CacheInfo infoOf(const Scene& scene, uint64_t every, std::string replay = {});
// The scene that was simulated, with the choices that were made then.
Scene sceneOf(const CacheInfo& info);

bool isCache(const std::filesystem::path& folder);
// Exit::Scene where there is no cache, or one of another version.
CacheInfo readCacheInfo(const std::filesystem::path& folder);
// Creates the folder if it is missing. Exit::Output.
void writeCacheInfo(const CacheInfo& info, const std::filesystem::path& folder);

std::filesystem::path frameFile(const std::filesystem::path& folder, uint64_t frame);
// The frames that have a file, in ascending order.
std::vector<uint64_t> framesIn(const std::filesystem::path& folder);
// The files that an interrupted program has left unfinished.
void removeUnfinished(const std::filesystem::path& folder);

}  // namespace coalesce
