#include "app/scene_folder.h"

#include <algorithm>
#include <fmt/ranges.h>

#include "core/error.h"
#include "scene/format/overrides.h"

namespace coalesce {

namespace {

// Names of the *.json files of a folder, sorted; none if it cannot be read.
std::vector<std::string> namesIn(const std::filesystem::path& folder) {
    std::error_code ignored;
    std::vector<std::string> names;
    for (std::filesystem::directory_iterator it(folder, ignored), end; !ignored && it != end;
         it.increment(ignored))
        if (it->path().extension() == ".json") names.push_back(it->path().stem().string());
    std::sort(names.begin(), names.end());
    return names;
}

bool isBareName(const std::filesystem::path& name) {
    return !name.empty() && name.parent_path().empty() && !name.has_extension();
}

}  // namespace

std::filesystem::path sceneFolder() {
    std::error_code ignored;
    return std::filesystem::is_directory("scenes", ignored)
               ? std::filesystem::path("scenes")
               : std::filesystem::path(COALESCE_SOURCE_DIR) / "scenes";
}

std::filesystem::path shippedPresets() {
    return sceneFolder() / "presets";
}

std::filesystem::path sceneFile(const std::string& name) {
    namespace fs = std::filesystem;
    std::error_code ignored;
    const bool folder =
        fs::is_directory(name, ignored);  // may bear the name of the scene whose results it holds
    if (fs::exists(name, ignored) && !folder) return name;
    // "dam_break" and "scenes/dam_break.json" work from any folder
    const fs::path file = fs::path(name).stem().string() + ".json";
    const bool ours = fs::path(name).parent_path().empty() || fs::path(name).parent_path() == "scenes";
    if (ours && fs::exists(sceneFolder() / file, ignored)) return sceneFolder() / file;
    if (isBareName(name) && !folder) {
        if (fs::exists(name + ".json", ignored))
            fail(Exit::Scene, name, "there is no scene of this name. Did you mean \"" + name + ".json\"?",
                 "Names are those of coalesce list; a file is named with its extension.");
        fail(Exit::Scene, name, "there is no scene of this name." + didYouMean(name, namesIn(sceneFolder())),
             "All scenes: coalesce list. A file is named with its extension: my_scene.json.");
    }
    return name;  // the reader reports the problem
}

std::filesystem::path shippedFile(const std::string& folder, const std::filesystem::path& name) {
    std::error_code ignored;
    if (!isBareName(name) || std::filesystem::is_regular_file(name, ignored)) return name;
    const std::filesystem::path file = sceneFolder() / folder / (name.string() + ".json");
    if (std::filesystem::exists(file, ignored)) return file;
    const std::vector<std::string> names = namesIn(file.parent_path());
    fail(Exit::Scene, name.string(),
         fmt::format("there is no file of this name in scenes/{}.{}", folder,
                     didYouMean(name.string(), names)),
         fmt::format("There are: {}. Another file is named with its extension.", fmt::join(names, ", ")));
}

std::vector<std::filesystem::path> sceneFiles(const std::string& folder) {
    namespace fs = std::filesystem;
    std::error_code error;
    const fs::path place = folder.empty() ? sceneFolder() : fs::path(folder);
    std::vector<fs::path> files;
    for (fs::directory_iterator it(place, error), end; !error && it != end; it.increment(error))
        if (it->path().extension() == ".json") files.push_back(it->path());
    if (error)
        fail(Exit::Usage, place.string(), "the folder cannot be read: " + error.message(),
             "Choose another folder with --folder.");
    if (files.empty())
        fail(Exit::Usage, place.string(), "there are no scene files (*.json)",
             "Choose another folder with --folder.");
    std::sort(files.begin(), files.end());
    return files;
}

}  // namespace coalesce
