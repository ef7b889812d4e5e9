// --export and related options, shared by run, record, export, foam and mesh.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>

#include "export/exporter.h"
#include "scene/format/scene.h"

namespace coalesce {

struct ExportChoice {
    std::string formats;  // "ply,usd"
    uint64_t every = 1;
    std::filesystem::path folder = "export";
    std::string liquids = "points";
    SurfaceOptions surface;
};
void addExportOptions(CLI::App& command, ExportChoice& choice);

// The options of surface meshes: --PREFIXcell etc., of surface_options.def.
void addSurfaceOptions(CLI::App& command, SurfaceOptions& options, const std::string& prefix);
// The places in `names` of the words of a list "ply,obj", each once. Exit::Usage, with the name of the
// option, for a word that is no name, and for an empty list.
std::vector<size_t> chosenFormats(const std::string& option, const std::string& list,
                                  const std::vector<std::string>& names);

// Null when nothing is exported. Exit::Usage for an unknown format and for meshes of liquids without a stage,
// Exit::Output for a folder that is not writable.
std::unique_ptr<Exporter> makeExporter(const ExportChoice& choice);
// File name prefix of a scene: its name and case.
std::string exportName(const Scene& scene);
// "62 files in export; open export/dam_break.usda", after finish() has returned their number.
std::string exportSummary(size_t files, const ExportChoice& choice, const Exporter& exporter);
// Exports a frame of a scene, if its turn has come.
void exportFrame(Exporter& exporter, const Scene& scene, const World& world, bool onlyPassives = false);

}  // namespace coalesce
