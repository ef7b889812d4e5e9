// Reads triangle meshes: OBJ, PLY as text or binary of either byte order, STL as text or binary, and glTF 2.0
// as .gltf or .glb, and the surfaces of OpenVDB level sets. Strict: unknown content is an error with file and
// line (file and byte in binary data).
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "geometry/mesh/mesh.h"

namespace coalesce {

struct MeshLimits {
    size_t bytes = size_t{1} << 29;     // of the file
    size_t vertices = size_t{1} << 23;  // positions, normals and texture coordinates each
    size_t triangles = size_t{1} << 24;
    size_t corners = 256;           // of a polygon
    size_t line = size_t{1} << 16;  // characters
    double coordinate = 1e9;        // [m] magnitude
};

enum class MeshFormat { obj, ply, stl, gltf, vdb };
inline constexpr const char* kMeshEndings = ".obj, .ply, .stl, .gltf, .glb, .vdb";
// By the ending of the file name; nullopt: it is none of a mesh.
std::optional<MeshFormat> meshFormatOf(const std::filesystem::path& file);

// Polygons become fans, from a corner that sees all others if there is one; triangles with a repeated corner
// and unused vertices are dropped. Vertices with several normals are split. Without normals in the file each
// vertex gets the area-weighted mean of its triangles; so it does in STL and glTF.
// Colors, texture coordinates, groups and materials are ignored; of glTF also
// skins and animations. Throws Error (Exit::Scene).
TriangleMesh readMesh(const std::filesystem::path& file, const MeshLimits& limits = {});
TriangleMesh parseMesh(std::string_view content, MeshFormat format, const std::string& name,
                       const MeshLimits& limits = {}, const std::filesystem::path& folder = {});

}  // namespace coalesce
