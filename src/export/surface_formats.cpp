#include "export/surface_formats.h"

#include <bit>
#include <fmt/format.h>
#include <iterator>

#include "export/surface_pieces.h"

namespace coalesce {

namespace {

void putWord(std::string& text, uint32_t word) {
    const char bytes[4] = {char(word), char(word >> 8), char(word >> 16), char(word >> 24)};
    text.append(bytes, sizeof bytes);
}
void putNumber(std::string& text, float number) {
    putWord(text, std::bit_cast<uint32_t>(number));
}
void putVector(std::string& text, Vec3 a) {
    putNumber(text, a.x);
    putNumber(text, a.y);
    putNumber(text, a.z);
}

// format: http://paulbourke.net/dataformats/ply
std::string encodeSurfacePly(const LiquidMesh& liquid, uint64_t frame, double time) {
    const SurfaceMesh& mesh = liquid.mesh;
    std::string text = fmt::format(
        "ply\nformat binary_little_endian 1.0\ncomment Coalesce, {}, frame {}, {:.9g} s\nelement vertex {}\n",
        liquid.material, frame, time, mesh.position.size());
    for (const char* name : {"x", "y", "z", "nx", "ny", "nz", "vx", "vy", "vz"})
        text += fmt::format("property float {}\n", name);
    size_t width = 9;
    for (const VertexAttribute& a : liquid.attributes)
        for (int k = 0; k < a.width; ++k, ++width)
            text += fmt::format("property float {}{}\n", a.name,
                                a.width == 1 ? "" : std::string("_") + char('x' + k));
    const std::vector<uint32_t> piece = piecesOf(mesh);
    text += "property int piece\n", ++width;
    text += fmt::format("element face {}\nproperty list uchar int vertex_indices\nend_header\n",
                        mesh.triangle.size());
    text.reserve(text.size() + 4 * width * mesh.position.size() + 13 * mesh.triangle.size());
    for (size_t i = 0; i < mesh.position.size(); ++i) {
        putVector(text, mesh.position[i]);
        putVector(text, mesh.normal[i]);
        putVector(text, mesh.velocity[i]);
        for (const VertexAttribute& a : liquid.attributes)
            for (int k = 0; k < a.width; ++k) putNumber(text, a.values[i * size_t(a.width) + size_t(k)]);
        putWord(text, piece[i]);
    }
    for (const Triangle& t : mesh.triangle) {
        text += char(3);
        for (const uint32_t vertex : t) putWord(text, vertex);
    }
    return text;
}

// Nine digits give a float back exactly.
std::string encodeSurfaceObj(const LiquidMesh& liquid, uint64_t frame, double time) {
    const SurfaceMesh& mesh = liquid.mesh;
    fmt::memory_buffer text;
    const auto out = std::back_inserter(text);
    fmt::format_to(out, "# Coalesce, {}, frame {}, {:.9g} s\no {}\n", liquid.material, frame, time,
                   liquid.material);
    for (const Vec3 p : mesh.position) fmt::format_to(out, "v {:.9g} {:.9g} {:.9g}\n", p.x, p.y, p.z);
    for (const Vec3 n : mesh.normal) fmt::format_to(out, "vn {:.9g} {:.9g} {:.9g}\n", n.x, n.y, n.z);
    for (const Triangle& t : mesh.triangle)
        fmt::format_to(out, "f {0}//{0} {1}//{1} {2}//{2}\n", t[0] + 1, t[1] + 1, t[2] + 1);
    return fmt::to_string(text);
}

}  // namespace

const std::vector<std::string>& surfaceFormatNames() {
    static const std::vector<std::string> names = {"ply", "obj"};
    return names;
}

std::string encode(const LiquidMesh& liquid, SurfaceFormat format, uint64_t frame, double time) {
    return format == SurfaceFormat::ply ? encodeSurfacePly(liquid, frame, time)
                                        : encodeSurfaceObj(liquid, frame, time);
}

}  // namespace coalesce
