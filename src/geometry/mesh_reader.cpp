#include "geometry/mesh_reader.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/error.h"
#include "geometry/vec3d.h"

namespace coalesce {

namespace {

constexpr uint32_t kNone = 0xffffffff;

// ---- words and numbers ----

// What a message shows of a word from the file: short, and printable.
std::string shown(std::string_view word) {
    std::string text;
    for (const char c : word.substr(0, 40)) text += c >= ' ' && c <= '~' ? c : '?';
    return "\"" + text + (word.size() > 40 ? "…\"" : "\"");
}

bool isBlank(char c) {
    return c == ' ' || c == '\t';
}

// The words of a line, one after the other.
class Words {
public:
    explicit Words(std::string_view line) : m_rest(line) {}
    // empty at the end
    std::string_view next() {
        while (!m_rest.empty() && isBlank(m_rest.front())) m_rest.remove_prefix(1);
        size_t n = 0;
        while (n < m_rest.size() && !isBlank(m_rest[n])) ++n;
        const std::string_view word = m_rest.substr(0, n);
        m_rest.remove_prefix(n);
        return word;
    }

private:
    std::string_view m_rest;
};

template <class T>
std::optional<T> numberIn(std::string_view word) {
    if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
    T value{};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
    return value;
}

// ---- a file's content, read line by line ----

class Lines {
public:
    Lines(std::string_view content, const std::string& name, const MeshLimits& limits)
        : m_content(content), m_name(name), m_limits(limits) {}

    bool atEnd() const { return m_at >= m_content.size(); }
    // without its end, which is \n, \r\n or the end of the file
    std::string_view next() {
        ++m_number;
        const size_t end = std::min(m_content.find('\n', m_at), m_content.size());
        std::string_view line = m_content.substr(m_at, end - m_at);
        m_at = end + 1;
        if (line.size() > m_limits.line)
            fail(fmt::format("a line of more than {} characters", m_limits.line));
        if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
        return line;
    }
    std::string_view rest() const { return atEnd() ? std::string_view{} : m_content.substr(m_at); }
    size_t at() const { return m_at; }

    [[noreturn]] void fail(const std::string& what, const std::string& hint = {}) const {
        coalesce::fail(Exit::Scene, fmt::format("{}:{}", m_name, m_number), what, hint);
    }

private:
    std::string_view m_content;
    const std::string& m_name;
    const MeshLimits& m_limits;
    size_t m_at = 0, m_number = 0;
};

// ---- the mesh as it grows ----

struct Corner {
    uint32_t position, normal;
};

// `complain(what, hint)` throws with the place in the file.
template <class Complain>
class MeshBuilder {
public:
    MeshBuilder(const MeshLimits& limits, Complain complain) : m_limits(limits), m_complain(complain) {}

    std::vector<Vec3> positions, normals;

    void addPosition(double x, double y, double z) {
        checkCount(positions, "vertices");
        for (const double c : {x, y, z})
            if (!(std::abs(c) <= m_limits.coordinate))
                m_complain(fmt::format("a coordinate of {}", c),
                           fmt::format("They must be finite and within ±{}.", m_limits.coordinate));
        positions.push_back(toFloat(Vec3d{x, y, z}));
    }
    // of any length; one that has none becomes none
    void addNormal(double x, double y, double z) {
        checkCount(normals, "normals");
        if (!std::isfinite(x) || !std::isfinite(y) || !std::isfinite(z))
            m_complain("a normal that is not finite", "");
        const double scale = std::max({std::abs(x), std::abs(y), std::abs(z)});
        if (scale == 0) m_normalsMissing = true;
        normals.push_back(scale == 0 ? Vec3{} : toFloat(normalizeOr((1 / scale) * Vec3d{x, y, z}, {})));
    }

    void addPolygon(std::vector<Corner>& corners) {
        if (corners.size() < 3)
            m_complain(fmt::format("a face with {} corners", corners.size()), "It needs three.");
        if (m_triangles.size() + corners.size() - 2 > m_limits.triangles)
            m_complain(fmt::format("more than {} triangles", m_limits.triangles), "Simplify the mesh.");
        const size_t n = corners.size(), apex = n == 3 ? 0 : apexOf(corners);
        for (size_t k = 1; k + 1 < n; ++k) {
            const Corner &a = corners[apex], &b = corners[(apex + k) % n], &c = corners[(apex + k + 1) % n];
            if (a.position == b.position || b.position == c.position || c.position == a.position) continue;
            for (const Corner& corner : {a, b, c}) m_normalsMissing |= corner.normal == kNone;
            m_triangles.push_back({a, b, c});
        }
    }

    TriangleMesh finish() {
        if (m_triangles.empty()) m_complain("there is no triangle in it", "");
        TriangleMesh mesh;
        // one vertex for each pair of position and normal, in the order of their first use
        std::unordered_map<uint64_t, uint32_t> vertexOf;
        for (const auto& corners : m_triangles) {
            Triangle triangle{};
            for (int k = 0; k < 3; ++k) {
                const uint32_t normal = m_normalsMissing ? kNone : corners[k].normal;
                const uint64_t key = uint64_t{normal} << 32 | corners[k].position;
                const auto [vertex, isNew] =
                    vertexOf.try_emplace(key, static_cast<uint32_t>(mesh.vertices.size()));
                if (isNew) {
                    mesh.vertices.push_back(positions[corners[k].position]);
                    if (normal != kNone) mesh.normals.push_back(normals[normal]);
                }
                triangle[k] = vertex->second;
            }
            mesh.triangles.push_back(triangle);
        }
        if (mesh.normals.empty()) mesh.normals = smoothNormals(mesh);
        return mesh;
    }

private:
    void checkCount(const std::vector<Vec3>& list, const char* what) const {
        if (list.size() >= m_limits.vertices)
            m_complain(fmt::format("more than {} {}", m_limits.vertices, what), "Simplify the mesh.");
    }

    // The corner whose fan turns the same way everywhere; 0 if there is none.
    size_t apexOf(const std::vector<Corner>& corners) const {
        const size_t n = corners.size();
        const auto at = [&](size_t k) { return toDouble(positions[corners[k % n].position]); };
        Vec3d normal;
        for (size_t k = 1; k + 1 < n; ++k) normal = normal + cross(at(k) - at(0), at(k + 1) - at(0));
        for (size_t apex = 0; apex < n; ++apex) {
            bool good = true;
            for (size_t k = 1; k + 1 < n && good; ++k)
                good = dot(cross(at(apex + k) - at(apex), at(apex + k + 1) - at(apex)), normal) >= 0;
            if (good) return apex;
        }
        return 0;
    }

    const MeshLimits& m_limits;
    Complain m_complain;
    std::vector<std::array<Corner, 3>> m_triangles;
    bool m_normalsMissing = false;
};

// ---- OBJ ----

class ObjReader {
public:
    ObjReader(std::string_view content, const std::string& name, const MeshLimits& limits)
        : m_limits(limits), m_lines(content, name, limits), m_builder(limits, Complain{&m_lines}) {}

    TriangleMesh read() {
        while (!m_lines.atEnd()) {
            std::string_view line = m_lines.next();
            line = line.substr(0, line.find('#'));
            if (!line.empty() && line.back() == '\\')
                m_lines.fail("a line that continues on the next", "Write the record on one line.");
            Words words(line);
            const std::string_view key = words.next();
            if (key.empty()) continue;
            if (key == "v") {
                // after the position there may be a weight, a color, or both
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
                m_lines.fail(
                    fmt::format("{} is no record of an OBJ file that Coalesce knows", shown(key)),
                    "It reads v, vt, vn and f, and passes over groups, materials, lines and points.");
            }
        }
        return m_builder.finish();
    }

private:
    struct Complain {
        const Lines* lines;
        [[noreturn]] void operator()(const std::string& what, const std::string& hint) const {
            lines->fail(what, hint);
        }
    };

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
                m_lines.fail(fmt::format("{} is no finite number", shown(word)));
            values[count] = *value;
        }
        if (count < least) m_lines.fail(fmt::format("{} numbers, not {}", count, least));
        return values;
    }

    // An index counts from 1, or backwards from the last record so far.
    uint32_t index(std::string_view word, size_t count, const char* what) const {
        const auto value = numberIn<int64_t>(word);
        if (!value) m_lines.fail(fmt::format("{} is no index of a {}", shown(word), what));
        const int64_t last = static_cast<int64_t>(count);
        if (*value == 0 || *value > last || *value < -last)
            m_lines.fail(fmt::format("there is no {} {}; {} of them so far", what, *value, count));
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
            m_lines.fail(fmt::format("{} is no corner of a face", shown(word)),
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
    MeshBuilder<Complain> m_builder;
    size_t m_textureCount = 0;
    std::vector<Corner> m_corners;
};

// ---- PLY ----

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

    // where a property is among the others; -1: nowhere
    int find(const char* wanted) const {
        for (size_t k = 0; k < properties.size(); ++k)
            if (properties[k].name == wanted) return static_cast<int>(k);
        return -1;
    }
};

class PlyReader {
public:
    PlyReader(std::string_view content, const std::string& name, const MeshLimits& limits)
        : m_name(name), m_limits(limits), m_lines(content, name, limits), m_builder(limits, Complain{this}) {}

    TriangleMesh read() {
        header();
        m_body = m_lines.rest();
        m_bodyStart = m_lines.at();
        for (const PlyElement& element : m_elements) {
            if (element.properties.empty()) continue;  // nothing is stored of it
            if (element.name == "vertex")
                vertices(element);
            else if (element.name == "face")
                faces(element);
            else
                for (uint64_t i = 0; i < element.count; ++i) row(element, nullptr, -1);
        }
        if (m_text) {
            while (!m_lines.atEnd())
                if (!Words(m_lines.next()).next().empty()) m_lines.fail("more lines than the header says");
        } else if (m_at != m_body.size()) {
            complain(fmt::format("{} bytes more than the header says", m_body.size() - m_at), "");
        }
        return m_builder.finish();
    }

private:
    struct Complain {
        const PlyReader* reader;
        [[noreturn]] void operator()(const std::string& what, const std::string& hint) const {
            reader->complain(what, hint);
        }
    };

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
                if (hasFormat) m_lines.fail("a second format");
                format(words);
                hasFormat = true;
            } else if (key == "element") {
                element(words);
            } else if (key == "property") {
                property(words);
            } else {
                m_lines.fail(fmt::format("{} is no line of a PLY header", shown(key)));
            }
            if (!words.next().empty()) m_lines.fail("more words than expected");
        }
        if (!hasFormat) m_lines.fail("the header says no format");
        m_text = m_textBody;
        const auto element = [&](const char* name) {
            return std::any_of(m_elements.begin(), m_elements.end(), [&](auto& e) { return e.name == name; });
        };
        if (!element("vertex") || !element("face")) m_lines.fail("the header says no vertex or no face");
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
            m_lines.fail(fmt::format("{} is no format", shown(word)),
                         "There are ascii, binary_little_endian and binary_big_endian.");
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
                m_lines.fail(fmt::format("a second element {}", shown(element.name)));
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
                m_lines.fail(fmt::format("{} is no type", shown(word)),
                             "There are char to uint, float and double.");
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
            m_lines.fail(fmt::format("a second property {}", shown(property.name)));
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
                    fmt::format("{} is no {}", shown(word), isInteger(type) ? "whole number" : "number"));
            return *number;
        }
        const size_t size = bytesOf(type);
        if (m_body.size() - m_at < size) complain("the file ends before its data");
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

    // Reads one row: scalars into `scalars` (if any), the list `list` into m_list.
    void row(const PlyElement& element, double* scalars, int list) {
        if (m_text) {
            if (m_lines.atEnd()) complain("the file ends before its data");
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
            // a list that is passed over ends at the latest with the file
            const double most = wanted ? static_cast<double>(m_limits.corners) : 0x1p31;
            if (!(count >= 0 && count <= most))
                complain(fmt::format("a list of {} entries", count),
                         wanted ? fmt::format("A face has 3 to {} corners.", m_limits.corners) : "");
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
            if (k < 0 || element.properties[k].isList) complain("the vertices have no x, y or z");
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

    void faces(const PlyElement& element) {
        int list = element.find("vertex_indices");
        if (list < 0) list = element.find("vertex_index");
        if (list < 0 || !element.properties[list].isList || !isInteger(element.properties[list].type))
            complain("the faces have no list vertex_indices of integers");
        std::vector<Corner> corners;
        for (uint64_t i = 0; i < element.count; ++i) {
            row(element, nullptr, list);
            corners.clear();
            for (const double index : m_list) {
                if (!(index >= 0 && index < static_cast<double>(m_builder.positions.size())))
                    complain(fmt::format("there is no vertex {}; {} of them, from 0", index,
                                         m_builder.positions.size()));
                const uint32_t k = static_cast<uint32_t>(index);
                corners.push_back({k, m_hasNormals ? k : kNone});
            }
            m_builder.addPolygon(corners);
        }
    }

    const std::string& m_name;
    const MeshLimits& m_limits;
    Lines m_lines;
    MeshBuilder<Complain> m_builder;
    std::vector<PlyElement> m_elements;
    bool m_textBody = false, m_swap = false, m_hasNormals = false;
    bool m_text = true;  // what is being read is text: the header always is
    Words m_words{{}};
    std::vector<double> m_list;
    std::string_view m_body;
    size_t m_bodyStart = 0, m_at = 0;  // where the binary data begins in the file, and what of it is read
};

}  // namespace

TriangleMesh parseMesh(std::string_view content, MeshFormat format, const std::string& name,
                       const MeshLimits& limits) {
    if (content.size() > limits.bytes)
        fail(Exit::Scene, name, fmt::format("the file has more than {} bytes", limits.bytes),
             "Simplify the mesh.");
    return format == MeshFormat::obj ? ObjReader(content, name, limits).read()
                                     : PlyReader(content, name, limits).read();
}

TriangleMesh readMesh(const std::filesystem::path& file, const MeshLimits& limits) {
    std::string extension = file.extension().string();
    for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (extension != ".obj" && extension != ".ply")
        fail(Exit::Scene, file.string(), "no mesh file that Coalesce reads", "It reads .obj and .ply.");
    std::error_code error;
    const bool regular = std::filesystem::is_regular_file(file, error);
    const uintmax_t size = regular ? std::filesystem::file_size(file, error) : 0;
    if (!regular || error) fail(Exit::Scene, file.string(), "there is no such file");
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
