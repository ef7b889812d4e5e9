// The prims of a stage for collision shapes.
#include <cmath>
#include <fmt/format.h>
#include <optional>

#include "export/usd_stage.h"

namespace coalesce {

namespace {

constexpr float kRoughness = 0.6f, kGlass = 1.5f;
constexpr float kPlaneSize = 20;  // [m] edge of the square that stands for an unbounded plane

// The surface of a collision shape in its own frame.
TriangleMesh surfaceOf(const Shape& shape) {
    TriangleMesh mesh;
    const auto quad = [&](Vec3 a, Vec3 b, Vec3 c, Vec3 d) {
        const auto first = uint32_t(mesh.vertices.size());
        mesh.vertices.insert(mesh.vertices.end(), {a, b, c, d});
        mesh.triangles.push_back({first, first + 1, first + 2});
        mesh.triangles.push_back({first, first + 2, first + 3});
    };
    // a sphere or a capsule: rings of equal latitude, the equator at both ends of the cylinder
    const auto round = [&](float radius, float halfLength) {
        constexpr uint32_t kHalf = 12, kRings = 2 * kHalf + 1, kSides = 48;
        for (uint32_t r = 0; r <= kRings; ++r) {
            const bool upper = r > kHalf;
            const float latitude = float(M_PI) / 2 * (float(upper ? r - 1 : r) / kHalf - 1);
            const float y = radius * std::sin(latitude) + (upper ? halfLength : -halfLength);
            for (uint32_t s = 0; s < kSides; ++s) {
                const float turn = 2 * float(M_PI) * float(s) / kSides, w = radius * std::cos(latitude);
                mesh.vertices.push_back({w * std::cos(turn), y, w * std::sin(turn)});
            }
        }
        for (uint32_t r = 0; r < kRings; ++r)
            for (uint32_t s = 0; s < kSides; ++s) {
                const uint32_t a = r * kSides + s, b = r * kSides + (s + 1) % kSides;
                // at the poles a ring is one point
                if (r > 0) mesh.triangles.push_back({a, a + kSides, b});
                if (r + 1 < kRings) mesh.triangles.push_back({b, a + kSides, b + kSides});
            }
    };
    const Vec3 h = shape.halfExtents;
    switch (shape.kind) {
        case ShapeKind::plane: {
            const float s = kPlaneSize / 2;
            quad({-s, 0, -s}, {-s, 0, s}, {s, 0, s}, {s, 0, -s});
            break;
        }
        case ShapeKind::box:
            quad({-h.x, -h.y, h.z}, {h.x, -h.y, h.z}, {h.x, h.y, h.z}, {-h.x, h.y, h.z});
            quad({h.x, -h.y, -h.z}, {-h.x, -h.y, -h.z}, {-h.x, h.y, -h.z}, {h.x, h.y, -h.z});
            quad({h.x, -h.y, h.z}, {h.x, -h.y, -h.z}, {h.x, h.y, -h.z}, {h.x, h.y, h.z});
            quad({-h.x, -h.y, -h.z}, {-h.x, -h.y, h.z}, {-h.x, h.y, h.z}, {-h.x, h.y, -h.z});
            quad({-h.x, h.y, h.z}, {h.x, h.y, h.z}, {h.x, h.y, -h.z}, {-h.x, h.y, -h.z});
            quad({-h.x, -h.y, -h.z}, {h.x, -h.y, -h.z}, {h.x, -h.y, h.z}, {-h.x, -h.y, h.z});
            break;
        case ShapeKind::sphere:
            round(shape.radius, 0);
            break;
        case ShapeKind::capsule:
            round(shape.radius, shape.halfLength);
            break;
        case ShapeKind::convex:
        case ShapeKind::sdf:
        case ShapeKind::mesh:
            if (shape.geometry) mesh = shape.geometry->surface;
            for (Vec3& v : mesh.vertices) v = {v.x * shape.scale.x, v.y * shape.scale.y, v.z * shape.scale.z};
            mesh.normals.clear();  // with non-uniform scale they would have to be recomputed
            break;
    }
    return mesh;
}

// Height of the bottom of the lowest container, where a scene has no ground of its own.
std::optional<float> groundHeight(const std::vector<Shape>& shapes) {
    std::optional<float> height;
    for (const Shape& shape : shapes) {
        if (shape.kind == ShapeKind::plane) {
            if (shape.visible && rotate(shape.rotation, {0, 1, 0}).y > 0.999f) return std::nullopt;
        } else if (shape.container) {
            for (const Vec3 v : surfaceOf(shape).vertices) {
                const float y = shape.position.y + rotate(shape.rotation, v).y;
                height = std::min(height.value_or(y), y);
            }
        }
    }
    return height;
}

}  // namespace

// As in the window; without it, liquids in a container would float before the sky.
void StageWriter::addGround(const StageFrame& f) {
    const std::string path = "/World/Ground", material = "/World/Materials/Ground";
    if (!isNew(path)) return;
    const std::optional<float> height = groundHeight(f.shapes);
    if (!height) return;
    constexpr Vec3 kColor{0.55f, 0.56f, 0.58f};
    addMaterial(material, kColor, kRoughness, kGlass, 1);
    Shape plane;
    plane.kind = ShapeKind::plane;
    UsdPrim& prim = still(path, "Mesh");
    setMesh(prim, surfaceOf(plane));
    bind(path, material, kColor);
    prim.set("float3 xformOp:translate", usdValue(Vec3{0, *height, 0}));
    prim.set("uniform token[] xformOpOrder", "[\"xformOp:translate\"]");
}

void StageWriter::addShapes(const StageFrame& f) {
    for (size_t s = 0; s < f.shapes.size(); ++s) {
        const Shape& shape = f.shapes[s];
        const std::string path =
            fmt::format("/World/Shapes/{}_{}", usdName(shape.name.empty() ? "shape" : shape.name), s);
        if (isNew(path)) {
            // a material of its own, since renderers leave out the color of a display
            const std::string material = "/World/Materials/Shapes" + path.substr(path.rfind('/'));
            addMaterial(material, shape.color, kRoughness, kGlass, shape.opacity);
            UsdPrim& prim = still(path, "Mesh");
            TriangleMesh mesh = surfaceOf(shape);
            setMesh(prim, mesh);
            bind(path, material, shape.color);
            if (shape.opacity < 1)
                prim.set("float[] primvars:displayOpacity", "[" + usdValue(shape.opacity) + "]");
            prim.set("uniform bool doubleSided", "1");
            // walls around the scene and triggers would hide what is inside
            if (shape.container || shape.trigger) prim.set("uniform token purpose", "\"guide\"");
            if (!shape.visible) prim.set("token visibility", "\"invisible\"");
            prim.set("uniform token[] xformOpOrder", "[\"xformOp:translate\", \"xformOp:orient\"]");
        }
        sample(path, "float3 xformOp:translate", usdValue(shape.position));
        sample(path, "quatf xformOp:orient", usdValue(shape.rotation));
    }
}

}  // namespace coalesce
