// --export and its relatives, shared by run and record.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>

#include "export/exporter.h"
#include "scene/format/scene.h"

namespace coalesce {

struct ExportChoice {
    std::string formats;  // "ply,vtk"
    uint64_t every = 1;
    std::filesystem::path folder = "export";
};
void addExportOptions(CLI::App& command, ExportChoice& choice);

// Null where nothing is exported. Exit::Usage on an unknown format, Exit::Output on a folder that cannot be
// written.
std::unique_ptr<Exporter> makeExporter(const ExportChoice& choice);
// What the files of a scene are called: its name and case.
std::string exportName(const Scene& scene);

}  // namespace coalesce
