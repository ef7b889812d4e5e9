#include "geometry/mesh/mesh_reader.h"

#include <cctype>
#include <fmt/format.h>
#include <map>

#include "core/error.h"
#include "core/whole_file.h"
#include "geometry/mesh/mesh_formats.h"
#include "geometry/mesh/mesh_vdb.h"

namespace coalesce {

TriangleMesh parseMesh(std::string_view content, MeshFormat format, const std::string& name,
                       const MeshLimits& limits, const std::filesystem::path& folder) {
    if (content.size() > limits.bytes)
        fail(Exit::Scene, name, fmt::format("the file has more than {} bytes", limits.bytes),
             "Simplify the mesh.");
    switch (format) {
        case MeshFormat::obj:
            return parseObj(content, name, limits);
        case MeshFormat::ply:
            return parsePly(content, name, limits);
        case MeshFormat::stl:
            return parseStl(content, name, limits);
        case MeshFormat::vdb:
            return parseVdb(content, name, limits);
        default:
            return parseGltf(content, name, folder, limits);
    }
}

std::optional<MeshFormat> meshFormatOf(const std::filesystem::path& file) {
    static const std::map<std::string, MeshFormat> formats = {
        {".obj", MeshFormat::obj},   {".ply", MeshFormat::ply},  {".stl", MeshFormat::stl},
        {".gltf", MeshFormat::gltf}, {".glb", MeshFormat::gltf}, {".vdb", MeshFormat::vdb}};
    std::string extension = file.extension().string();
    for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const auto found = formats.find(extension);
    return found == formats.end() ? std::nullopt : std::optional(found->second);
}

TriangleMesh readMesh(const std::filesystem::path& file, const MeshLimits& limits) {
    const std::optional<MeshFormat> format = meshFormatOf(file);
    if (!format)
        fail(Exit::Scene, file.string(), "unsupported mesh format",
             fmt::format("Supported: {}.", kMeshEndings));
    const std::filesystem::path folder = file.parent_path();
    return parseMesh(readFile(file, limits.bytes), *format, file.string(), limits,
                     folder.empty() ? "." : folder);
}

}  // namespace coalesce
