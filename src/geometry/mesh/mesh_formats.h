// The file formats of parseMesh(). They throw Error (Exit::Scene) with the position in the file.
#pragma once

#include <string>
#include <string_view>

#include "geometry/mesh/mesh_reader.h"

namespace coalesce {

TriangleMesh parseObj(std::string_view content, const std::string& name, const MeshLimits& limits);
TriangleMesh parsePly(std::string_view content, const std::string& name, const MeshLimits& limits);

}  // namespace coalesce
