#include "view/panel/settings.h"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/config_folder.h"
#include "core/error.h"
#include "core/whole_file.h"
#include "scene/format/shots.h"

namespace coalesce {

namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

template <class Enum, size_t N>
void readWord(const Json& json, const char* key, const char* const (&words)[N], Enum& value) {
    if (!json.contains(key) || !json[key].is_string()) return;
    const auto found = std::find(std::begin(words), std::end(words), json[key].get<std::string>());
    if (found != std::end(words)) value = static_cast<Enum>(found - std::begin(words));
}

template <class Enum, size_t N>
void writeWord(Json& json, const char* key, const char* const (&words)[N], Enum value) {
    if (size_t(value) < N) json[key] = words[size_t(value)];
}

}  // namespace

void Settings::takeChanges(const DrawOptions& start, const DrawOptions& now) {
    if (now.quality != start.quality) quality = now.quality;
    if (now.background != start.background) background = now.background;
    if (now.ground != start.ground) ground = now.ground;
    if (now.exposure != start.exposure) exposure = now.exposure;
}

void Settings::addRecent(const fs::path& scene) {
    std::error_code ignored;
    const fs::path absolute = fs::weakly_canonical(fs::absolute(scene, ignored), ignored);
    std::erase(recent, absolute);
    recent.insert(recent.begin(), absolute);
    if (recent.size() > kMaxRecent) recent.resize(kMaxRecent);
}

std::pair<int, int> pixelsOf(RecordingSize size) {
    static constexpr std::pair<int, int> kPixels[] = {{0, 0}, {1280, 720}, {1920, 1080}, {3840, 2160}};
    return kPixels[size_t(size)];
}

fs::path settingsFile() {
    const fs::path config = configFolder();
    return config.empty() ? config : config / "settings.json";
}

Settings loadSettings(const fs::path& file, std::string& warning) {
    Settings settings;
    std::ifstream in(file);
    if (!in) return settings;
    std::ostringstream text;
    text << in.rdbuf();
    try {
        const Json json = Json::parse(text.str());
        if (!json.is_object()) throw std::runtime_error("it is not an object");
        forEachSetting(settings, [&]<class T>(const SettingInfo& info, T& value) {
            if (!json.contains(info.key) || !json[info.key].is_number()) return;
            const double number = json[info.key].get<double>();
            if (number >= info.min && number <= info.max) value = static_cast<T>(number);
        });
        readWord(json, "quality", kFormerQualityNames, settings.quality);
        readWord(json, "quality", kQualityNames, settings.quality);
        readWord(json, "draft", kDraftNames, settings.draft);
        readWord(json, "background", kBackgroundNames, settings.background);
        readWord(json, "ground", kGroundNames, settings.ground);
        readWord(json, "recordingSize", kRecordingSizes, settings.recordingSize);
        if (json.contains("recent") && json["recent"].is_array())
            for (const Json& scene : json["recent"])
                if (scene.is_string() && settings.recent.size() < Settings::kMaxRecent)
                    settings.recent.emplace_back(scene.get<std::string>());
        return settings;
    } catch (const std::exception& error) {
        fs::path aside = file;
        aside += ".broken";
        std::error_code failed;
        fs::rename(file, aside, failed);
        warning = fmt::format("{}: cannot read the settings, using defaults: {}\n    {}", file.string(),
                              error.what(),
                              failed ? "The file will be overwritten when the window closes."
                                     : "The file was renamed to " + aside.string() + ".");
        return {};
    }
}

void saveSettings(const Settings& settings, const fs::path& file) {
    Json json;
    // floats with their shortest exact digits
    forEachSetting(settings, [&](const SettingInfo& info, const auto& value) {
        json[info.key] = Json::parse(fmt::format("{}", value));
    });

    writeWord(json, "quality", kQualityNames, settings.quality);
    writeWord(json, "draft", kDraftNames, settings.draft);
    writeWord(json, "background", kBackgroundNames, settings.background);
    writeWord(json, "ground", kGroundNames, settings.ground);
    writeWord(json, "recordingSize", kRecordingSizes, settings.recordingSize);
    json["recent"] = Json::array();
    for (const fs::path& scene : settings.recent) json["recent"].push_back(scene.string());
    std::error_code failed;
    fs::create_directories(file.parent_path(), failed);
    if (failed)
        fail(Exit::Output, file.string(), "cannot create the folder of the settings: " + failed.message(),
             "Choose another folder with XDG_CONFIG_HOME, or use --no-settings.");
    writeFile(file, json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace coalesce
