#include "scene/build/mesh_summary.h"

#include <algorithm>
#include <fmt/format.h>

#include "geometry/query/thinnest_wall.h"
#include "scene/build/body_form.h"
#include "scene/build/shape_form.h"
#include "scene/format/scene_files.h"

namespace coalesce {

namespace {

constexpr float kLarge = 100;  // [m] above which a mesh in its own unit is probably in another one

struct Use {
    std::string name;  // of the body or shape
    const SolidSpec& spec;
    float resolved = 0;      // [m] thickness from which on a wall holds, before the scale
    const char* resolvedBy;  // what has to resolve it
    const char* advice;      // what to choose
    Vec3 scale{1, 1, 1};     // of the shape
};

std::string countOf(size_t n, const char* what) {
    return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

MeshSummary summaryOf(const Use& use, const Solid& solid) {
    const auto scaled = [&](Vec3 a) { return Vec3{use.scale.x * a.x, use.scale.y * a.y, use.scale.z * a.z}; };
    TriangleMesh mesh = solid.mesh();
    for (Vec3& v : mesh.vertices) v = scaled(v);
    const MeshReport& report = solid.report();
    const Vec3 size = scaled(solid.bounds().high - solid.bounds().low);
    const std::string who = fmt::format("{}: {}", use.name, use.spec.mesh.filename().string());
    MeshSummary summary;
    summary.text = fmt::format("{}: {}, {:.3g} x {:.3g} x {:.3g} m, {}, {}", who,
                               countOf(mesh.triangles.size(), "triangle"), size.x, size.y, size.z,
                               countOf(report.components, "part"),
                               report.closed ? "closed" : countOf(report.holes, "hole"));
    if (report.closed)
        summary.text += fmt::format(
            ", {:.3g} m3", report.volume * double(use.scale.x) * double(use.scale.y) * double(use.scale.z));
    // the grid of a field is scaled with its mesh, so the unscaled wall is that to compare with its cells
    const bool isScaled = !(use.scale == Vec3{1, 1, 1});
    const std::optional<Wall> wall = thinnestWall(solid.mesh());
    if (const std::optional<Wall> thinnest = isScaled ? thinnestWall(mesh) : wall)
        summary.text += fmt::format(", thinnest wall {:.3g} m", thinnest->thickness);
    if (wall && wall->thickness < double(use.resolved))
        summary.warnings.push_back(fmt::format(
            "{}: a wall of {:.3g} m at [{:.3g}, {:.3g}, {:.3g}] is thinner than {}, {:.3g} m{}, so "
            "that particles may pass through it. Choose {}",
            who, wall->thickness, wall->at.x, wall->at.y, wall->at.z, use.resolvedBy, use.resolved,
            isScaled ? ", all before the scale" : "", use.advice));
    const float longest = std::max({size.x, size.y, size.z});
    if (use.spec.metersPerUnit > 0 && longest > kLarge)
        summary.warnings.push_back(fmt::format(
            "{}: it measures {:.3g} m. If the file is in centimeters, metersPerUnit is 0.01", who, longest));
    return summary;
}

// The grid of an sdf and its memory.
std::string gridText(const FieldGrid& grid) {
    const auto [x, y, z] = grid.nodes;
    return fmt::format(", grid of {} x {} x {} nodes, {:.3g} MB", x, y, z, double(grid.bytes()) / 1e6);
}

// Of an sdf without a file.
MeshSummary summaryOfForm(const Shape& shape, const FieldGrid& grid) {
    const Vec3 size = grid.solid->bounds().high - grid.solid->bounds().low;
    return {fmt::format("shapes.{}: {}{}, {:.3g} x {:.3g} x {:.3g} m{}", shape.name, shape.solid.shape,
                        deforms(shape) ? " that deforms" : "", size.x, size.y, size.z, gridText(grid)),
            {}};
}

MeshSummary summaryOfSequence(const Shape& shape, const AnimatedSurface& surface, const FieldGrid& grid) {
    const TriangleMesh& mesh = surface.rest();
    const Box bounds = boundsOf(mesh);
    const Vec3 size = bounds.high - bounds.low;
    const double bytes = double(surface.frames()) * double(mesh.vertices.size() * sizeof(Vec3));
    return {fmt::format("shapes.{}: {}: {} of {}, {:.3g} MB, the first {:.3g} x {:.3g} x {:.3g} m, {}{}",
                        shape.name, shape.solid.mesh.filename().string(), countOf(surface.frames(), "frame"),
                        countOf(mesh.triangles.size(), "triangle"), bytes / 1e6, size.x, size.y, size.z,
                        surface.report().closed ? "closed" : countOf(surface.report().holes, "hole"),
                        gridText(grid)),
            {}};
}

}  // namespace

std::vector<MeshSummary> meshSummaries(const Scene& scene) {
    std::vector<MeshSummary> summaries;
    for (const Body& body : scene.bodies) {
        if (body.kind != Body::Kind::Solid || meshFileOf(scene, body.solid).empty()) continue;
        const bool sheet = scene.materials[body.material].properties.kind == MaterialKind::cloth;
        summaries.push_back(summaryOf({"bodies." + body.name, body.solid, sheet ? 0 : spacingOf(scene, body),
                                       "the spacing of its particles", "a smaller spacing, or a larger body"},
                                      *solidOf(scene, body)));
    }
    for (const Shape& shape : scene.shapes) {
        const std::optional<FieldGrid> grid = fieldGridOf(scene, shape);
        if (const auto surface = sequenceOf(scene, shape))
            summaries.push_back(summaryOfSequence(shape, *surface, grid.value()));
        const auto solid = solidOfFile(scene, shape);
        if (!solid) {
            if (grid && !isPattern(shape.solid.mesh)) summaries.push_back(summaryOfForm(shape, *grid));
            continue;
        }
        const bool field = shape.kind == ShapeKind::sdf && !shape.shell;
        summaries.push_back(
            summaryOf({"shapes." + shape.name, shape.solid, field ? 2 * cellOf(shape, solid->bounds()) : 0,
                       "two cells of its grid", "a smaller cell, or \"shell\": true", shape.scale},
                      *solid));
        if (grid) summaries.back().text += gridText(*grid);
    }
    return summaries;
}

}  // namespace coalesce
