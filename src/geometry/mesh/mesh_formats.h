// The file formats of parseMesh(). They throw Error (Exit::Scene) with the position in the file.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "geometry/mesh/mesh_reader.h"

namespace coalesce {

TriangleMesh parseObj(std::string_view content, const std::string& name, const MeshLimits& limits);
TriangleMesh parsePly(std::string_view content, const std::string& name, const MeshLimits& limits);
TriangleMesh parseStl(std::string_view content, const std::string& name, const MeshLimits& limits);
// JSON or binary. Buffers in files of their own are read from the folder only; empty: not at all.
TriangleMesh parseGltf(std::string_view content, const std::string& name, const std::filesystem::path& folder,
                       const MeshLimits& limits);

}  // namespace coalesce
