#include "geometry/shapes/solid.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <mutex>

#include "core/error.h"
#include "geometry/mesh/mesh_reader.h"
#include "geometry/query/mesh_distance.h"
#include "geometry/sdf/polygonize.h"
#include "geometry/shapes/distance_volume.h"
#include "geometry/shapes/mesh_fit.h"
#include "geometry/shapes/surface_field.h"

namespace coalesce {

Solid::Solid(Parts parts)
    : m_parts(std::move(parts)), m_closed(isClosed(m_parts.mesh)), m_volume(volumeOf(surface())) {
    m_step = 1e-4 * (toDouble(m_parts.bounds.high) - toDouble(m_parts.bounds.low)).maxCoeff();
}

Vec3 Solid::gradient(Vec3 p) const {
    const Vec3d x = toDouble(p);
    const Vec3d g = m_parts.gradient ? m_parts.gradient(x) : implicitGradient(m_parts.distance, x, m_step);
    return toFloat(normalizeOr(g, {0, 1, 0}));
}

namespace {

const SolidShapeInfo& findShape(const SolidSpec& spec) {
    std::vector<std::string> names;
    for (const SolidShapeInfo& info : solidShapes()) {
        if (spec.shape == info.name) return info;
        names.push_back(info.name);
    }
    const std::string near = nearest(spec.shape, names);
    fail(Exit::Scene, spec.where, fmt::format("unknown shape \"{}\"", spec.shape),
         near.empty() ? fmt::format("Shapes: {}.", fmt::join(names, ", "))
                      : fmt::format("Did you mean \"{}\"?", near));
}

SolidNumbers completeNumbers(const SolidSpec& spec, const SolidShapeInfo& info) {
    SolidNumbers complete;
    std::vector<std::string> names;
    for (const SolidNumberInfo& number : info.numbers) {
        complete[number.name] = number.value;
        names.push_back(number.name);
    }
    for (const auto& given : spec.numbers) {
        const std::string& name = given.first;
        const float value = given.second;
        const auto number =
            std::find_if(info.numbers.begin(), info.numbers.end(), [&](auto& n) { return name == n.name; });
        if (number == info.numbers.end()) {
            const std::string near = nearest(name, names);
            fail(Exit::Scene, spec.where,
                 fmt::format("the shape {} has no parameter \"{}\"", info.name, name),
                 !near.empty()   ? fmt::format("Did you mean \"{}\"?", near)
                 : names.empty() ? "It has none."
                                 : fmt::format("It has: {}.", fmt::join(names, ", ")));
        }
        if (!(value >= number->min && value <= number->max))
            fail(Exit::Scene, spec.where,
                 fmt::format("{} of the shape {} must be between {} and {}, but is {}", name, info.name,
                             number->min, number->max, value));
        complete[name] = value;
    }
    return complete;
}

void checkSize(const SolidSpec& spec) {
    const auto good = [](float x) { return x >= 1e-4f && x <= 1e5f; };
    const bool sized = spec.size.x != 0 || spec.size.y != 0 || spec.size.z != 0;
    if (sized ? !(good(spec.size.x) && good(spec.size.y) && good(spec.size.z)) : !good(spec.height))
        fail(Exit::Scene, spec.where, "a solid must measure between 0.0001 m and 100000 m",
             "Give a height, or a size along all three axes.");
}

std::shared_ptr<const Solid> fromForm(const SolidSpec& spec) {
    const SolidShapeInfo& info = findShape(spec);
    const SolidNumbers numbers = completeNumbers(spec, info);
    const bool sized = spec.size.x > 0;
    const double height = sized ? spec.size.y : spec.height;
    SolidForm form = solidForm(info.name, numbers, spec.seed, (sized ? 1 / height : 0) * toDouble(spec.size));

    TriangleMesh mesh = std::move(form.mesh);
    if (mesh.triangles.empty())
        mesh = polygonize(form.distance, form.bounds,
                          {.cell = form.cell, .crease = form.crease, .where = spec.where});
    if (!form.tight) {
        const Box box = boundsOf(mesh);
        form.bounds = {toDouble(box.low), toDouble(box.high)};
    }
    // transform from the shape's frame to the solid's: x = scale (p - middle)
    const Vec3d middle = form.bounds.center(), extent = form.bounds.size();
    const double even = height / extent.y();
    const Vec3d scale = sized ? Vec3d(toDouble(spec.size).cwiseQuotient(extent)) : Vec3d{even, even, even};
    const bool stretched = std::max(std::abs(scale.x() - even), std::abs(scale.z() - even)) > 1e-6 * even;
    for (Vec3& v : mesh.vertices) v = toFloat(scale.cwiseProduct(toDouble(v) - middle));
    for (Vec3& n : mesh.normals) n = toFloat(normalizeOr(toDouble(n).cwiseQuotient(scale), {0, 1, 0}));
    const Vec3d half = 0.5 * scale.cwiseProduct(extent);

    const Implicit shape = [f = form.distance, scale, middle, even](Vec3d x) {
        return even * f(x.cwiseQuotient(scale) + middle);
    };
    const double step = 1e-5 * half.maxCoeff();
    const auto slope = [shape, step](Vec3d x) { return implicitGradient(shape, x, step); };
    Solid::Parts parts{.distance = shape, .gradient = slope, .mesh = std::move(mesh)};
    parts.bounds = {toFloat(-1.0 * half), toFloat(half)};
    parts.skeleton = std::move(form.skeleton);
    parts.skeleton.transform(scale, middle);
    if (!form.exact || stretched) {
        // Near the surface: value over slope, first order. Farther away, where blended and stretched shapes
        // are no distances, or where both disagree: the distance to the triangles.
        const double gentle = 0.25 * even / scale.maxCoeff();  // smallest trusted slope
        const double near = form.cell * scale.minCoeff();
        const auto triangles = std::make_shared<MeshDistance>(parts.mesh);
        struct Mixed {
            double distance;
            Vec3d gradient;
        };
        const auto evaluate = [shape, slope, triangles, near, gentle](Vec3d x) -> Mixed {
            const double value = shape(x), sign = value < 0 ? -1 : 1;
            const MeshDistance::Closest closest = triangles->closest(x);
            const Vec3d away = normalizeOr(x - closest.point, {});
            // most points: the slope, six values of the shape, would get no share
            if (closest.distance / near - 0.5 >= 1) return {sign * closest.distance, sign * away};
            const Vec3d g = slope(x);
            const double steep = std::max(length(g), gentle), first = value / steep;
            const double differ = std::abs(std::abs(first) - closest.distance);
            const double share = std::clamp(std::max(closest.distance, 4 * differ) / near - 0.5, 0.0, 1.0);
            return {(1 - share) * first + share * sign * closest.distance,
                    ((1 - share) / steep) * g + share * sign * away};
        };
        parts.distance = [evaluate](Vec3d x) { return evaluate(x).distance; };
        parts.gradient = [evaluate](Vec3d x) { return evaluate(x).gradient; };
    }
    return std::make_shared<Solid>(std::move(parts));
}

// The surface of what the winding number calls inside.
TriangleMesh enclosingSurface(const TriangleMesh& mesh, const MeshReport& report, const Box& bounds,
                              const std::string& where) {
    constexpr double kCells = 96;  // along the longest extent
    const Box3d box{toDouble(bounds.low), toDouble(bounds.high)};
    const double cell = box.size().maxCoeff() / kCells;
    const DistanceVolume volume =
        bakeSurface(mesh,
                    {.cell = float(cell), .margin = float(3 * cell), .closed = report.closed, .where = where})
            .volume;
    return polygonize([&](Vec3d p) { return double(volumeDistance(volume, toFloat(p))); }, box,
                      {.cell = cell, .precision = 1e-3, .normals = false, .where = where});
}

// Whether the winding number is 0 or 1 at all points of a coarse lattice.
bool windsOnce(const MeshDistance& triangles, const Box& bounds) {
    constexpr int n = 24;
    const Vec3d low = toDouble(bounds.low), step = (1.0 / n) * (toDouble(bounds.high) - low);
    for (int z = 0; z < n; ++z)
        for (int y = 0; y < n; ++y)
            for (int x = 0; x < n; ++x) {
                const double winding =
                    triangles.windingNumber(low + step.cwiseProduct(Vec3d{x + 0.5, y + 0.5, z + 0.5}));
                if (std::min(std::abs(winding), std::abs(winding - 1)) > 0.25) return false;
            }
    return true;
}

std::shared_ptr<const Solid> fromMesh(const SolidSpec& spec, std::vector<std::string>& notes) {
    TriangleMesh mesh = readMesh(spec.mesh);
    const std::string file = spec.mesh.filename().string();
    const MeshFit fit(mesh, spec, spec.mesh.string());
    if (fit.isFlat() && !spec.surfaceOnly)
        fail(Exit::Scene, spec.mesh.string(), "the mesh is flat and encloses no volume");
    fit.apply(mesh);
    Solid::Parts parts;
    mesh = repairMesh(std::move(mesh), parts.report);
    if (mesh.triangles.empty())
        fail(Exit::Scene, spec.mesh.string(), "all triangles of the mesh are without area");
    std::string note = describe(parts.report);
    const Vec3d half = fit.halfExtent();
    parts.bounds = {toFloat(fit.center() - half), toFloat(fit.center() + half)};
    auto triangles = std::make_shared<const MeshDistance>(mesh);
    if (spec.surfaceOnly) {
        if (!note.empty()) notes.push_back(fmt::format("{}: {}.", file, note));
        parts.mesh = std::move(mesh);
        parts.distance = [triangles](Vec3d p) { return triangles->closest(p).distance; };
        return std::make_shared<Solid>(std::move(parts));
    }
    if (!parts.report.closed || !windsOnce(*triangles, parts.bounds)) {
        if (parts.report.closed) note += note.empty() ? "intersects itself" : "; intersects itself";
        if (parts.report.openShare > kSheetShare) failOfSheet(spec.mesh.string(), parts.report);
        parts.surface = enclosingSurface(mesh, parts.report, parts.bounds, spec.mesh.string());
        if (parts.surface.triangles.empty() || !(volumeOf(parts.surface) > 0))
            fail(Exit::Scene, spec.mesh.string(), "the mesh encloses no volume",
                 "It must be closed, or nearly closed.");
        note += "; its inside is where the winding number exceeds 0.5";
        triangles = std::make_shared<const MeshDistance>(parts.surface);
    }
    if (!note.empty()) notes.push_back(fmt::format("{}: {}.", file, note));
    const TriangleMesh& surface = parts.surface.triangles.empty() ? mesh : parts.surface;
    std::vector<Vec3d> faces;  // normals for points on the surface
    for (const auto& [a, b, c] : surface.triangles) {
        const Vec3d p = toDouble(surface.vertices[a]);
        faces.push_back(
            normalizeOr(cross(toDouble(surface.vertices[b]) - p, toDouble(surface.vertices[c]) - p), {}));
    }
    parts.mesh = std::move(mesh);
    const auto sign = [triangles](Vec3d p) { return triangles->windingNumber(p) > 0.5 ? -1.0 : 1.0; };
    parts.distance = [triangles, sign](Vec3d p) { return sign(p) * triangles->closest(p).distance; };
    parts.gradient = [triangles, sign, faces = std::move(faces),
                      least = 1e-6 * half.maxCoeff()](Vec3d p) -> Vec3d {
        const MeshDistance::Closest closest = triangles->closest(p);
        if (closest.distance > least) return sign(p) * (p - closest.point);
        return faces[closest.triangle];
    };
    return std::make_shared<Solid>(std::move(parts));
}

// Modification time and size of a mesh file, which may change while its solid is in use.
std::string versionOf(const std::filesystem::path& file) {
    std::error_code missing;
    const auto time = std::filesystem::last_write_time(file, missing);
    return fmt::format("{}|{}", time.time_since_epoch().count(), std::filesystem::file_size(file, missing));
}

std::string keyOf(const SolidSpec& spec) {
    std::string key = fmt::format("{}|{}|{}|{}|{}|{}|{}|{} {} {}|{}", spec.surfaceOnly, spec.shape,
                                  spec.mesh.string(), int(spec.up), spec.metersPerUnit, spec.keepOrigin,
                                  spec.height, spec.size.x, spec.size.y, spec.size.z, spec.seed);
    for (const auto& [name, value] : spec.numbers) key += fmt::format("|{}={}", name, value);
    return key;
}

}  // namespace

void failOfSheet(const std::string& where, const MeshReport& report) {
    fail(Exit::Scene, where,
         fmt::format("the mesh is an open sheet: it has no inside behind {:.3g} % of its area",
                     100 * report.openShare),
         "A sheet can be a shape: \"sdf\" with \"shell\": true, or \"mesh\".");
}

std::shared_ptr<const Solid> makeSolid(const SolidSpec& spec, std::vector<std::string>* notes) {
    struct Made {
        std::weak_ptr<const Solid> solid;
        std::vector<std::string> notes;
    };
    static std::mutex mutex;
    static std::map<std::string, Made> made;
    checkSize(spec);
    // a mesh file may be missing if a shape replaces it
    std::error_code error;
    const bool missing =
        !spec.mesh.empty() && !spec.shape.empty() && !std::filesystem::exists(spec.mesh, error);
    const bool fromFile = !spec.mesh.empty() && !missing;
    const std::lock_guard lock(mutex);
    Made& entry = made[fmt::format("{}|{}", fromFile ? versionOf(spec.mesh) : "", keyOf(spec))];
    std::shared_ptr<const Solid> solid = entry.solid.lock();
    if (!solid) {
        entry.notes.clear();
        if (missing)
            entry.notes.push_back(
                fmt::format("{} not found; using the shape {} instead.", spec.mesh.string(), spec.shape));
        solid = fromFile ? fromMesh(spec, entry.notes) : fromForm(spec);
        entry.solid = solid;
    }
    if (notes) notes->insert(notes->end(), entry.notes.begin(), entry.notes.end());
    return solid;
}

}  // namespace coalesce
