#include <bit>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <vector>

#include "geometry/mesh/mesh_builder.h"
#include "geometry/mesh/mesh_formats.h"
#include "geometry/mesh/mesh_text.h"

namespace coalesce {

namespace {

enum class PlyType { int8, uint8, int16, uint16, int32, uint32, float32, float64 };

std::optional<PlyType> plyType(std::string_view word) {
    static constexpr std::pair<const char*, PlyType> names[] = {
        {"char", PlyType::int8},      {"int8", PlyType::int8},       {"uchar", PlyType::uint8},
        {"uint8", PlyType::uint8},    {"short", PlyType::int16},     {"int16", PlyType::int16},
        {"ushort", PlyType::uint16},  {"uint16", PlyType::uint16},   {"int", PlyType::int32},
        {"int32", PlyType::int32},    {"uint", PlyType::uint32},     {"uint32", PlyType::uint32},
        {"float", PlyType::float32},  {"float32", PlyType::float32}, {"double", PlyType::float64},
        {"float64", PlyType::float64}};
    for (const auto& [name, type] : names)
        if (word == name) return type;
    return std::nullopt;
}

size_t bytesOf(PlyType type) {
    constexpr size_t bytes[] = {1, 1, 2, 2, 4, 4, 4, 8};
    return bytes[static_cast<int>(type)];
}
bool isInteger(PlyType type) {
    return type < PlyType::float32;
}

struct PlyProperty {
    std::string name;
    PlyType type{};
    bool isList = false;
    PlyType countType{};
};
struct PlyElement {
    std::string name;
    uint64_t count = 0;
    std::vector<PlyProperty> properties;

    // index of a property; -1: not found
    int find(const char* wanted) const {
        for (size_t k = 0; k < properties.size(); ++k)
            if (properties[k].name == wanted) return static_cast<int>(k);
        return -1;
    }
};

class PlyReader {
public:
    PlyReader(std::string_view content, const std::string& name, const MeshLimits& limits)
        : m_name(name),
          m_limits(limits),
          m_lines(content, name, limits),
          m_builder(limits,
                    [this](const std::string& what, const std::string& hint) { complain(what, hint); }) {}

    TriangleMesh read() {
        header();
        m_body = m_lines.rest();
        m_bodyStart = m_lines.at();
        for (const PlyElement& element : m_elements) {
            if (element.properties.empty()) continue;  // no data
            if (element.name == "vertex")
                vertices(element);
            else if (element.name == "face")
                faces(element);
            else if (element.name == "tristrips")
                strips(element);
            else
                for (uint64_t i = 0; i < element.count; ++i) row(element, nullptr, -1);
        }
        if (m_text) {
            while (!m_lines.atEnd())
                if (!Words(m_lines.next()).next().empty()) m_lines.fail("data after the last element");
        } else if (m_at != m_body.size()) {
            complain(fmt::format("{} bytes after the last element", m_body.size() - m_at), "");
        }
        return m_builder.finish();
    }

private:
    [[noreturn]] void complain(const std::string& what, const std::string& hint = {}) const {
        if (m_text) m_lines.fail(what, hint);
        fail(Exit::Scene, fmt::format("{}: byte {}", m_name, m_bodyStart + m_at), what, hint);
    }

    std::string_view headerLine() {
        if (m_lines.atEnd()) m_lines.fail("the header has no end_header");
        return m_lines.next();
    }

    void header() {
        if (headerLine() != "ply") m_lines.fail("a PLY file begins with \"ply\"");
        bool hasFormat = false;
        for (;;) {
            Words words(headerLine());
            const std::string_view key = words.next();
            if (key == "end_header") break;
            if (key.empty() || key == "comment" || key == "obj_info") continue;
            if (key == "format") {
                if (hasFormat) m_lines.fail("duplicate format line");
                format(words);
                hasFormat = true;
            } else if (key == "element") {
                element(words);
            } else if (key == "property") {
                property(words);
            } else {
                m_lines.fail(fmt::format("{} is not a PLY header keyword", shown(key)));
            }
            if (!words.next().empty()) m_lines.fail("unexpected text at the end of the line");
        }
        if (!hasFormat) m_lines.fail("the header has no format line");
        m_text = m_textBody;
        const auto element = [&](const char* name) {
            return std::any_of(m_elements.begin(), m_elements.end(), [&](auto& e) { return e.name == name; });
        };
        if (!element("vertex") || !(element("face") || element("tristrips")))
            m_lines.fail("the header lacks a vertex element, or a face or tristrips element");
    }

    void format(Words& words) {
        const std::string_view word = words.next();
        if (word == "ascii")
            m_textBody = true;
        else if (word == "binary_little_endian")
            m_swap = std::endian::native != std::endian::little;
        else if (word == "binary_big_endian")
            m_swap = std::endian::native != std::endian::big;
        else
            m_lines.fail(fmt::format("{} is not a PLY format", shown(word)),
                         "Formats: ascii, binary_little_endian, binary_big_endian.");
        if (words.next() != "1.0") m_lines.fail("the format's version is not 1.0");
    }

    void element(Words& words) {
        if (m_elements.size() == 32) m_lines.fail("more than 32 elements");
        PlyElement element;
        element.name = words.next();
        const auto count = numberIn<uint64_t>(words.next());
        if (element.name.empty() || !count) m_lines.fail("an element needs a name and a count");
        for (const PlyElement& other : m_elements)
            if (other.name == element.name)
                m_lines.fail(fmt::format("duplicate element {}", shown(element.name)));
        element.count = *count;
        m_elements.push_back(std::move(element));
    }

    void property(Words& words) {
        if (m_elements.empty()) m_lines.fail("a property before the first element");
        PlyElement& element = m_elements.back();
        if (element.properties.size() == 256) m_lines.fail("more than 256 properties");
        PlyProperty property;
        const auto type = [&](std::string_view word) {
            const auto found = plyType(word);
            if (!found)
                m_lines.fail(fmt::format("{} is not a PLY type", shown(word)),
                             "Types: char to uint, float, double.");
            return *found;
        };
        std::string_view word = words.next();
        if (word == "list") {
            property.isList = true;
            property.countType = type(words.next());
            if (!isInteger(property.countType)) m_lines.fail("a list's count must be an integer");
            word = words.next();
        }
        property.type = type(word);
        property.name = words.next();
        if (property.name.empty()) m_lines.fail("a property needs a name");
        if (element.find(property.name.c_str()) >= 0)
            m_lines.fail(fmt::format("duplicate property {}", shown(property.name)));
        element.properties.push_back(std::move(property));
    }

    // One number of the current row.
    double value(PlyType type) {
        if (m_text) {
            const std::string_view word = m_words.next();
            if (word.empty()) complain("the line has too few numbers");
            const auto number = numberIn<double>(word);
            if (!number || (isInteger(type) && *number != std::floor(*number)))
                complain(
                    fmt::format("{} is not {}", shown(word), isInteger(type) ? "an integer" : "a number"));
            return *number;
        }
        const size_t size = bytesOf(type);
        if (m_body.size() - m_at < size) complain("unexpected end of file");
        char bytes[8];
        for (size_t k = 0; k < size; ++k) bytes[k] = m_body[m_at + (m_swap ? size - 1 - k : k)];
        m_at += size;
        const auto as = [&]<class T>(T out) {
            std::memcpy(&out, bytes, sizeof out);
            return static_cast<double>(out);
        };
        switch (type) {
            case PlyType::int8:
                return as(int8_t{});
            case PlyType::uint8:
                return as(uint8_t{});
            case PlyType::int16:
                return as(int16_t{});
            case PlyType::uint16:
                return as(uint16_t{});
            case PlyType::int32:
                return as(int32_t{});
            case PlyType::uint32:
                return as(uint32_t{});
            case PlyType::float32:
                return as(float{});
            case PlyType::float64:
                return as(double{});
        }
        return 0;
    }

    // Reads one row: scalars into `scalars` (if any), the list
    // `list` of at most `longest` entries into m_list.
    void row(const PlyElement& element, double* scalars, int list, size_t longest = 0) {
        if (m_text) {
            if (m_lines.atEnd()) complain("unexpected end of file");
            m_words = Words(m_lines.next());
        }
        for (size_t k = 0; k < element.properties.size(); ++k) {
            const PlyProperty& property = element.properties[k];
            if (!property.isList) {
                const double x = value(property.type);
                if (scalars) scalars[k] = x;
                continue;
            }
            const double count = value(property.countType);
            const bool wanted = static_cast<int>(k) == list;
            // an ignored list is bounded by the file size
            const double most = wanted ? static_cast<double>(longest) : 0x1p31;
            if (!(count >= 0 && count <= most))
                complain(fmt::format("a list of {} entries", count),
                         wanted ? fmt::format("A face has 3 to {} corners, a strip at most {}.",
                                              m_limits.corners, longestStrip())
                                : "");
            if (wanted) m_list.clear();
            for (double i = 0; i < count; ++i) {
                const double x = value(property.type);
                if (wanted) m_list.push_back(x);
            }
        }
        if (m_text && !m_words.next().empty()) complain("the line has too many numbers");
    }

    void vertices(const PlyElement& element) {
        if (element.count > m_limits.vertices)
            complain(fmt::format("{} vertices, more than {}", element.count, m_limits.vertices),
                     "Simplify the mesh.");
        const int at[] = {element.find("x"), element.find("y"), element.find("z")};
        const int normalAt[] = {element.find("nx"), element.find("ny"), element.find("nz")};
        for (const int k : at)
            if (k < 0 || element.properties[k].isList) complain("the vertex element lacks x, y or z");
        m_hasNormals = true;
        for (const int k : normalAt) m_hasNormals &= k >= 0 && !element.properties[k].isList;
        std::vector<double> scalars(element.properties.size());
        for (uint64_t i = 0; i < element.count; ++i) {
            row(element, scalars.data(), -1);
            m_builder.addPosition(scalars[at[0]], scalars[at[1]], scalars[at[2]]);
            if (m_hasNormals)
                m_builder.addNormal(scalars[normalAt[0]], scalars[normalAt[1]], scalars[normalAt[2]]);
        }
    }

    int indexList(const PlyElement& element) const {
        int list = element.find("vertex_indices");
        if (list < 0) list = element.find("vertex_index");
        if (list < 0 || !element.properties[list].isList || !isInteger(element.properties[list].type))
            complain(fmt::format("the {} element lacks an integer list vertex_indices", element.name));
        return list;
    }

    Corner corner(double index) const {
        if (!(index >= 0 && index < static_cast<double>(m_builder.positions.size())))
            complain(fmt::format("vertex {} does not exist; {} vertices, counted from 0", index,
                                 m_builder.positions.size()));
        const uint32_t k = static_cast<uint32_t>(index);
        return {k, m_hasNormals ? k : kNone};
    }

    void faces(const PlyElement& element) {
        const int list = indexList(element);
        std::vector<Corner> corners;
        for (uint64_t i = 0; i < element.count; ++i) {
            row(element, nullptr, list, m_limits.corners);
            corners.clear();
            for (const double index : m_list) corners.push_back(corner(index));
            m_builder.addPolygon(corners);
        }
    }

    // Entries of a list of strips: three per triangle, and a -1 after each.
    size_t longestStrip() const { return 4 * m_limits.triangles; }

    // Triangle strips, as scanned meshes have them: each entry and the two before it are a triangle, every
    // second one turned around; -1 begins another strip.
    void strips(const PlyElement& element) {
        const int list = indexList(element);
        std::vector<Corner> corners;
        for (uint64_t i = 0; i < element.count; ++i) {
            row(element, nullptr, list, longestStrip());
            size_t begin = 0;
            for (size_t k = 0; k < m_list.size(); ++k) {
                if (m_list[k] == -1) {
                    begin = k + 1;
                    continue;
                }
                corner(m_list[k]);
                if (k < begin + 2) continue;
                const size_t turned = (k - begin) % 2;
                corners = {corner(m_list[k - 2 + turned]), corner(m_list[k - 1 - turned]), corner(m_list[k])};
                m_builder.addPolygon(corners);
            }
        }
    }

    const std::string& m_name;
    const MeshLimits& m_limits;
    Lines m_lines;
    MeshBuilder m_builder;
    std::vector<PlyElement> m_elements;
    bool m_textBody = false, m_swap = false, m_hasNormals = false;
    bool m_text = true;  // reading text: the header always is
    Words m_words{{}};
    std::vector<double> m_list;
    std::string_view m_body;
    size_t m_bodyStart = 0, m_at = 0;  // offset of the binary data in the file, and bytes read of it
};

}  // namespace

TriangleMesh parsePly(std::string_view content, const std::string& name, const MeshLimits& limits) {
    return PlyReader(content, name, limits).read();
}

}  // namespace coalesce
