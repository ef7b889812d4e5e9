#include "geometry/mesh/mesh_reader.h"

#include <cctype>
#include <fmt/format.h>

#include "core/error.h"
#include "core/whole_file.h"
#include "geometry/mesh/mesh_formats.h"

namespace coalesce {

TriangleMesh parseMesh(std::string_view content, MeshFormat format, const std::string& name,
                       const MeshLimits& limits) {
    if (content.size() > limits.bytes)
        fail(Exit::Scene, name, fmt::format("the file has more than {} bytes", limits.bytes),
             "Simplify the mesh.");
    return format == MeshFormat::obj ? parseObj(content, name, limits) : parsePly(content, name, limits);
}

TriangleMesh readMesh(const std::filesystem::path& file, const MeshLimits& limits) {
    std::string extension = file.extension().string();
    for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (extension != ".obj" && extension != ".ply")
        fail(Exit::Scene, file.string(), "unsupported mesh format", "Supported: .obj, .ply.");
    return parseMesh(readFile(file, limits.bytes), extension == ".obj" ? MeshFormat::obj : MeshFormat::ply,
                     file.string(), limits);
}

}  // namespace coalesce
