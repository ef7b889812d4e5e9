#include "geometry/mesh/mesh_reader.h"

#include <cctype>
#include <fmt/format.h>
#include <fstream>

#include "core/error.h"
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
    std::error_code error;
    const bool regular = std::filesystem::is_regular_file(file, error);
    const uintmax_t size = regular ? std::filesystem::file_size(file, error) : 0;
    if (!regular || error) fail(Exit::Scene, file.string(), "file not found");
    if (size > limits.bytes)
        fail(Exit::Scene, file.string(), fmt::format("the file has more than {} bytes", limits.bytes),
             "Simplify the mesh.");
    std::string content(size, '\0');
    std::ifstream in(file, std::ios::binary);
    if (!in.read(content.data(), static_cast<std::streamsize>(size)))
        fail(Exit::Scene, file.string(), "the file cannot be read");
    return parseMesh(content, extension == ".obj" ? MeshFormat::obj : MeshFormat::ply, file.string(), limits);
}

}  // namespace coalesce
