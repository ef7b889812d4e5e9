// USD layers as text (.usda): prims with attributes, written by hand so that no library is needed.
// Format: openusd.org, "Usda File Format Specification".
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "geometry/mesh/mesh.h"
#include "kernels/math/vec.h"

namespace coalesce {

// A prim: its attributes and relationships as finished lines, and its children.
struct UsdPrim {
    std::string specifier = "over";     // "def", "over", "class"
    std::string type;                   // "Points"; empty: none
    std::string name;                   // an identifier
    std::vector<std::string> metadata;  // "kind = \"component\""
    std::vector<std::string> properties;
    std::vector<UsdPrim> children;

    UsdPrim& child(const std::string& childName, const std::string& childType = {});
    // declaration: "point3f[] points"; options: `interpolation = "constant"`
    void set(const std::string& declaration, const std::string& value, const std::string& options = {});
};

// A layer: header, and one prim at the root.
struct UsdLayer {
    std::vector<std::string> metadata;
    UsdPrim root;
    std::string text() const;
};

// A valid identifier of this text.
std::string usdName(const std::string& text);
std::string usdString(const std::string& text);  // quoted

std::string usdValue(float a);
std::string usdValue(double a);
std::string usdValue(Vec3 a);
std::string usdValue(const Quat& q);  // real part first
std::string usdArray(std::span<const Vec3> list);
std::string usdArray(std::span<const float> list);
std::string usdArray(std::span<const Quat> list);
std::string usdArray(std::span<const uint32_t> list);
std::string usdArray(std::span<const int32_t> list);
// faceVertexCounts and faceVertexIndices of triangles
std::string usdTriangleCounts(size_t triangles);
std::string usdIndices(std::span<const Triangle> triangles);
// A bounding box as the two corners of `extent`.
std::string usdExtent(std::span<const Vec3> points, float margin = 0);
// The attributes of a Mesh that does not change.
void setMesh(UsdPrim& prim, const TriangleMesh& mesh);

}  // namespace coalesce
