#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <string>
#include <vector>

#include "geometry/mesh/mesh_builder.h"
#include "geometry/mesh/mesh_formats.h"
#include "geometry/mesh/mesh_text.h"

namespace coalesce {

namespace {

constexpr size_t kStlHeader = 80, kStlRecord = 50;  // [bytes] 12 floats and 16 bits of attributes

uint32_t littleEndian(std::string_view bytes) {
    uint32_t value = 0;
    for (int k = 3; k >= 0; --k) value = value << 8 | uint8_t(bytes[k]);
    return value;
}

// A binary file may begin with "solid" too; its size tells.
bool isBinaryStl(std::string_view content) {
    return content.size() >= kStlHeader + 4 &&
           content.size() == kStlHeader + 4 + kStlRecord * uint64_t{littleEndian(content.substr(kStlHeader))};
}

// STL stores the corners of each triangle: equal positions become one vertex. Its normals are those of the
// triangles, so they are not read.
class StlReader {
public:
    StlReader(std::string_view content, const std::string& name, const MeshLimits& limits)
        : m_content(content),
          m_name(name),
          m_lines(content, name, limits),
          m_builder(limits,
                    [this](const std::string& what, const std::string& hint) { complain(what, hint); }) {}

    TriangleMesh read() {
        if (isBinaryStl(m_content))
            binary();
        else if (m_content.starts_with("solid"))
            text();
        else
            fail(Exit::Scene, m_name, "this is no STL file",
                 "A text file begins with \"solid\"; a binary one has 84 bytes and 50 for each triangle.");
        return m_builder.finish();
    }

private:
    [[noreturn]] void complain(const std::string& what, const std::string& hint) const {
        if (!m_binary) m_lines.fail(what, hint);
        fail(Exit::Scene, fmt::format("{}: byte {}", m_name, m_at), what, hint);
    }

    void binary() {
        m_binary = true;
        for (m_at = kStlHeader + 4; m_at < m_content.size(); m_at += kStlRecord) {
            m_corners.clear();
            for (size_t corner = 1; corner <= 3; ++corner) {
                std::array<double, 3> p{};
                for (size_t k = 0; k < 3; ++k)
                    p[k] =
                        std::bit_cast<float>(littleEndian(m_content.substr(m_at + 12 * corner + 4 * k, 4)));
                addCorner(p);
            }
            m_builder.addPolygon(m_corners);
        }
    }

    void text() {
        enum class Inside { file, solid, facet, loop } inside = Inside::file;
        const auto enter = [&](Inside from, Inside to, std::string_view key) {
            if (inside != from) m_lines.fail(fmt::format("{} is out of place", shown(key)));
            inside = to;
        };
        while (!m_lines.atEnd()) {
            Words words(m_lines.next());
            const std::string_view key = words.next();
            if (key.empty()) continue;
            if (key == "solid") {
                enter(Inside::file, Inside::solid, key);
            } else if (key == "facet") {
                enter(Inside::solid, Inside::facet, key);
            } else if (key == "outer") {
                enter(Inside::facet, Inside::loop, key);
                m_corners.clear();
            } else if (key == "vertex") {
                enter(Inside::loop, Inside::loop, key);
                if (m_corners.size() == 3) m_lines.fail("a facet with more than three vertices");
                addCorner(numbers(words));
            } else if (key == "endloop") {
                enter(Inside::loop, Inside::facet, key);
                m_builder.addPolygon(m_corners);
            } else if (key == "endfacet") {
                enter(Inside::facet, Inside::solid, key);
            } else if (key == "endsolid") {
                enter(Inside::solid, Inside::file, key);
            } else {
                m_lines.fail(fmt::format("unknown STL record {}", shown(key)),
                             "Supported: solid, facet, outer loop, vertex, endloop, endfacet, endsolid.");
            }
        }
        if (inside != Inside::file) m_lines.fail("the file ends before endsolid", "It is cut off.");
    }

    std::array<double, 3> numbers(Words& words) const {
        std::array<double, 3> values{};
        for (double& value : values) {
            const std::string_view word = words.next();
            const auto number = numberIn<double>(word);
            if (!number) m_lines.fail(fmt::format("{} is not a number", shown(word)));
            value = *number;
        }
        return values;
    }

    void addCorner(const std::array<double, 3>& p) {
        const auto next = uint32_t(m_builder.positions.size());
        const auto [known, isNew] = m_vertexOf.try_emplace(p, next);
        if (isNew) m_builder.addPosition(p[0], p[1], p[2]);
        m_corners.push_back({known->second, kNone});
    }

    std::string_view m_content;
    const std::string& m_name;
    Lines m_lines;
    MeshBuilder m_builder;
    bool m_binary = false;
    size_t m_at = 0;
    std::vector<Corner> m_corners;
    std::map<std::array<double, 3>, uint32_t> m_vertexOf;
};

}  // namespace

TriangleMesh parseStl(std::string_view content, const std::string& name, const MeshLimits& limits) {
    return StlReader(content, name, limits).read();
}

}  // namespace coalesce
