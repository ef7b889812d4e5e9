#include "app/export_options.h"

#include <algorithm>
#include <sstream>

#include "app/options.h"

namespace coalesce {

void addExportOptions(CLI::App& command, ExportChoice& choice) {
    command
        .add_option("--export", choice.formats,
                    "Exports particles with id, velocity, material, group, phi and attributes: ply, vtk, "
                    "bgeo, vtp (with a .pvd series), or the whole scene: usd; several separated by commas")
        ->type_name("FORMATS");
    command.add_option("--export-every", choice.every, "Number of simulation frames between files")
        ->type_name("K")
        ->check(integer(1, 1'000'000'000))
        ->capture_default_str();
    command
        .add_option("--export-to", choice.folder,
                    "Folder of the exported files SCENE_000000.ply etc., numbered by frame")
        ->type_name("DIR")
        ->capture_default_str();
}

std::unique_ptr<Exporter> makeExporter(const ExportChoice& choice) {
    if (choice.formats.empty()) return nullptr;
    ExportOptions options{{}, choice.every, choice.folder};
    const std::vector<std::string>& names = exportFormatNames();
    std::stringstream list(choice.formats);
    for (std::string word; std::getline(list, word, ',');) {
        const auto found = std::find(names.begin(), names.end(), word);
        if (found == names.end()) {
            const std::string near = nearest(word, names);
            fail(Exit::Usage, "--export " + choice.formats,
                 fmt::format("there is no format \"{}\".{}", word,
                             near.empty() ? "" : fmt::format(" Did you mean \"{}\"?", near)),
                 "Choose one of ply, vtk, bgeo, vtp, usd.");
        }
        const auto format = static_cast<ExportFormat>(found - names.begin());
        if (std::find(options.formats.begin(), options.formats.end(), format) == options.formats.end())
            options.formats.push_back(format);
    }
    return std::make_unique<Exporter>(options);
}

std::vector<StageCamera> stageCameras(const Scene& scene) {
    std::vector<StageCamera> cameras;
    for (const CameraView& view : scene.cameras)
        cameras.push_back({view.name, view.eye, view.look, view.fov});
    return cameras;
}

std::string exportName(const Scene& scene) {
    std::string name = scene.name;
    if (!scene.caseName.empty()) name += "_" + scene.caseName;
    return name;
}

}  // namespace coalesce
