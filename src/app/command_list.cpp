// `coalesce list`: scenes with description, sizes and cases.
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

#include "app/command.h"
#include "app/scene_folder.h"
#include "core/error.h"
#include "scene/format/overrides.h"
#include "scene/format/scene.h"
#include "scene/reader.h"

namespace coalesce {

namespace {

struct ListOptions {
    std::vector<std::string> tags;
    std::string folder;
    bool namesOnly = false;
};

bool hasTags(const Scene& scene, const std::vector<std::string>& tags) {
    return std::all_of(tags.begin(), tags.end(), [&](const std::string& tag) {
        return scene.tier == tag || std::find(scene.tags.begin(), scene.tags.end(), tag) != scene.tags.end();
    });
}

// What to do where no scene has the tags.
std::string adviceOn(const std::vector<std::string>& tags, const std::set<std::string>& known) {
    std::string advice;
    for (const std::string& tag : tags)
        if (!known.contains(tag))
            advice += fmt::format("There is no tag \"{}\".{} ", printable(tag),
                                  didYouMean(tag, {known.begin(), known.end()}));
    return advice + fmt::format("Tags: {}.", fmt::join(known, ", "));
}

int runList(const ListOptions& options) {
    size_t shown = 0;
    std::string diagnostics;
    std::set<std::string> known;
    for (const auto& file : sceneFiles(options.folder)) {
        try {
            const Scene scene = readSceneFields(file);
            known.insert(scene.tags.begin(), scene.tags.end());
            if (!scene.tier.empty()) known.insert(scene.tier);
            if (!hasTags(scene, options.tags)) continue;
            ++shown;
            if (options.namesOnly) {
                fmt::print("{}\n", file.string());
                continue;
            }
            fmt::print("{}\n    {}\n", scene.name, scene.about);
            if (!scene.tags.empty()) fmt::print("    tags:  {}\n", fmt::join(scene.tags, ", "));
            if (!scene.sizes.empty()) fmt::print("    sizes: {}\n", fmt::join(scene.sizes, ", "));
            if (!scene.cases.empty()) fmt::print("    cases: {}\n", fmt::join(scene.cases, ", "));
        } catch (const Error& error) {
            diagnostics += std::string(error.what()) + "\n";
        }
    }
    // a broken scene does not hide the others, but is reported at the end
    if (!diagnostics.empty()) throw Error(Exit::Scene, diagnostics.substr(0, diagnostics.size() - 1));
    if (shown == 0)
        fail(Exit::Usage, "list", "no scene has all of these tags", adviceOn(options.tags, known));
    return 0;
}

}  // namespace

void addListCommand(CLI::App& app, Command& result) {
    auto options = std::make_shared<ListOptions>();
    CLI::App* command = app.add_subcommand("list", "Lists scenes with description, tags, sizes and cases");
    command->add_option("--tag", options->tags, "Only scenes with this tag or tier; may be repeated")
        ->allow_extra_args(false);
    command->add_option("--folder", options->folder, "Folder of scene files; default: scenes/");
    command->add_flag("--names", options->namesOnly, "Prints only file names");
    command->callback([options, &result] { result.run = [options] { return runList(*options); }; });
}

}  // namespace coalesce
