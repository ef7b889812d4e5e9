#include "cache/cache_folder.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "cache/cache_frame.h"
#include "core/error.h"
#include "core/hash.h"
#include "core/whole_file.h"
#include "scene/reader.h"

namespace coalesce {

namespace fs = std::filesystem;

namespace {

constexpr const char* kFormat = "Coalesce cache";
constexpr std::string_view kPrefix = "frame_", kSuffix = ".frame";

}  // namespace

uint64_t CacheInfo::key() const {
    const uint64_t scene = mixIn(hashText(text), every);
    return replay.empty() ? scene : mixIn(scene, hashText(replay));
}

CacheInfo infoOf(const Scene& scene, uint64_t every, std::string replay) {
    return {.scene = scene.name,
            .size = scene.size,
            .caseName = scene.caseName,
            .file = scene.file.empty() ? fs::path() : fs::absolute(scene.file).lexically_normal(),
            .every = every,
            .frameRate = double{scene.parameters.solver.frameRate},
            .text = scene.text,
            .replay = std::move(replay)};
}

Scene sceneOf(const CacheInfo& info) {
    Scene scene = readSceneText(info.text, info.file);
    scene.name = info.scene;
    scene.size = info.size;
    scene.caseName = info.caseName;
    scene.text = info.text;
    return scene;
}

bool isCache(const fs::path& folder) {
    std::error_code ignored;
    return fs::exists(folder / "cache.json", ignored);
}

CacheInfo readCacheInfo(const fs::path& folder) {
    const fs::path file = folder / "cache.json";
    std::error_code ignored;
    if (fs::exists(folder, ignored) && !fs::is_directory(folder, ignored))
        fail(Exit::Scene, folder.string(), "it is not a folder, and so no cache",
             "Caches are folders of coalesce run SCENE --cache DIR.");
    if (!isCache(folder))
        fail(Exit::Scene, folder.string(), "there is no cache in this folder",
             "Write one: coalesce run SCENE --cache " + folder.string());
    CacheInfo info;
    try {
        const nlohmann::json json = nlohmann::json::parse(readFile(file));
        const auto version = json.at("version").get<uint32_t>();
        if (json.at("format") != kFormat) throw std::runtime_error("it is not the description of a cache");
        if (version != kCacheVersion)
            throw std::runtime_error(fmt::format(
                "it is a cache of version {}, and this program reads version {}", version, kCacheVersion));
        info.scene = json.at("scene"), info.size = json.at("size"), info.caseName = json.at("case");
        info.file = std::string(json.at("file"));
        info.every = json.at("fullEvery");
        info.frameRate = json.at("frameRate");
        info.text = readFile(folder / "scene.json");
        if (json.value("replay", false)) info.replay = readFile(folder / "replay.json");
        if (fmt::format("{:016x}", info.key()) != json.at("key"))
            throw std::runtime_error(info.replay.empty() ? "scene.json beside it was changed"
                                                         : "scene.json or replay.json beside it was changed");
    } catch (const nlohmann::json::exception& error) {
        fail(Exit::Scene, file.string(),
             std::string("the description of this cache is damaged: ") + error.what(),
             "Write the cache again.");
    } catch (const Error&) {
        throw;
    } catch (const std::runtime_error& error) {
        fail(Exit::Scene, file.string(), std::string("this cache is refused: ") + error.what(),
             "Write the cache again, or use the program that wrote it.");
    }
    if (info.every == 0) fail(Exit::Scene, file.string(), "fullEvery is 0", "Write the cache again.");
    return info;
}

void writeCacheInfo(const CacheInfo& info, const fs::path& folder) {
    std::error_code failed;
    fs::create_directories(folder, failed);
    if (failed)
        fail(Exit::Output, "--cache " + folder.string(), "the folder cannot be created: " + failed.message(),
             "Choose a folder in a writable location.");
    // cache.json last: without it there is no cache
    writeFile(folder / "scene.json", info.text);
    if (!info.replay.empty()) writeFile(folder / "replay.json", info.replay);
    nlohmann::ordered_json json{{"format", kFormat},           {"version", kCacheVersion},
                                {"program", COALESCE_VERSION}, {"scene", info.scene},
                                {"size", info.size},           {"case", info.caseName},
                                {"file", info.file.string()},  {"frameRate", info.frameRate},
                                {"fullEvery", info.every},     {"key", fmt::format("{:016x}", info.key())}};
    if (!info.replay.empty()) json["replay"] = true;
    writeFile(folder / "cache.json", json.dump(2) + "\n");
}

fs::path frameFile(const fs::path& folder, uint64_t frame) {
    return folder / fmt::format("{}{:06}{}", kPrefix, frame, kSuffix);
}

std::vector<uint64_t> framesIn(const fs::path& folder) {
    std::vector<uint64_t> frames;
    std::error_code failed;
    for (const auto& entry : fs::directory_iterator(folder, failed)) {
        const std::string name = entry.path().filename().string();
        if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) continue;
        const char* end = name.data() + name.size() - kSuffix.size();
        uint64_t frame = 0;
        const auto [stop, error] = std::from_chars(name.data() + kPrefix.size(), end, frame);
        if (error == std::errc() && stop == end && frameFile(folder, frame).filename() == name)
            frames.push_back(frame);
    }
    std::sort(frames.begin(), frames.end());
    return frames;
}

void removeUnfinished(const fs::path& folder) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored))
        if (const std::string name = entry.path().filename().string();
            name.starts_with(kPrefix) && name.ends_with(std::string(kSuffix) + ".part"))
            fs::remove(entry.path(), ignored);
}

}  // namespace coalesce
