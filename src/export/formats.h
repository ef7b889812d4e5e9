// Particles as files of other programs. Every format is written by itself, for it is smaller than the
// libraries that read it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "export/particle_table.h"

namespace coalesce {

enum class ExportFormat { ply, vtk, bgeo };
// "ply", "vtk", "bgeo", in the order of the enum; also the endings of files.
const std::vector<std::string>& exportFormatNames();

// The bytes of a file. The same table gives the same bytes.
//   ply:  PLY 1.0, binary little endian, one element "vertex"; velocity as vx, vy, vz, vectors as name_x …
//   vtk:  legacy VTK 3.0, binary (big endian), an unstructured grid of vertices with point data
//   bgeo: Houdini's classic BGEO, version 5 (big endian), points without primitives; velocity is called v
std::string encode(const ParticleTable& table, ExportFormat format);

// Writes a file whole or not at all: beside it first, then renamed. A failure leaves nothing behind and is
// thrown with its reason. Exit::Output.
void writeWhole(const std::filesystem::path& file, const std::string& bytes);

}  // namespace coalesce
