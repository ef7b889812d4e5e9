#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "geometry/mesh/mesh_builder.h"
#include "geometry/mesh/mesh_formats.h"
#include "geometry/mesh/mesh_text.h"

namespace coalesce {

namespace {

class ObjReader {
public:
    ObjReader(std::string_view content, const std::string& name, const MeshLimits& limits)
        : m_limits(limits),
          m_lines(content, name, limits),
          m_builder(limits,
                    [this](const std::string& what, const std::string& hint) { m_lines.fail(what, hint); }) {}

    TriangleMesh read() {
        while (!m_lines.atEnd()) {
            std::string_view line = m_lines.next();
            line = line.substr(0, line.find('#'));
            if (!line.empty() && line.back() == '\\')
                m_lines.fail("line continuations are not supported", "Write the record on one line.");
            Words words(line);
            const std::string_view key = words.next();
            if (key.empty()) continue;
            if (key == "v") {
                // an optional weight and color follow the position
                const auto p = numbers(words, 3, 7);
                m_builder.addPosition(p[0], p[1], p[2]);
            } else if (key == "vn") {
                const auto n = numbers(words, 3, 3);
                m_builder.addNormal(n[0], n[1], n[2]);
            } else if (key == "vt") {
                numbers(words, 1, 3);
                if (++m_textureCount > m_limits.vertices)
                    m_lines.fail(fmt::format("more than {} texture coordinates", m_limits.vertices));
            } else if (key == "f") {
                face(words);
            } else if (!passedOver(key)) {
                m_lines.fail(fmt::format("unknown OBJ record {}", shown(key)),
                             "Supported: v, vt, vn, f. Ignored: groups, materials, lines, points.");
            }
        }
        return m_builder.finish();
    }

private:
    static bool passedOver(std::string_view key) {
        for (const char* known : {"o", "g", "s", "mg", "usemtl", "mtllib", "usemap", "maplib", "l", "p", "vp",
                                  "lod", "bevel", "c_interp", "d_interp", "shadow_obj", "trace_obj"})
            if (key == known) return true;
        return false;
    }

    std::array<double, 7> numbers(Words& words, size_t least, size_t most) const {
        std::array<double, 7> values{};
        size_t count = 0;
        for (std::string_view word; !(word = words.next()).empty(); ++count) {
            if (count == most) m_lines.fail(fmt::format("more than {} numbers", most));
            const auto value = numberIn<double>(word);
            if (!value || !std::isfinite(*value))
                m_lines.fail(fmt::format("{} is not a finite number", shown(word)));
            values[count] = *value;
        }
        if (count < least) m_lines.fail(fmt::format("found {} numbers, expected {}", count, least));
        return values;
    }

    // Indices count from 1, or backwards from the last record so far if negative.
    uint32_t index(std::string_view word, size_t count, const char* what) const {
        const auto value = numberIn<int64_t>(word);
        if (!value) m_lines.fail(fmt::format("{} is not an index of a {}", shown(word), what));
        const int64_t last = static_cast<int64_t>(count);
        if (*value == 0 || *value > last || *value < -last)
            m_lines.fail(fmt::format("{} {} does not exist; {} defined so far", what, *value, count));
        return static_cast<uint32_t>(*value > 0 ? *value - 1 : last + *value);
    }

    // v, v/vt, v//vn or v/vt/vn
    Corner corner(std::string_view word) const {
        std::array<std::string_view, 3> parts{};
        size_t count = 0;
        for (std::string_view rest = word; count < 3; ++count) {
            const size_t slash = std::min(rest.find('/'), rest.size());
            parts[count] = rest.substr(0, slash);
            if (slash == rest.size()) break;
            rest.remove_prefix(slash + 1);
        }
        const bool fine =
            count == 0 || (count == 1 && !parts[1].empty()) || (count == 2 && !parts[2].empty());
        if (!fine)
            m_lines.fail(fmt::format("{} is not a face corner", shown(word)),
                         "Write v, v/vt, v//vn or v/vt/vn.");
        Corner result{index(parts[0], m_builder.positions.size(), "vertex"), kNone};
        if (!parts[1].empty()) index(parts[1], m_textureCount, "texture coordinate");
        if (!parts[2].empty()) result.normal = index(parts[2], m_builder.normals.size(), "normal");
        return result;
    }

    void face(Words& words) {
        m_corners.clear();
        for (std::string_view word; !(word = words.next()).empty();) {
            if (m_corners.size() == m_limits.corners)
                m_lines.fail(fmt::format("a face with more than {} corners", m_limits.corners),
                             "Triangulate the mesh.");
            m_corners.push_back(corner(word));
        }
        m_builder.addPolygon(m_corners);
    }

    const MeshLimits& m_limits;
    Lines m_lines;
    MeshBuilder m_builder;
    size_t m_textureCount = 0;
    std::vector<Corner> m_corners;
};

}  // namespace

TriangleMesh parseObj(std::string_view content, const std::string& name, const MeshLimits& limits) {
    // the byte order mark that editors on Windows write
    if (constexpr std::string_view mark = "\xEF\xBB\xBF"; content.starts_with(mark))
        content.remove_prefix(mark.size());
    return ObjReader(content, name, limits).read();
}

}  // namespace coalesce
