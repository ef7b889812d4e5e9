#include "scene/build/shape_form.h"

#include <algorithm>
#include <deque>
#include <fmt/format.h>
#include <mutex>

#include "geometry/shapes/distance_volume.h"
#include "geometry/shapes/solid.h"
#include "scene/format/scene_files.h"

namespace coalesce {

namespace {

constexpr float kCellsOfField = 80;  // along the longest extent
constexpr float kMargin = 3;         // [cells] around the solid

TriangleMesh meshOf(const std::vector<Vec3>& corners) {
    TriangleMesh mesh;
    mesh.vertices = corners;
    for (uint32_t k = 0; k + 2 < corners.size(); k += 3) mesh.triangles.push_back({k, k + 1, k + 2});
    return mesh;
}

std::shared_ptr<const ShapeGeometry> makeGeometry(const Shape& shape, const Solid& solid,
                                                  const std::string& where) {
    if (shape.kind == ShapeKind::convex) return convexGeometry(convexHull(solid.mesh().vertices, 64, where));
    if (shape.kind == ShapeKind::mesh) return meshGeometry(solid.mesh());
    const Vec3 size = solid.bounds().high - solid.bounds().low;
    const float cell = shape.cell > 0 ? shape.cell : std::max({size.x, size.y, size.z}) / kCellsOfField;
    return fieldGeometry(bakeVolume(solid, cell, kMargin * cell, size_t{1} << 30, where), solid.mesh());
}

}  // namespace

std::shared_ptr<const ShapeGeometry> geometryOf(const Scene& scene, const Shape& shape,
                                                std::vector<std::string>* notes) {
    if (shape.kind < ShapeKind::convex) return nullptr;
    struct Entry {
        std::shared_ptr<const Solid> solid;
        ShapeKind kind;
        float cell;
        std::vector<Vec3> corners;
        std::shared_ptr<const ShapeGeometry> geometry;
    };
    static std::mutex mutex;
    static std::deque<Entry> cache;
    std::shared_ptr<const Solid> solid;
    const std::string where = fmt::format("{}: shapes.{}", scene.file.string(), shape.name);
    if (shape.corners.empty()) {
        SolidSpec spec = shape.solid;
        if (!spec.mesh.empty()) spec.mesh = resolvePath(scene, spec.mesh);
        spec.where = where;
        solid = makeSolid(spec, notes);
    }
    const std::lock_guard lock(mutex);
    for (const Entry& e : cache)
        if (e.solid == solid && e.kind == shape.kind && e.cell == shape.cell && e.corners == shape.corners)
            return e.geometry;
    auto geometry = solid ? makeGeometry(shape, *solid, where) : meshGeometry(meshOf(shape.corners));
    cache.push_front({std::move(solid), shape.kind, shape.cell, shape.corners, geometry});
    if (cache.size() > 32) cache.pop_back();
    return geometry;
}

}  // namespace coalesce
