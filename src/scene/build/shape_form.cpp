#include "scene/build/shape_form.h"

#include <algorithm>
#include <deque>
#include <fmt/format.h>
#include <mutex>

#include "core/error.h"
#include "core/whole_file.h"
#include "geometry/mesh/mesh_vdb.h"
#include "geometry/shapes/distance_volume.h"
#include "geometry/shapes/field_cache.h"
#include "geometry/shapes/mesh_fit.h"
#include "scene/format/scene_files.h"

namespace coalesce {

float cellOf(const Shape& shape, const Box& bounds) {
    constexpr float kCells = 80;  // along the longest extent
    const Vec3 size = bounds.high - bounds.low;
    return shape.cell > 0 ? shape.cell : std::max({size.x, size.y, size.z}) / kCells;
}

bool deforms(const Shape& shape) {
    return shape.kind == ShapeKind::sdf &&
           (isPattern(shape.solid.mesh) || shape.animation.wave.amplitude > 0 ||
            shape.animation.walk.period > 0);
}

namespace {

constexpr float kMargin = 3;  // [cells] around the solid

// [m] between the surface of a mesh and that of its field
float offsetOf(const Shape& shape, float cell) {
    return shape.shell ? std::max(shape.offset, cell) : shape.offset;
}

TriangleMesh meshOf(const std::vector<Vec3>& corners) {
    TriangleMesh mesh;
    mesh.vertices = corners;
    for (uint32_t k = 0; k + 2 < corners.size(); k += 3) mesh.triangles.push_back({k, k + 1, k + 2});
    return mesh;
}

// How the field of a mesh is made. Fails (Exit::Scene) for a sheet, unless it is a shell.
SurfaceFieldSpec fieldSpec(const Shape& shape, const MeshReport& report, const Box& bounds,
                           const std::string& where) {
    const float cell = cellOf(shape, bounds);
    if (!shape.shell && report.openShare > kSheetShare) failOfSheet(where, report);
    if (!(cell > 0)) fail(Exit::Scene, where, "the mesh is a point");
    return {.cell = cell,
            .margin = kMargin * cell,
            .shell = shape.shell,
            .offset = offsetOf(shape, cell),
            .closed = report.closed,
            .where = where};
}

// The velocities [m/s] that an OpenVDB file holds beside its level set, at the nodes of the field: those of
// the surface closest to each. Empty: the file holds none.
std::vector<Vec3> velocitiesBeside(const SolidSpec& solid, const SurfaceFieldSpec& spec,
                                   const DistanceVolume& field) {
    if (solid.mesh.empty() || meshFormatOf(solid.mesh) != MeshFormat::vdb) return {};
    const std::string file = solid.mesh.string(), bytes = readFile(solid.mesh, MeshLimits{}.bytes);
    const std::shared_ptr<const VdbVelocity> velocity = VdbVelocity::read(bytes, file);
    if (!velocity) return {};
    const MeshFit fit(parseMesh(bytes, MeshFormat::vdb, file), solid, file);
    std::vector<Vec3> all(field.distance.size());
    for (size_t k = 0; k < all.size(); ++k) {
        const Vec3 node = field.origin + field.cell * Vec3{float(k % size_t(field.nx)),
                                                           float(k / size_t(field.nx) % size_t(field.ny)),
                                                           float(k / (size_t(field.nx) * size_t(field.ny)))};
        const Vec3 surface = node - (field.distance[k] + spec.offset) * volumeGradient(field, node);
        all[k] = fit.displacement(velocity->at(fit.toFile(surface)));
        if (!isFinite(all[k]))
            fail(Exit::Scene, file, "a velocity at the surface is not finite",
                 "Repair the grid of velocities, or remove it.");
    }
    return all;
}

std::shared_ptr<const ShapeGeometry> fieldOf(const Shape& shape, const SolidSpec& source, const Solid& solid,
                                             bool fromFile, const std::string& where) {
    // without a file the solid reports nothing: its mesh is closed
    const MeshReport closed{.closed = true};
    const SurfaceFieldSpec spec = fieldSpec(shape, fromFile ? solid.report() : closed, solid.bounds(), where);
    if (fromFile || shape.shell) {
        DistanceVolume field = keptSurface(solid.mesh(), spec).volume;
        std::vector<Vec3> velocities;
        if (fromFile) velocities = velocitiesBeside(source, spec, field);
        return fieldGeometry(std::move(field), solid.mesh(), std::move(velocities));
    }
    DistanceVolume volume =
        bakeVolume(solid, spec.cell, spec.margin + std::max(spec.offset, 0.0f), spec.maxBytes, where);
    for (float& distance : volume.distance) distance -= spec.offset;
    return fieldGeometry(std::move(volume), solid.mesh());
}

std::shared_ptr<const ShapeGeometry> makeGeometry(const Shape& shape, const SolidSpec& source,
                                                  const Solid& solid, bool fromFile,
                                                  const std::string& where) {
    if (shape.kind == ShapeKind::convex) return convexGeometry(convexHull(solid.mesh().vertices, 64, where));
    if (shape.kind == ShapeKind::mesh) return meshGeometry(solid.mesh());
    return fieldOf(shape, source, solid, fromFile, where);
}

std::string whereOf(const Scene& scene, const Shape& shape) {
    return fmt::format("{}: shapes.{}", scene.file.string(), shape.name);
}

SolidSpec specOf(const Scene& scene, const Shape& shape) {
    SolidSpec spec = shape.solid;
    if (!spec.mesh.empty()) spec.mesh = resolvePath(scene, spec.mesh);
    spec.where = whereOf(scene, shape);
    return spec;
}

// The solid of a shape; of a field or mesh only the surface matters.
std::shared_ptr<const Solid> solidOf(const Scene& scene, const Shape& shape,
                                     std::vector<std::string>* notes) {
    SolidSpec spec = specOf(scene, shape);
    spec.surfaceOnly = shape.kind != ShapeKind::convex && !meshFileOf(scene, shape.solid).empty();
    return makeSolid(spec, notes);
}

AnimatedSurface animated(const Scene& scene, const Shape& shape, std::vector<std::string>* notes) {
    if (isPattern(shape.solid.mesh)) return {shape.animation, specOf(scene, shape)};
    const auto solid = solidOf(scene, shape, notes);
    if (!(shape.animation.walk.period > 0)) return {solid->mesh(), shape.animation.wave};
    if (solid->skeleton().legs.empty())
        fail(Exit::Scene, whereOf(scene, shape), "the solid has no legs, so it cannot walk",
             "Choose \"shape\": \"horse\", or give a sequence of meshes.");
    return {solid->mesh(), solid->skeleton(), shape.animation.walk, whereOf(scene, shape)};
}

std::shared_ptr<const DeformingField> makeDeforming(const Scene& scene, const Shape& shape,
                                                    std::vector<std::string>* notes) {
    const std::string where = whereOf(scene, shape);
    if (isPattern(shape.solid.mesh) && meshFormatOf(shape.solid.mesh) == MeshFormat::vdb)
        fail(Exit::Scene, where,
             "a sequence of level sets cannot be an animation: their surfaces differ in topology",
             "Give one file, with a grid \"velocity\" where its surface flows, or a sequence of meshes.");
    AnimatedSurface surface = animated(scene, shape, notes);
    if (const std::string found = describe(surface.report()); notes && !found.empty())
        notes->push_back(fmt::format("shapes.{}: {}.", shape.name, found));
    const Box bounds = boundsOf(surface.rest());
    const SurfaceFieldSpec spec = fieldSpec(shape, surface.report(), bounds, where);
    return std::make_shared<DeformingField>(DeformingField{std::move(surface), spec});
}

}  // namespace

std::optional<FieldGrid> fieldGridOf(const Scene& scene, const Shape& shape) {
    if (shape.kind != ShapeKind::sdf) return {};
    SolidSpec spec = specOf(scene, shape);
    const bool sequence = isPattern(shape.solid.mesh);
    if (sequence) {
        const std::vector<std::filesystem::path> files = filesOfPattern(spec.mesh);
        if (files.empty()) return {};
        spec.mesh = files.front();
        spec.surfaceOnly = true;
    }
    FieldGrid grid;
    grid.solid = sequence ? makeSolid(spec) : solidOf(scene, shape, nullptr);
    const float cell = cellOf(shape, grid.solid->bounds());
    const float margin = kMargin * cell + std::max(offsetOf(shape, cell), 0.0f);
    grid.nodes = nodesAround(grid.solid->bounds(), cell, margin, SurfaceFieldSpec{}.maxBytes, spec.where);
    const bool flows = !deforms(shape) && !spec.mesh.empty() && !meshFileOf(scene, shape.solid).empty() &&
                       meshFormatOf(spec.mesh) == MeshFormat::vdb &&
                       VdbVelocity::read(readFile(spec.mesh, MeshLimits{}.bytes), spec.mesh.string());
    grid.bytesPerNode = sizeof(float) + (deforms(shape) || flows ? sizeof(Vec3) : 0);
    return grid;
}

std::shared_ptr<const AnimatedSurface> sequenceOf(const Scene& scene, const Shape& shape) {
    if (shape.kind != ShapeKind::sdf || !isPattern(shape.solid.mesh)) return nullptr;
    return std::make_shared<AnimatedSurface>(shape.animation, specOf(scene, shape));
}

std::shared_ptr<const ShapeGeometry> geometryOf(const Scene& scene, const Shape& shape,
                                                std::vector<std::string>* notes) {
    if (shape.kind < ShapeKind::convex) return nullptr;
    struct Entry {
        std::shared_ptr<const Solid> solid;
        ShapeKind kind;
        float cell;
        bool shell;
        float offset;
        std::vector<Vec3> corners;
        std::shared_ptr<const ShapeGeometry> geometry;
    };
    static std::mutex mutex;
    static std::deque<Entry> cache;
    const std::string where = whereOf(scene, shape);
    if (deforms(shape))
        fail(Exit::Scene, where, "the region of a sink cannot deform", "Remove the animation.");
    std::shared_ptr<const Solid> solid;
    if (shape.corners.empty()) solid = solidOf(scene, shape, notes);
    const bool fromFile = solid && !meshFileOf(scene, shape.solid).empty();
    const std::lock_guard lock(mutex);
    for (const Entry& e : cache)
        if (e.solid == solid && e.kind == shape.kind && e.cell == shape.cell && e.shell == shape.shell &&
            e.offset == shape.offset && e.corners == shape.corners)
            return e.geometry;
    auto geometry = solid ? makeGeometry(shape, specOf(scene, shape), *solid, fromFile, where)
                          : meshGeometry(meshOf(shape.corners));
    cache.push_front(
        {std::move(solid), shape.kind, shape.cell, shape.shell, shape.offset, shape.corners, geometry});
    if (cache.size() > 32) cache.pop_back();
    return geometry;
}

std::shared_ptr<const Solid> solidOfFile(const Scene& scene, const Shape& shape) {
    if (shape.kind < ShapeKind::convex || isPattern(shape.solid.mesh) ||
        meshFileOf(scene, shape.solid).empty())
        return nullptr;
    return solidOf(scene, shape, nullptr);
}

void noteMesh(const Scene& scene, const Shape& shape, std::vector<std::string>& notes) {
    if (shape.kind < ShapeKind::convex || shape.solid.mesh.empty() || deforms(shape)) return;
    solidOf(scene, shape, &notes);
}

void buildForm(const Scene& scene, Shape& shape, std::vector<std::string>* notes) {
    if (!deforms(shape)) {
        shape.geometry = geometryOf(scene, shape, notes);
        return;
    }
    shape.deforming = makeDeforming(scene, shape, notes);
    shape.geometry = shape.deforming->between(0, 0);
}

}  // namespace coalesce
