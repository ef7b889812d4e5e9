// --export and related options, shared by run and record.
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
};
void addExportOptions(CLI::App& command, ExportChoice& choice);

// Null when nothing is exported. Exit::Usage for an unknown format, Exit::Output for a folder that is not
// writable.
std::unique_ptr<Exporter> makeExporter(const ExportChoice& choice);
// File name prefix of a scene: its name and case.
std::string exportName(const Scene& scene);
// The cameras of a scene for a stage.
std::vector<StageCamera> stageCameras(const Scene& scene);

}  // namespace coalesce
