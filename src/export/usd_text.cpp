#include "export/usd_text.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <iterator>

namespace coalesce {

namespace {

template <class T, class Put>
std::string arrayText(std::span<const T> list, Put&& put) {
    std::string out = "[";
    for (size_t k = 0; k < list.size(); ++k) {
        if (k > 0) out += ", ";
        put(std::back_inserter(out), list[k]);
    }
    out += "]";
    return out;
}

void write(const UsdPrim& prim, int depth, std::string& out) {
    const std::string indent(size_t(4 * depth), ' ');
    out += indent + prim.specifier + (prim.type.empty() ? "" : " " + prim.type) + " \"" + prim.name + "\"";
    if (!prim.metadata.empty()) {
        out += " (\n";
        for (const std::string& line : prim.metadata) out += indent + "    " + line + "\n";
        out += indent + ")";
    }
    out += "\n" + indent + "{\n";
    for (const std::string& line : prim.properties) out += indent + "    " + line + "\n";
    for (const UsdPrim& child : prim.children) write(child, depth + 1, out);
    out += indent + "}\n";
}

}  // namespace

UsdPrim& UsdPrim::child(const std::string& childName, const std::string& childType) {
    for (UsdPrim& known : children)
        if (known.name == childName) return known;
    UsdPrim& added = children.emplace_back();
    added.name = childName;
    added.type = childType;
    added.specifier = specifier;
    return added;
}

void UsdPrim::set(const std::string& declaration, const std::string& value, const std::string& options) {
    properties.push_back(declaration + " = " + value + (options.empty() ? "" : " (" + options + ")"));
}

std::string UsdLayer::text() const {
    std::string out = "#usda 1.0\n(\n";
    for (const std::string& line : metadata) out += "    " + line + "\n";
    out += ")\n\n";
    write(root, 0, out);
    return out;
}

std::string usdName(const std::string& text) {
    std::string name;
    for (const char c : text) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0]))) name.insert(name.begin(), '_');
    return name;
}

std::string usdString(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c == '\n' ? ' ' : c;
    }
    return out + "\"";
}

std::string usdValue(float a) {
    return fmt::format("{}", a);
}
std::string usdValue(double a) {
    return fmt::format("{}", a);
}
std::string usdValue(Vec3 a) {
    return fmt::format("({}, {}, {})", a.x, a.y, a.z);
}
std::string usdValue(const Quat& q) {
    return fmt::format("({}, {}, {}, {})", q.w, q.x, q.y, q.z);
}

std::string usdArray(std::span<const Vec3> list) {
    return arrayText(list, [](auto out, Vec3 a) { fmt::format_to(out, "({}, {}, {})", a.x, a.y, a.z); });
}
std::string usdArray(std::span<const float> list) {
    return arrayText(list, [](auto out, float a) { fmt::format_to(out, "{}", a); });
}
std::string usdArray(std::span<const Quat> list) {
    return arrayText(
        list, [](auto out, const Quat& q) { fmt::format_to(out, "({}, {}, {}, {})", q.w, q.x, q.y, q.z); });
}
std::string usdArray(std::span<const uint32_t> list) {
    return arrayText(list, [](auto out, uint32_t a) { fmt::format_to(out, "{}", a); });
}
std::string usdArray(std::span<const int32_t> list) {
    return arrayText(list, [](auto out, int32_t a) { fmt::format_to(out, "{}", a); });
}
std::string usdTriangleCounts(size_t triangles) {
    return usdArray(std::vector<uint32_t>(triangles, 3));
}
std::string usdIndices(std::span<const Triangle> triangles) {
    return arrayText(
        triangles, [](auto out, const Triangle& t) { fmt::format_to(out, "{}, {}, {}", t[0], t[1], t[2]); });
}

std::string usdExtent(std::span<const Vec3> points, float margin) {
    if (points.empty()) return "[(0, 0, 0), (0, 0, 0)]";
    Vec3 low = points[0], high = low;
    for (const Vec3& p : points) {
        low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
        high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    }
    const Vec3 m{margin, margin, margin};
    return "[" + usdValue(low - m) + ", " + usdValue(high + m) + "]";
}

void setMesh(UsdPrim& prim, const TriangleMesh& mesh) {
    prim.set("uniform token subdivisionScheme", "\"none\"");
    prim.set("point3f[] points", usdArray(mesh.vertices));
    if (!mesh.normals.empty())
        prim.set("normal3f[] normals", usdArray(mesh.normals), "interpolation = \"vertex\"");
    prim.set("int[] faceVertexCounts", usdTriangleCounts(mesh.triangles.size()));
    prim.set("int[] faceVertexIndices", usdIndices(mesh.triangles));
    prim.set("float3[] extent", usdExtent(mesh.vertices));
}

}  // namespace coalesce
