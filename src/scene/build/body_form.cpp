#include "scene/build/body_form.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <deque>
#include <fmt/format.h>
#include <mutex>
#include <numbers>

#include "geometry/math/curve.h"
#include "geometry/shapes/sample.h"
#include "scene/format/scene_files.h"

namespace coalesce {

namespace {

std::atomic<uint64_t> g_builtForms{0};

std::shared_ptr<BodyForm> newForm() {
    ++g_builtForms;
    return std::make_shared<BodyForm>();
}

// Number of layers of spacing d that fill a length; the outer ones lie d/2 inside the faces.
double layers(double length, double d) {
    return std::floor(length / d + 0.5);
}

// Half the chord of a ball of radius R, at squared distance s2 from its center; negative outside.
double halfChord(double R, double s2) {
    return s2 <= R * R ? std::sqrt(R * R - s2) : -1;
}

// Calls row(x, y, first z, count) for every row of the lattice in a ball: lattice points lie at odd multiples
// of d/2 from the center. R is enlarged slightly, so that rounding cannot exclude points on some machines
// only. In a plane the ball is a disc, and a row is one particle.
template <class Row>
void sphereRows(double R, double d, bool planar, Row&& row) {
    const double nudged = R * (1 + 1e-9);
    const auto n = int64_t(std::ceil(R / d));
    for (int64_t i = -n; i < n; ++i)
        for (int64_t j = -n; j < n; ++j) {
            const double x = (i + 0.5) * d, y = (j + 0.5) * d;
            const double half = halfChord(nudged, x * x + y * y);
            const auto count = half < 0.5 * d ? int64_t{0} : int64_t(std::floor(half / d + 0.5));
            if (planar && half >= 0) row(x, y, 0.0, 1);
            if (!planar && count > 0) row(x, y, (0.5 - double(count)) * d, 2 * count);
        }
}

struct Layers {
    int64_t x, y, z;
};
Layers layersOf(Vec3 size, double d, bool planar) {
    return {int64_t(layers(size.x, d)), int64_t(layers(size.y, d)), planar ? 1 : int64_t(layers(size.z, d))};
}

std::string whereOf(const Scene& scene, const Body& body) {
    return fmt::format("{}: bodies.{}", scene.file.string(), body.name);
}

SolidSpec specOf(const Scene& scene, const Body& body) {
    SolidSpec spec = body.solid;
    if (!spec.mesh.empty()) spec.mesh = resolvePath(scene, spec.mesh);
    spec.where = whereOf(scene, body);
    // cloth is made of the triangles, which may be an open sheet
    spec.surfaceOnly = scene.materials[body.material].properties.kind == MaterialKind::cloth &&
                       !meshFileOf(scene, body.solid).empty();
    return spec;
}

// Surface of a block or ball of particles, including each particle's cell.
std::shared_ptr<const Solid> hullOf(const Scene& scene, const Body& body, float d) {
    SolidSpec spec{.shape = "sphere", .height = 2 * body.radius, .where = whereOf(scene, body)};
    if (body.kind == Body::Kind::Block) {
        const Layers n = layersOf(body.size, d, scene.parameters.solver.planar);
        spec.shape = "brick";
        spec.size = {d * float(n.x), d * float(n.y), d * float(n.z)};
    }
    return makeSolid(spec);
}

std::vector<Sample> sampled(const Solid& solid, float spacing, bool surface, const std::string& where) {
    return surface ? sampleSurface(solid, spacing, where) : sampleSolid(solid, spacing, where);
}

// Where a body is thinner than two particles, its particles collide as balls, without a surface normal: the
// shortest way out is ambiguous, and contacts could be pulled through. So do particles at the rim of a plate,
// where the nearest side is the rim: contacts below the plate would be pushed along it.
BodySample sampleOf(const Solid& solid, Vec3 x, float distance, Vec3 normal, float spacing) {
    // signed distance one step away [spacings]
    const auto out = [&](Vec3 way) { return solid.distance(x + spacing * way) / spacing; };
    // two directions across the normal; a plate one particle thick ends half a spacing away in one of them
    const Vec3 side =
        normalizeOr(cross(normal, std::abs(normal.x) < 0.7f ? Vec3{1, 0, 0} : Vec3{0, 1, 0}), {});
    const Vec3 across = cross(normal, side);
    const bool rim =
        (out(side) > 0.45f && out(-side) > 0.45f) || (out(across) > 0.45f && out(-across) > 0.45f);
    const bool thin = out(-normal) > -0.25f || rim;
    return thin ? BodySample{.x = x} : BodySample{x, distance, normal};
}

// The round surfaces of a shape with which it touches others: a ball, or the two rims of a disc and circles
// a spacing apart between them.
std::vector<RoundSurface> roundsOf(const SolidSpec& spec, const Box& bounds, float spacing) {
    if (!spec.mesh.empty()) return {};
    const Vec3 size = bounds.high - bounds.low;
    const auto equal = [](float a, float b) { return std::abs(a - b) < 1e-4f * b; };
    if (!equal(size.x, size.y)) return {};
    if (spec.shape == "sphere" && equal(size.z, size.y)) return {{.radius = 0.5f * size.y}};
    if (spec.shape != "disc") return {};
    std::vector<RoundSurface> rounds;
    const int pieces = std::max(1, int(std::ceil(size.z / spacing)));
    for (int k = 0; k <= pieces; ++k)
        rounds.push_back({.center = {0, 0, (float(k) / float(pieces) - 0.5f) * size.z},
                          .radius = 0.5f * size.y,
                          .axis = {0, 0, 1}});
    return rounds;
}

std::shared_ptr<BodyForm> formOfShape(const Body& body, std::shared_ptr<const Solid> solid, float spacing,
                                      float density, const std::string& where) {
    const auto form = newForm();
    for (const Sample& s : sampled(*solid, spacing, body.surface, where)) {
        form->points.push_back(toDouble(s.x));
        form->samples.push_back(sampleOf(*solid, s.x, s.distance, s.normal, spacing));
    }
    form->rounds = roundsOf(body.solid, solid->bounds(), spacing);
    // the mass of the body follows from its volume, whatever the sampling
    form->particleMass = float(density * solid->volume() / double(form->points.size()));
    form->solid = std::move(solid);
    return form;
}

// Cached, since shapes are requested repeatedly: to count, warn, build, measure.
std::shared_ptr<const BodyForm> cachedShape(const Body& body, std::shared_ptr<const Solid> solid,
                                            float spacing, float density, const std::string& where) {
    struct Entry {
        std::shared_ptr<const BodyForm> form;
        float spacing, density;
        bool surface;
    };
    static std::mutex mutex;
    static std::deque<Entry> cache;
    const std::lock_guard lock(mutex);
    for (const Entry& e : cache)
        if (e.form->solid == solid && e.spacing == spacing && e.density == density &&
            e.surface == body.surface)
            return e.form;
    cache.push_front(
        {formOfShape(body, std::move(solid), spacing, density, where), spacing, density, body.surface});
    if (cache.size() > 16) cache.pop_back();
    return cache.front().form;
}

// Number of straight segments of a rope, each about d long.
double ropePieces(const Curve& curve, double d) {
    return std::max(1.0, layers(curve.length(), d));
}

// Points along a rope, about d apart, the first and the last at its ends.
std::vector<Vec3> ropePoints(const Body& body, double d) {
    const Curve curve(body.points);
    const auto pieces = int64_t(ropePieces(curve, d));
    std::vector<Vec3> points;
    for (int64_t k = 0; k <= pieces; ++k)
        points.push_back(toFloat(curve.at(curve.length() * double(k) / double(pieces)).at));
    return points;
}

ClothMesh clothMeshOf(const Scene& scene, const Body& body, double d) {
    if (body.kind == Body::Kind::Rope) return makeRope(ropePoints(body, d));
    if (body.kind == Body::Kind::Solid) return makeClothMesh(solidOf(scene, body)->mesh());
    return makeGrid(int(layers(body.size.x, d)) + 1, int(layers(body.size.z, d)) + 1, float(d));
}

// Everything that the form of a cloth or rope depends on.
struct ClothKey {
    Body::Kind kind;
    Vec3 size;
    std::vector<Vec3> points;
    std::shared_ptr<const Solid> solid;
    double spacing, thickness, areaDensity, density;
    bool operator==(const ClothKey&) const = default;
};

// The mass of a particle is that of its part of the cloth, or of a round rope of its contact diameter.
std::shared_ptr<BodyForm> formOfCloth(const Scene& scene, const Body& body, double d) {
    const MaterialProperties& m = scene.materials[body.material].properties;
    const auto form = newForm();
    form->cloth = clothMeshOf(scene, body, d);
    const double section = std::numbers::pi / 4 * m.spacing * m.spacing;
    const double density = m.kind == MaterialKind::cloth ? m.areaDensity : m.density * section;
    double total = 0;
    for (const Vec3& p : form->cloth.points) {
        form->points.push_back(toDouble(p));
        form->samples.push_back({.x = p});
    }
    for (const float share : form->cloth.share) {
        form->masses.push_back(float(density * share));
        total += density * share;
    }
    form->particleMass = float(total / double(form->points.size()));
    return form;
}

// Cached, as shapes are.
std::shared_ptr<const BodyForm> cachedCloth(const Scene& scene, const Body& body, double d) {
    static std::mutex mutex;
    static std::deque<std::pair<ClothKey, std::shared_ptr<const BodyForm>>> cache;
    const MaterialProperties& m = scene.materials[body.material].properties;
    const ClothKey key{
        body.kind, body.size, body.points,   body.kind == Body::Kind::Solid ? solidOf(scene, body) : nullptr,
        d,         m.spacing, m.areaDensity, m.density};
    const std::lock_guard lock(mutex);
    for (const auto& [known, form] : cache)
        if (known == key) return form;
    cache.emplace_front(key, formOfCloth(scene, body, d));
    if (cache.size() > 16) cache.pop_back();
    return cache.front().second;
}

PointList latticeOf(const Body& body, double d, bool planar) {
    PointList points;
    if (body.kind == Body::Kind::Points) {
        for (const Vec3& p : body.points) points.push_back(toDouble(p));
    } else if (body.kind == Body::Kind::Sphere) {
        sphereRows(body.radius, d, planar, [&](double x, double y, double z, int64_t count) {
            for (int64_t k = 0; k < count; ++k) points.push_back({x, y, z + double(k) * d});
        });
    } else {
        const Layers n = layersOf(body.size, d, planar);
        points.reserve(size_t(n.x * n.y * n.z));
        for (int64_t j = 0; j < n.y; ++j)
            for (int64_t k = 0; k < n.z; ++k)
                for (int64_t i = 0; i < n.x; ++i)
                    points.push_back({(i - 0.5 * double(n.x - 1)) * d, (j - 0.5 * double(n.y - 1)) * d,
                                      (k - 0.5 * double(n.z - 1)) * d});
    }
    return points;
}

}  // namespace

uint64_t builtForms() {
    return g_builtForms;
}

bool isSolid(const Scene& scene, const Body& body) {
    return isShapeMatched(scene.materials[body.material].properties) || isSprung(scene, body);
}

bool isSprung(const Scene& scene, const Body& body) {
    return isSprung(scene.materials[body.material].properties);
}

float spacingOf(const Scene& scene, const Body& body) {
    return body.spacing > 0 ? body.spacing : scene.materials[body.material].properties.spacing;
}

std::shared_ptr<const Solid> solidOf(const Scene& scene, const Body& body, std::vector<std::string>* notes) {
    // keeps recent solids alive: makeSolid() shares equal solids only while they are in use
    static std::mutex mutex;
    static std::deque<std::shared_ptr<const Solid>> recent;
    auto solid = makeSolid(specOf(scene, body), notes);
    const std::lock_guard lock(mutex);
    if (std::find(recent.begin(), recent.end(), solid) == recent.end()) recent.push_front(solid);
    if (recent.size() > 16) recent.pop_back();
    return solid;
}

double countBody(const Scene& scene, const Body& body) {
    const double d = spacingOf(scene, body);
    const bool planar = scene.parameters.solver.planar;
    if (body.kind == Body::Kind::Grid) {
        // without a full cell the cloth has no area and no mass
        const double nx = layers(body.size.x, d), nz = layers(body.size.z, d);
        return nx < 1 || nz < 1 ? 0 : (nx + 1) * (nz + 1);
    }
    if (body.kind == Body::Kind::Rope) {
        const Curve curve(body.points);
        return curve.length() > 0 ? ropePieces(curve, d) + 1 : 0;
    }
    if (body.kind == Body::Kind::Solid && isSprung(scene, body))
        return double(formOf(scene, body)->points.size());
    if (body.kind == Body::Kind::Points) return double(body.points.size());
    if (body.kind == Body::Kind::Block)
        return layers(body.size.x, d) * layers(body.size.y, d) * (planar ? 1 : layers(body.size.z, d));
    if (body.kind == Body::Kind::Solid) {
        const auto solid = solidOf(scene, body);
        const bool inUnits = !body.solid.mesh.empty() && body.solid.metersPerUnit > 0;
        requireRoom(*solid, float(d), body.surface, whereOf(scene, body),
                    inUnits ? "If the file is in centimeters, metersPerUnit is 0.01. " : "");
        const Vec3 size = solid->bounds().high - solid->bounds().low;
        const double cells =
            body.surface ? areaOf(solid->mesh()) / (d * d) : double{size.x} * size.y * size.z / (d * d * d);
        if (cells > 1 << 20) return body.surface ? cells : solid->volume() / (d * d * d);
        return double(formOf(scene, body)->points.size());
    }
    const double R = body.radius, pi = std::numbers::pi;
    const double volume = planar ? pi * R * R / (d * d) : 4.0 / 3 * pi * R * R * R / (d * d * d);
    if (!(volume < 4e9)) return volume;  // too many to be counted one row at a time, and to be built
    double n = 0;
    sphereRows(R, d, planar, [&](double, double, double, int64_t count) { n += double(count); });
    return n;
}

std::shared_ptr<const BodyForm> formOf(const Scene& scene, const Body& body) {
    const float d = spacingOf(scene, body);
    const MaterialProperties& properties = scene.materials[body.material].properties;
    if (isSprung(scene, body)) return cachedCloth(scene, body, d);
    if (body.kind == Body::Kind::Solid)
        return cachedShape(body, solidOf(scene, body), d, properties.density, whereOf(scene, body));
    const auto form = newForm();
    form->points = latticeOf(body, d, scene.parameters.solver.planar);
    MaterialProperties own = properties;
    own.spacing = d;
    form->particleMass = particleMass(own, scene.parameters.solver.planar);
    if (!isSolid(scene, body)) return form;
    if (body.kind != Body::Kind::Points) form->solid = hullOf(scene, body, d);
    if (body.kind == Body::Kind::Sphere) form->rounds.push_back({.radius = body.radius});
    for (const auto& p : form->points) {
        const Vec3 x = toFloat(p);
        if (!form->solid) {
            form->samples.push_back({.x = x});
            continue;
        }
        // z is rounded to float, x and y are not: g++ 12 vectorizes a conversion to float and back and drops
        // it for two coordinates, and the golden hashes hold its result. Spelled out, all compilers agree.
        const auto distance = float(form->solid->distanceAt({p.x(), p.y(), double{x.z}}));
        form->samples.push_back(sampleOf(*form->solid, x, distance, form->solid->gradient(x), d));
    }
    return form;
}

Box boundsOf(const Scene& scene, const Body& body) {
    if (body.kind == Body::Kind::Solid) return solidOf(scene, body)->bounds();
    if (body.kind == Body::Kind::Block || body.kind == Body::Kind::Grid)
        return {-0.5f * body.size, 0.5f * body.size};
    if (body.kind == Body::Kind::Sphere) {
        const Vec3 half{body.radius, body.radius, body.radius};
        return {-half, half};
    }
    Box box;
    for (size_t i = 0; i < body.points.size(); ++i) {
        const Vec3& p = body.points[i];
        box.low = i ? Vec3{std::min(box.low.x, p.x), std::min(box.low.y, p.y), std::min(box.low.z, p.z)} : p;
        box.high =
            i ? Vec3{std::max(box.high.x, p.x), std::max(box.high.y, p.y), std::max(box.high.z, p.z)} : p;
    }
    return box;
}

}  // namespace coalesce
