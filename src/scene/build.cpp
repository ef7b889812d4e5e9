#include "scene/build.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <tuple>

#include "core/error.h"
#include "core/hash.h"
#include "sim/frame.h"

namespace coalesce {

namespace {

// Layers of spacing d that fill a length; the outer ones lie d/2 inside the faces.
double layers(double length, double d) {
    return std::floor(length / d + 0.5);
}

// Half the chord of a ball of radius R, at squared distance s2 from its center; negative outside.
double halfChord(double R, double s2) {
    return s2 <= R * R ? std::sqrt(R * R - s2) : -1;
}

// Calls row(x, y, first z, number) for every row of the lattice in a ball: lattice points lie at odd
// multiples of d/2 from the center. The ball's own rounding lets no point count on one machine and not on
// another: R is nudged.
template <class Row>
void sphereRows(double R, double d, Row&& row) {
    const double nudged = R * (1 + 1e-9);
    const auto n = static_cast<int64_t>(std::ceil(R / d));
    for (int64_t i = -n; i < n; ++i)
        for (int64_t j = -n; j < n; ++j) {
            const double x = (i + 0.5) * d, y = (j + 0.5) * d;
            const double half = halfChord(nudged, x * x + y * y);
            const auto count = half < 0.5 * d ? int64_t{0} : static_cast<int64_t>(std::floor(half / d + 0.5));
            if (count > 0) row(x, y, (0.5 - static_cast<double>(count)) * d, 2 * count);
        }
}

// Uniform in −1 … 1, from the scene's seed, the particle's number and the axis.
float randomShift(uint64_t seed, uint64_t particle, uint64_t axis) {
    const uint64_t bits = mix(mixIn(seed, particle * 4 + axis)) >> 40;  // 24 bits: exact in a float
    return static_cast<float>(bits) * (2.0f / 16777215.0f) - 1.0f;
}

}  // namespace

double countBody(const Body& body, float spacing) {
    const double d = spacing;
    if (body.kind == Body::Kind::Points) return static_cast<double>(body.points.size());
    if (body.kind == Body::Kind::Block)
        return layers(body.size.x, d) * layers(body.size.y, d) * layers(body.size.z, d);
    const double R = body.radius, volume = 4.0 / 3 * std::acos(-1.0) * R * R * R / (d * d * d);
    if (!(volume < 4e9)) return volume;  // too many to be counted one row at a time, and to be built
    double n = 0;
    sphereRows(R, d, [&](double, double, double, int64_t count) { n += static_cast<double>(count); });
    return n;
}

std::vector<Vec3> fillBody(const Body& body, float spacing) {
    const double d = spacing;
    std::vector<Vec3> points;
    points.reserve(static_cast<size_t>(countBody(body, spacing)));
    const auto add = [&](double x, double y, double z) {
        points.push_back({static_cast<float>(body.center.x + x), static_cast<float>(body.center.y + y),
                          static_cast<float>(body.center.z + z)});
    };
    if (body.kind == Body::Kind::Points) {
        for (const Vec3& p : body.points) add(p.x, p.y, p.z);
    } else if (body.kind == Body::Kind::Sphere) {
        sphereRows(body.radius, d, [&](double x, double y, double z, int64_t count) {
            for (int64_t k = 0; k < count; ++k) add(x, y, z + static_cast<double>(k) * d);
        });
    } else {
        const auto nx = static_cast<int64_t>(layers(body.size.x, d)),
                   ny = static_cast<int64_t>(layers(body.size.y, d)),
                   nz = static_cast<int64_t>(layers(body.size.z, d));
        for (int64_t j = 0; j < ny; ++j)
            for (int64_t k = 0; k < nz; ++k)
                for (int64_t i = 0; i < nx; ++i)
                    add((i - 0.5 * static_cast<double>(nx - 1)) * d,
                        (j - 0.5 * static_cast<double>(ny - 1)) * d,
                        (k - 0.5 * static_cast<double>(nz - 1)) * d);
    }
    return points;
}

size_t countParticles(const Scene& scene) {
    double n = 0;
    for (const Body& body : scene.bodies)
        n += countBody(body, scene.materials[body.material].properties.spacing);
    return static_cast<size_t>(n);
}

std::vector<Coincidence> coincidences(const Scene& scene) {
    struct Place {
        Vec3 x;
        uint32_t body;
        auto key() const { return std::tie(x.x, x.y, x.z, body); }
    };
    std::vector<Coincidence> found;
    if (countParticles(scene) > size_t{1} << 22) return found;
    std::vector<Place> places;
    for (size_t b = 0; b < scene.bodies.size(); ++b) {
        const Body& body = scene.bodies[b];
        if (body.jitter > 0) continue;
        for (const Vec3& x : fillBody(body, scene.materials[body.material].properties.spacing))
            places.push_back({x, static_cast<uint32_t>(b)});
    }
    std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.key() < b.key(); });
    std::map<std::pair<uint32_t, uint32_t>, Coincidence> pairs;
    for (size_t i = 1; i < places.size(); ++i) {
        const Place &before = places[i - 1], &place = places[i];
        if (!(before.x == place.x)) continue;
        Coincidence& pair = pairs[{place.body, before.body}];
        if (pair.count++ == 0)
            pair = {scene.bodies[place.body].name, scene.bodies[before.body].name, 1, place.x};
    }
    for (const auto& [bodies, pair] : pairs) found.push_back(pair);
    return found;
}

void buildWorld(const Scene& scene, World& world) {
    CHECK(world.count() == 0);
    const size_t particles = countParticles(scene);
    const SolverMemory memory = estimateMemory(particles, scene.parameters);
    const size_t available = world.exec.availableBytes();
    if (available > 0 && memory.total() > available)
        fail(Exit::Simulation, scene.file.string(),
             fmt::format("{} particles need about {:.2f} GB ({:.2f} state, {:.2f} neighbor lists, {:.2f} "
                         "scratch), and {} has {:.2f} GB",
                         particles, memory.total() / 1e9, memory.state / 1e9, memory.lists / 1e9,
                         memory.scratch / 1e9, world.exec.description(), available / 1e9),
             "Use a smaller size of the scene (--size), or a coarser spacing.");

    world.parameters = scene.parameters;
    world.materials = scene.materials;
    world.shapes = scene.shapes;
    uint32_t first = world.nextId;
    for (size_t b = 0; b < scene.bodies.size(); ++b) {
        const Body& body = scene.bodies[b];
        const float d = scene.materials[body.material].properties.spacing;
        const std::vector<Vec3> points = fillBody(body, d);
        std::vector<Birth> births(points.size());
        const uint64_t seed = mixIn(mixIn(scene.seed, b), 0x6a69747465720000ull);
        for (size_t i = 0; i < points.size(); ++i) {
            births[i].x = points[i];
            if (body.jitter > 0)
                births[i].x += (body.jitter * d) * Vec3{randomShift(seed, i, 0), randomShift(seed, i, 1),
                                                        randomShift(seed, i, 2)};
            births[i].v = body.velocity;
            births[i].material = body.material;
            births[i].group = static_cast<uint32_t>(world.groups.size());
        }
        const auto count = static_cast<uint32_t>(births.size());
        world.groups.push_back({body.name, body.material, first, count});
        world.addParticles(births);
        first += count;
    }
}

void sceneExtent(const Scene& scene, Vec3& low, Vec3& high) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    low = {kInfinity, kInfinity, kInfinity};
    high = -low;
    const auto include = [&](Vec3 p) {
        low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
        high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    };
    for (const Body& body : scene.bodies) {
        if (body.kind == Body::Kind::Points) {
            for (const Vec3& p : body.points) include(body.center + p);
            continue;
        }
        const Vec3 half =
            body.kind == Body::Kind::Block ? 0.5f * body.size : Vec3{body.radius, body.radius, body.radius};
        include(body.center - half);
        include(body.center + half);
    }
    if (scene.bounded) {
        include(scene.boundsMin);
        include(scene.boundsMax);
    }
    if (!(low.x <= high.x)) low = {-1, -1, -1}, high = {1, 1, 1};
}

CameraView defaultCamera(const Scene& scene) {
    Vec3 low, high;
    sceneExtent(scene, low, high);
    const Vec3 center = 0.5f * (low + high);
    const float radius = std::max(0.5f * length(high - low), 0.1f);
    CameraView view;
    view.name = "main";
    view.look = center;
    view.eye = center + (2.6f * radius) * normalizeOr({0.35f, 0.45f, 1.0f}, {0, 0, 1});
    return view;
}

}  // namespace coalesce
