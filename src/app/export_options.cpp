#include "app/export_options.h"

#include <algorithm>
#include <fmt/ranges.h>
#include <sstream>

#include "app/options.h"
#include "app/stage_cameras.h"
#include "core/counted.h"
#include "scene/format/overrides.h"

namespace coalesce {

namespace {
const std::vector<std::string> kStageLiquids{"points", "mesh", "both"};  // in the order of StageLiquids
}

void addExportOptions(CLI::App& command, ExportChoice& choice) {
    CLI::Option* formats =
        command
            .add_option(
                "--export", choice.formats,
                "Exports particles with id, velocity, material, group, phi and attributes: ply, vtk, "
                "bgeo, vtp (with a .pvd series); the whole scene: usd; level sets of liquids, fogs of foam "
                "and smoke: vdb; several separated by commas")
            ->type_name("FORMATS");
    command.add_option("--export-every", choice.every, "Number of simulation frames between files")
        ->type_name("K")
        ->check(integer(1, 1'000'000'000))
        ->capture_default_str()
        ->needs(formats);
    command
        .add_option("--export-to", choice.folder,
                    "Folder of the exported files SCENE_000000.ply etc., numbered by frame")
        ->type_name("DIR")
        ->capture_default_str()
        ->needs(formats);
    command
        .add_option("--export-liquids", choice.liquids,
                    "How a USD stage represents liquids: points, mesh (their surface), or both")
        ->type_name("KIND")
        ->check(oneOf(kStageLiquids))
        ->capture_default_str();
    addSurfaceOptions(command, choice.surface, "mesh-");
}

// minPiece → min-piece
static std::string optionName(const std::string& field) {
    std::string name;
    for (const char c : field)
        name += std::isupper(c) ? std::string{'-', char(std::tolower(c))} : std::string{c};
    return name;
}

void addSurfaceOptions(CLI::App& command, SurfaceOptions& options, const std::string& prefix) {
    const auto add = [&]<class T>(const char* name, T& value, T low, T high, const std::string& unit,
                                  const std::string& sentence) {
        const std::string flag = "--" + prefix + optionName(name);
        if constexpr (std::is_same_v<T, bool>)
            command.add_flag(flag, value, sentence);
        else
            command.add_option(flag, value, unit == "-" ? sentence : sentence + " [" + unit + "]")
                ->check(number(low, high))
                ->capture_default_str();
    };
#define OPTION(type, name, standard, low, high, unit, sentence) \
    add(#name, options.name, type(low), type(high), unit, sentence);
#include "sim/surface/surface_options.def"
}

std::vector<size_t> chosenFormats(const std::string& option, const std::string& list,
                                  const std::vector<std::string>& names) {
    const std::string advice =
        fmt::format("Choose from {}; separate several by commas.", fmt::join(names, ", "));
    std::vector<size_t> chosen;
    std::stringstream words(list);
    for (std::string word; std::getline(words, word, ',');) {
        const auto found = std::ranges::find(names, word);
        if (found == names.end())
            fail(Exit::Usage, option + " " + list,
                 fmt::format("there is no format \"{}\".{}", word, didYouMean(word, names)), advice);
        const auto place = size_t(found - names.begin());
        if (std::ranges::find(chosen, place) == chosen.end()) chosen.push_back(place);
    }
    if (chosen.empty()) fail(Exit::Usage, option, "no format was given", advice);
    return chosen;
}

std::unique_ptr<Exporter> makeExporter(const ExportChoice& choice) {
    const auto place = std::ranges::find(kStageLiquids, choice.liquids) - kStageLiquids.begin();
    ExportOptions options{.formats = {},
                          .every = choice.every,
                          .folder = choice.folder,
                          .liquids = StageLiquids(place),
                          .surface = choice.surface};
    if (!choice.formats.empty())
        for (const size_t format : chosenFormats("--export", choice.formats, exportFormatNames()))
            options.formats.push_back(ExportFormat(format));
    const bool stage = std::ranges::find(options.formats, ExportFormat::usd) != options.formats.end();
    if (options.liquids != StageLiquids::points && !stage)
        fail(Exit::Usage, "--export-liquids " + choice.liquids,
             "only USD stages hold surface meshes of liquids",
             "Give --export usd; coalesce mesh writes them as PLY or OBJ.");
    if (options.formats.empty()) return nullptr;
    return std::make_unique<Exporter>(options);
}

std::string exportSummary(size_t files, const ExportChoice& choice, const Exporter& exporter) {
    constexpr size_t kShown = 3;
    std::string text = fmt::format("{} in {}", counted(files, "file"), choice.folder.string());
    if (const std::vector<std::string> left = exporter.laterFrames(); !left.empty())
        text += fmt::format("; {} to {} ({}) were there already: other programs play them after these",
                            left.front(), left.back(), counted(left.size(), "file"));
    std::vector<std::string> open;
    for (const std::string& file : exporter.toOpen()) open.push_back((choice.folder / file).string());
    if (files < 2 || open.empty()) return text;
    const size_t more = open.size() - std::min(open.size(), kShown);
    open.resize(open.size() - more);
    return text + fmt::format("; open {}{}", fmt::join(open, ", "),
                              more > 0 ? fmt::format(" and {} more", more) : "");
}

void exportFrame(Exporter& exporter, const Scene& scene, const World& world, bool onlyPassives) {
    if (!exporter.takes(world)) return;
    std::vector<StageCamera> cameras;
    if (exporter.writes(ExportFormat::usd)) cameras = stageCameras(scene, world);
    exporter.take(world, exportName(scene), cameras, onlyPassives);
}

std::string exportName(const Scene& scene) {
    std::string name = scene.name;
    if (!scene.caseName.empty()) name += "_" + scene.caseName;
    return name;
}

}  // namespace coalesce
