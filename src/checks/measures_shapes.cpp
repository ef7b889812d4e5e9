// Checks of collision shapes: loads, triggers, penetration.
#include <algorithm>
#include <cmath>
#include <deque>
#include <mutex>
#include <numbers>

#include "checks/check_options.h"
#include "checks/measures.h"
#include "checks/shape_distance.h"
#include "geometry/query/mesh_components.h"
#include "geometry/query/mesh_distance.h"

namespace coalesce::measures {

namespace {

// A point in the frame of a shape at a time, before scaling.
Vec3d toShapeFrame(const Shape& shape, double time, const Vec3d& x) {
    const Pose pose = poseAt(shape, time);
    return rotate(toDouble(pose.rotation).conjugate(), x - toDouble(pose.position))
        .cwiseQuotient(toDouble(shape.scale));
}

// Displacement of the surface closest to p in the last frame, before scaling; trilinear.
Vec3d motionAt(const ShapeGeometry& geometry, const Vec3d& p) {
    const DistanceVolume& v = geometry.volume;
    const int n[] = {v.nx, v.ny, v.nz};
    int low[3];
    double u[3];
    const Vec3d at = (p - toDouble(v.origin)) / v.cell;
    for (int k = 0; k < 3; ++k) {
        const double in = std::clamp(at[k], 0.0, n[k] - 1.0);
        low[k] = std::min(int(in), n[k] - 2), u[k] = in - low[k];
    }
    Vec3d sum;
    for (int c = 0; c < 8; ++c) {
        const size_t x = size_t(low[0] + (c & 1)), y = size_t(low[1] + (c >> 1 & 1)),
                     z = size_t(low[2] + (c >> 2));
        const double weight =
            (c & 1 ? u[0] : 1 - u[0]) * (c & 2 ? u[1] : 1 - u[1]) * (c & 4 ? u[2] : 1 - u[2]);
        sum += weight * toDouble(geometry.motion[(z * v.ny + y) * v.nx + x]);
    }
    return sum;
}

// Where a surface that deforms carries a point from the start of the last frame to its end. One that flows in
// place stays where it is.
Vec3d carried(const Shape& shape, const Vec3d& p) {
    Vec3d q = p;
    for (int round = 0; round < 8 && shape.deforming; ++round) q = p + motionAt(*shape.geometry, q);
    return q;
}

// Six times the signed volume of a tetrahedron.
double volume(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& d) {
    const Vec3d u = b - a, v = c - a, w = d - a;
    return dot(u, cross(v, w));
}

bool passesTriangle(const Vec3d& p, const Vec3d& q, const Vec3d& a, const Vec3d& b, const Vec3d& c) {
    if (volume(a, b, c, p) * volume(a, b, c, q) >= 0) return false;
    const double x = volume(p, q, a, b), y = volume(p, q, b, c), z = volume(p, q, c, a);
    return (x >= 0 && y >= 0 && z >= 0) || (x <= 0 && y <= 0 && z <= 0);
}

// Whether the segment intersects the surface of the shape.
bool passes(const TriangleBvh& surface, const Vec3d& from, const Vec3d& to) {
    const Vec3 a = toFloat(from), b = toFloat(to);
    const Bounds way = boundsOfPath(a, b, 1e-5f * (length(a) + length(b)));
    const TriangleMesh& mesh = surface.mesh;
    const std::vector<BvhNode>& nodes = surface.nodes;
    bool found = false;
    walk(
        View<const BvhNode>(nodes.data(), nodes.size()), 0, int(nodes.size()),
        [&](const Bounds& box) { return overlap(box, way); },
        [&](int k) {
            const Triangle& t = mesh.triangles[size_t(k)];
            found |= passesTriangle(from, to, toDouble(mesh.vertices[t[0]]), toDouble(mesh.vertices[t[1]]),
                                    toDouble(mesh.vertices[t[2]]));
        });
    return found;
}

// Whether the segment intersects the surface, and so do the paths near it that a particle may have taken. In
// the shape's frame the path of a frame is straight in each substep only. Paths of two pieces are tried whose
// bend is at most `highest` times the length away from the segment.
bool passesOnAllPaths(const TriangleBvh& surface, const Vec3d& from, const Vec3d& to, double highest) {
    if (!passes(surface, from, to)) return false;
    if (highest == 0) return true;
    constexpr int kDirections = 16, kHeights = 8;
    const Vec3d way = to - from;
    const Vec3d helper = std::abs(way.x()) < 0.5 * length(way) ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0};
    const Vec3d u = normalizeOr(cross(way, helper), {1, 0, 0}), v = normalizeOr(cross(way, u), {0, 1, 0});
    for (const double along : {0.5, 0.25, 0.75})
        for (int height = 1; height <= kHeights; ++height)
            for (int k = 0; k < kDirections; ++k) {
                const double angle = 2 * std::numbers::pi * k / kDirections;
                const double away = highest * height / kHeights * length(way);
                const Vec3d bend = from + along * way + away * (std::cos(angle) * u + std::sin(angle) * v);
                if (!passes(surface, from, bend) && !passes(surface, bend, to)) return false;
            }
    return true;
}

// How far paths of several substeps bend in the frame of a shape, as a share of their
// length: a particle at rest moves on an arc of the angle θ by which the shape turns,
// tan(θ/4)/2 of its chord high; an eighth more by contacts.
double bendOf(const Shape& past, const Shape& shape, double from, double to) {
    const Quatd a = toDouble(poseAt(past, from).rotation), b = toDouble(poseAt(shape, to).rotation);
    return std::tan(a.angularDistance(b) / 4) / 2 + 1.0 / 8;
}

// The surface of a shape, as checks need it.
struct Surface {
    TriangleBvh tree;
    std::vector<MeshDistance> parts;  // connected components of a closed surface, else empty
};

// Whether a particle on its way passed through the surface. Between two regions that a
// closed surface separates there is no other way; within one bounded region, such as
// that inside a vessel, there is no way through.
bool passed(const Surface& surface, const Vec3d& from, const Vec3d& to, double bend) {
    if (!passes(surface.tree, from, to)) return false;
    bool bounded = false;
    for (const MeshDistance& part : surface.parts) {
        const long a = std::lround(part.windingNumber(from)), b = std::lround(part.windingNumber(to));
        if (a != b) return true;
        bounded |= a != 0;
    }
    return !bounded && passesOnAllPaths(surface.tree, from, to, bend);
}

// Cached, since checks request it in every frame.
std::shared_ptr<const Surface> surfaceOf(const std::shared_ptr<const ShapeGeometry>& geometry) {
    static std::mutex mutex;
    static std::deque<std::pair<std::shared_ptr<const ShapeGeometry>, std::shared_ptr<const Surface>>> cache;
    const std::lock_guard lock(mutex);
    for (const auto& [known, surface] : cache)
        if (known == geometry) return surface;
    auto made = std::make_shared<Surface>(Surface{buildBvh(geometry->surface), {}});
    if (isClosed(geometry->surface))
        for (const TriangleMesh& part : componentsOf(geometry->surface)) made->parts.emplace_back(part);
    cache.push_front({geometry, std::move(made)});
    if (cache.size() > 32) cache.pop_back();
    return cache.front().second;
}

Measured passed(const MeasureContext& s) {
    const std::string name = s.word("shape", "shapes");
    const Parameters::Solver& solver = s.scene.parameters.solver;
    const bool oneSubstep = solver.timeStep == TimeStep::fixed && solver.substeps == 1;
    for (size_t k = 0; k < s.now.shapes.size() && k < s.state.since.shapes.size(); ++k) {
        const Shape &shape = s.now.shapes[k], &past = s.state.since.shapes[k];
        if (shape.kind < ShapeKind::convex || shape.trigger || (name != "shapes" && shape.name != name))
            continue;
        const auto surface = surfaceOf(shape.geometry);
        const double bend = oneSubstep ? 0 : bendOf(past, shape, s.state.since.time, s.now.time);
        for (const uint32_t i : s.selected)
            if (const auto before = findId(s.state.since, s.now.id[i]);
                before &&
                passed(*surface,
                       carried(shape, toShapeFrame(past, s.state.since.time, s.state.since.x[*before])),
                       toShapeFrame(shape, s.now.time, s.now.x[i]), bend))
                s.state.crossed.insert(s.now.id[i]);
    }
    s.state.since = s.now;
    return double(s.state.crossed.size());
}

// Share of the group whose centers lie inside a shape, as it is at the end of the frame.
Measured shareInside(const MeasureContext& s) {
    const std::string name = s.word("shape", "");
    size_t inside = 0;
    for (const Shape& shape : s.now.shapes) {
        if (shape.name != name) continue;
        const ShapeDistance distance(shape, s.now.time);
        for (const uint32_t i : s.selected) inside += distance(s.now.x[i]) < 0;
    }
    return double(inside) / double(s.selected.size());
}

const ShapeReport* reportOf(const MeasureContext& s) {
    for (size_t i = 0; i < s.scene.shapes.size() && i < s.now.reports.size(); ++i)
        if (s.scene.shapes[i].name == s.word("shape", "")) return &s.now.reports[i];
    return nullptr;
}

// Mean over the frames of the window, or the last frame; along an axis, or the length of the mean.
Measured meanOf(const MeasureContext& s, Vec3 ShapeReport::*vector) {
    const ShapeReport* report = reportOf(s);
    if (!report) return {};
    const Vec3d now = toDouble(report->*vector);
    if (s.check.from < 0) s.state.vectors.clear();
    s.state.vectors.push_back(now);
    Vec3d mean;
    for (const Vec3d& one : s.state.vectors) mean += one / double(s.state.vectors.size());
    if (s.check.words.contains("axis")) return mean[s.axis()];
    return length(mean);
}

Measured load(const MeasureContext& s) {
    return meanOf(s, &ShapeReport::force);
}
Measured torque(const MeasureContext& s) {
    return meanOf(s, &ShapeReport::torque);
}
Measured entered(const MeasureContext& s) {
    const ShapeReport* report = reportOf(s);
    return report ? Measured(double(report->entered)) : std::nullopt;
}

Measured present(const MeasureContext& s) {
    const ShapeReport* report = reportOf(s);
    return report ? Measured(double(report->present)) : std::nullopt;
}

}  // namespace

std::vector<CheckKind> shapeChecks() {
    return {
        {.name = "load",
         .unit = "N",
         .measures =
             "force on a shape by particles and by the springs attached to it, mean over the window, or "
             "over the frame without a window",
         .over = CheckKind::Window::Whole,
         .value = load,
         .options = {shapeOption(), signedAxis()}},
        {.name = "torque",
         .unit = "N m",
         .measures = "torque of the particles on a shape about its position, averaged as for load",
         .over = CheckKind::Window::Whole,
         .value = torque,
         .options = {shapeOption(), signedAxis()}},
        {.name = "entered",
         .unit = "particles",
         .measures = "number of times that a particle entered a trigger since the start",
         .value = entered,
         .options = {shapeOption()}},
        {.name = "present",
         .unit = "particles",
         .measures = "number of particles inside a trigger",
         .value = present,
         .options = {shapeOption()}},
        {.name = "passed",
         .unit = "particles",
         .measures =
             "number of particles that passed through the surface of a convex, sdf or mesh between two "
             "frames, in the shape's own frame of reference, which deforms with it, so far; around an "
             "edge the path may bend from substep to substep",
         .value = passed,
         .options = {wordOption("shape", "Name of the shape; all shapes of these kinds when omitted.")},
         .everyFrame = true},
        {.name = "share_inside",
         .measures = "share of the group whose centers lie inside a plane, box, sphere, capsule, convex or "
                     "sdf, or behind the walls of a container, whether it collides with them or not",
         .value = shareInside,
         .options = {shapeOption()}},
    };
}

}  // namespace coalesce::measures
