// Particle file formats of other programs. Each writer is smaller than a library would be.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "export/particle_table.h"

namespace coalesce {

enum class ExportFormat { ply, vtk, bgeo, vtp, usd, vdb };
// "ply", "vtk", "bgeo", "vtp", "usd", "vdb", in the order of the
// enum; also the file extensions, except for usd.
const std::vector<std::string>& exportFormatNames();

// The bytes of a file. The same table gives the same bytes.
//   ply:  PLY 1.0, binary little endian, one element "vertex"; velocity as vx, vy, vz, vectors as name_x …
//   vtk:  legacy VTK 3.0, binary (big endian), an unstructured grid of vertices with point data
//   bgeo: Houdini's classic BGEO, version 5 (big endian), points without primitives; velocity is called v
//   vtp:  VTK XML PolyData 1.0, vertices with point data, appended raw (little endian)
// A stage (usd) has several files: usd_stage.h. Volumes (vdb) are not made of a table: vdb_file.h.
std::string encode(const ParticleTable& table, ExportFormat format);

// A ParaView data file: the .vtp files of a series with their times [s]. Format: ParaView wiki,
// "ParaView/Data formats", "PVD File Format".
struct SeriesEntry {
    double time = 0;
    std::string file;  // name, in the folder of the series
};
std::string encodeSeries(const std::vector<SeriesEntry>& entries);

// Creates the folder of --export-to where it is missing, and writes a
// file there as a trial. Exit::Output on failure.
void requireWritableFolder(const std::filesystem::path& folder);

}  // namespace coalesce
