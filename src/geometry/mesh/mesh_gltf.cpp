// glTF 2.0: the triangles of the nodes of a scene, at rest.
// https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html
#include <Eigen/Geometry>
#include <bit>
#include <cstdint>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/whole_file.h"
#include "geometry/mesh/mesh_builder.h"
#include "geometry/mesh/mesh_formats.h"

namespace coalesce {

namespace {

using Json = nlohmann::json;
using Eigen::Affine3d;

constexpr int kMostDepth = 64;  // of the tree of nodes

uint64_t littleEndianAt(std::string_view bytes, size_t at, size_t count) {
    uint64_t value = 0;
    for (size_t k = count; k-- > 0;) value = value << 8 | uint8_t(bytes[at + k]);
    return value;
}

// Empty if it is no base64.
std::optional<std::string> fromBase64(std::string_view text) {
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    while (!text.empty() && text.back() == '=') text.remove_suffix(1);
    std::string bytes;
    uint32_t bits = 0;
    int count = 0;
    for (const char c : text) {
        const size_t digit = digits.find(c);
        if (digit == std::string_view::npos) return {};
        bits = bits << 6 | uint32_t(digit), count += 6;
        if (count < 8) continue;
        count -= 8;
        bytes += char(bits >> count & 0xff);
    }
    return bytes;
}

class GltfReader {
public:
    GltfReader(std::string_view content, const std::string& name, const std::filesystem::path& folder,
               const MeshLimits& limits)
        : m_name(name),
          m_folder(folder),
          m_limits(limits),
          m_builder(limits,
                    [this](const std::string& what, const std::string& hint) { complain(what, hint); }) {
        if (content.starts_with("glTF")) content = chunksOf(content);
        m_root = Json::parse(content, nullptr, false);
        if (!m_root.is_object()) complain("the JSON of this glTF file cannot be read");
    }

    TriangleMesh read() {
        const Json& asset = member(m_root, "asset");
        const std::string version = asset.is_object() ? asset.value("version", Json("")).dump() : "";
        if (!version.starts_with("\"2.")) complain("only glTF 2 is supported", "Export it as glTF 2.0.");
        for (const Json& extension : list(m_root, "extensionsRequired")) {
            const std::string named = extension.is_string() ? extension.get<std::string>() : extension.dump();
            if (!named.starts_with("KHR_materials_") && !named.starts_with("KHR_texture_") &&
                !named.starts_with("KHR_lights_"))
                complain(fmt::format("the file needs the extension {}", named.substr(0, 60)),
                         "Export it without compression and quantization.");
        }
        m_visited.resize(list(m_root, "nodes").size(), false);
        const Json& scenes = list(m_root, "scenes");
        if (!scenes.empty()) {
            const size_t scene = m_root.contains("scene") ? number(m_root, "scene") : 0;
            for (const Json& node : list(element("scenes", scene), "nodes"))
                visit(index(node), Affine3d::Identity(), 0);
        } else {
            for (size_t mesh = 0; mesh < list(m_root, "meshes").size(); ++mesh)
                addMesh(mesh, Affine3d::Identity());
        }
        return m_builder.finish();
    }

private:
    [[noreturn]] void complain(const std::string& what, const std::string& hint = {}) const {
        fail(Exit::Scene, m_place.empty() ? m_name : m_name + ": " + m_place, what, hint);
    }

    // ---- JSON ----

    const Json& member(const Json& object, const char* key) const {
        static const Json none;
        if (!object.is_object()) return none;
        const auto it = object.find(key);
        return it == object.end() ? none : *it;
    }
    const Json& list(const Json& object, const char* key) const {
        static const Json none = Json::array();
        const Json& value = member(object, key);
        if (value.is_null()) return none;
        if (!value.is_array()) complain(fmt::format("\"{}\" must be a list", key));
        return value;
    }
    size_t index(const Json& value) const {
        if (!value.is_number_unsigned()) complain("an index must be a whole number");
        return value.get<size_t>();
    }
    size_t number(const Json& object, const char* key, std::optional<size_t> otherwise = {}) const {
        const Json& value = member(object, key);
        if (value.is_null() && otherwise) return *otherwise;
        if (!value.is_number_unsigned() || value.get<uint64_t>() > m_limits.bytes)
            complain(fmt::format("\"{}\" must be a whole number of at most {}", key, m_limits.bytes));
        return value.get<size_t>();
    }
    const Json& element(const char* name, size_t k) const {
        const Json& all = list(m_root, name);
        if (k >= all.size() || !all[k].is_object()) complain(fmt::format("{}[{}] does not exist", name, k));
        return all[k];
    }
    template <int n>
    Eigen::Matrix<double, n, 1> vector(const Json& object, const char* key,
                                       const Eigen::Matrix<double, n, 1>& otherwise) const {
        const Json& value = member(object, key);
        if (value.is_null()) return otherwise;
        Eigen::Matrix<double, n, 1> v;
        bool fine = value.is_array() && value.size() == n;
        for (int k = 0; fine && k < n; ++k) {
            fine = value[size_t(k)].is_number();
            if (fine) v[k] = value[size_t(k)].template get<double>();
        }
        if (!fine) complain(fmt::format("\"{}\" must be {} numbers", key, n));
        return v;
    }

    // ---- bytes ----

    // The JSON of a binary file; keeps its other chunk.
    std::string_view chunksOf(std::string_view content) {
        constexpr uint64_t kJson = 0x4e4f534a, kBinary = 0x004e4942;
        if (content.size() < 20 || littleEndianAt(content, 4, 4) != 2)
            complain("only version 2 of binary glTF is supported");
        std::string_view json;
        for (size_t at = 12; at + 8 <= content.size();) {
            const size_t size = littleEndianAt(content, at, 4), kind = littleEndianAt(content, at + 4, 4);
            if (size > content.size() - at - 8) complain(fmt::format("the chunk at byte {} is cut off", at));
            const std::string_view chunk = content.substr(at + 8, size);
            if (kind == kJson && json.empty()) json = chunk;
            if (kind == kBinary && !m_binary) m_binary = chunk;
            at += 8 + size;
        }
        return json;
    }

    std::string_view bufferBytes(size_t k) {
        m_buffers.resize(list(m_root, "buffers").size());
        const Json& buffer = element("buffers", k);
        const Json& uri = member(buffer, "uri");
        if (uri.is_null()) {
            if (k != 0 || !m_binary) complain(fmt::format("buffers[{}] has no data", k));
            return *m_binary;
        }
        if (!uri.is_string()) complain("a \"uri\" must be text");
        if (!m_buffers[k]) m_buffers[k] = load(uri.get_ref<const std::string&>());
        return *m_buffers[k];
    }
    std::string load(const std::string& uri) const {
        if (uri.starts_with("data:")) {
            const size_t comma = uri.find(',');
            const bool base64 = comma != std::string::npos && uri.substr(0, comma).ends_with(";base64");
            const auto bytes = base64 ? fromBase64(std::string_view(uri).substr(comma + 1)) : std::nullopt;
            if (!bytes) complain("a buffer is no base64 data");
            return *bytes;
        }
        // nothing outside of the folder of the file
        const std::filesystem::path file(uri);
        bool leaves = file.is_absolute() || m_folder.empty() || uri.find(':') != std::string::npos;
        for (const auto& part : file) leaves |= part == "..";
        if (leaves)
            complain(fmt::format("the buffer \"{}\" is not in the folder of the file", uri.substr(0, 60)),
                     "Put it there, or export one .glb file.");
        return readFile(m_folder / file, m_limits.bytes);
    }

    // The elements of an accessor: count, size and place of each.
    struct Elements {
        std::string_view bytes;  // from the first element
        size_t count = 0, stride = 0, component = 0;
    };
    Elements elementsOf(size_t k, const char* type, size_t components) {
        const Json& accessor = element("accessors", k);
        const Json& found = member(accessor, "type");
        if (!found.is_string() || found.get_ref<const std::string&>() != type)
            complain(fmt::format("accessors[{}] must have the type {}", k, type));
        if (accessor.contains("sparse"))
            complain(fmt::format("accessors[{}] is sparse, which is not supported", k));
        Elements e;
        e.count = number(accessor, "count");
        e.component = number(accessor, "componentType");
        const size_t bytes = e.component == 5121 ? 1 : e.component == 5123 ? 2 : 4, size = bytes * components;
        const Json& view = element("bufferViews", number(accessor, "bufferView"));
        const std::string_view buffer = bufferBytes(number(view, "buffer"));
        const size_t start = number(view, "byteOffset", 0), length = number(view, "byteLength"),
                     offset = number(accessor, "byteOffset", 0);
        e.stride = number(view, "byteStride", size);
        if (e.stride < size) complain(fmt::format("accessors[{}]: its elements overlap", k));
        // all numbers are at most limits.bytes, so nothing overflows
        if (start + length > buffer.size() || offset > length ||
            (e.count > 0 && uint64_t{e.stride} * (e.count - 1) + size > length - offset))
            complain(fmt::format("accessors[{}] reaches beyond the end of its buffer", k));
        e.bytes = buffer.substr(start + offset);
        return e;
    }

    // ---- nodes ----

    void visit(size_t k, const Affine3d& parent, int depth) {
        m_place = fmt::format("nodes[{}]", k);
        const Json& node = element("nodes", k);
        if (m_visited[k] || depth > kMostDepth) complain("the nodes are not a tree");
        m_visited[k] = true;
        Affine3d world = parent;
        if (node.contains("matrix")) {
            const Eigen::Matrix<double, 16, 1> m = vector<16>(node, "matrix", {});
            Affine3d local;
            for (int row = 0; row < 3; ++row)
                for (int column = 0; column < 4; ++column) local(row, column) = m[4 * column + row];
            local.makeAffine();
            world = parent * local;
        } else {
            const Eigen::Vector4d q = vector<4>(node, "rotation", {0, 0, 0, 1});
            world = parent * Eigen::Translation3d(vector<3>(node, "translation", {0, 0, 0})) *
                    Eigen::Quaterniond(q[3], q[0], q[1], q[2]) *
                    Eigen::Scaling(Eigen::Vector3d(vector<3>(node, "scale", {1, 1, 1})));
        }
        if (node.contains("mesh")) addMesh(number(node, "mesh"), world);
        for (const Json& child : list(node, "children")) visit(index(child), world, depth + 1);
    }

    void addMesh(size_t k, const Affine3d& world) {
        const bool mirrored = world.linear().determinant() < 0;
        const Json& primitives = list(element("meshes", k), "primitives");
        for (size_t p = 0; p < primitives.size(); ++p) {
            m_place = fmt::format("meshes[{}].primitives[{}]", k, p);
            addPrimitive(primitives[p], world, mirrored);
        }
    }

    void addPrimitive(const Json& primitive, const Affine3d& world, bool mirrored) {
        constexpr size_t kTriangles = 4, kStrip = 5, kFan = 6;
        const size_t mode = number(primitive, "mode", kTriangles);
        if (mode < kTriangles) return;  // points and lines
        if (mode > kFan) complain(fmt::format("there is no mode {}", mode));
        const Elements p = elementsOf(number(member(primitive, "attributes"), "POSITION"), "VEC3", 3);
        if (p.component != 5126) complain("positions must be floats", "Export it without quantization.");
        const auto first = uint32_t(m_builder.positions.size());
        for (size_t i = 0; i < p.count; ++i) {
            Eigen::Vector3d x;
            for (size_t axis = 0; axis < 3; ++axis)
                x[int(axis)] =
                    std::bit_cast<float>(uint32_t(littleEndianAt(p.bytes, i * p.stride + 4 * axis, 4)));
            x = world * x;
            m_builder.addPosition(x.x(), x.y(), x.z());
        }
        std::vector<uint32_t> indices;
        if (primitive.contains("indices")) {
            const Elements e = elementsOf(number(primitive, "indices"), "SCALAR", 1);
            const size_t bytes = e.component == 5121   ? 1
                                 : e.component == 5123 ? 2
                                 : e.component == 5125 ? 4
                                                       : 0;
            if (bytes == 0) complain("indices must be unsigned whole numbers");
            if (e.count > 3 * m_limits.triangles)
                complain(fmt::format("more than {} triangles", m_limits.triangles), "Simplify the mesh.");
            for (size_t i = 0; i < e.count; ++i) {
                const uint64_t v = littleEndianAt(e.bytes, i * e.stride, bytes);
                if (v >= p.count) complain(fmt::format("vertex {} does not exist; there are {}", v, p.count));
                indices.push_back(uint32_t(v));
            }
        } else {
            for (size_t i = 0; i < p.count; ++i) indices.push_back(uint32_t(i));
        }
        if (mode == kTriangles && indices.size() % 3 != 0)
            complain(fmt::format("{} corners make no whole number of triangles", indices.size()));
        const size_t step = mode == kTriangles ? 3 : 1;
        for (size_t i = 0; i + 2 < indices.size(); i += step) {
            // every second triangle of a strip has the other orientation
            const bool turned = mirrored != (mode == kStrip && i % 2 == 1);
            const size_t a = mode == kFan ? 0 : i, b = i + 1, c = i + 2;
            m_corners.clear();
            for (const size_t corner : {a, turned ? c : b, turned ? b : c})
                m_corners.push_back({first + indices[corner], kNone});
            m_builder.addPolygon(m_corners);
        }
    }

    const std::string& m_name;
    const std::filesystem::path& m_folder;
    const MeshLimits& m_limits;
    MeshBuilder m_builder;
    std::string m_place;  // in the file, for messages
    Json m_root;
    std::optional<std::string_view> m_binary;  // the second chunk of a binary file
    std::vector<std::optional<std::string>> m_buffers;
    std::vector<bool> m_visited;
    std::vector<Corner> m_corners;
};

}  // namespace

TriangleMesh parseGltf(std::string_view content, const std::string& name, const std::filesystem::path& folder,
                       const MeshLimits& limits) {
    return GltfReader(content, name, folder, limits).read();
}

}  // namespace coalesce
