#include "sim/world/emitters.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>

#include "geometry/math/occupancy_grid.h"
#include "geometry/math/random.h"
#include "sim/world/time_step.h"
#include "sim/world/world.h"

namespace coalesce {

namespace {

constexpr float kEdgeSpacings = 2;     // width of the slow edge of a nozzle
constexpr double kTimeEpsilon = 1e-6;  // events; times are sums of steps
enum Flag : uint32_t { kWasEnabled = 1, kKnowsNozzle = 2 };
// random numbers reserved for an event, so that those of a layer differ from those of the next
constexpr uint64_t kDrawsOfEvent = uint64_t{1} << 32;

// Pose of the nozzle at a time, and velocity of its center.
struct Nozzle {
    Vec3 center{};    // [m]
    Quat rotation{};  // its y axis is the direction
    Vec3 velocity{};  // [m/s]
};

// Motion of the shape or body that an emitter is attached to, since the last frame.
class Attachment {
public:
    Attachment(World& world, const Emitter& emitter, EmitterProgress& progress)
        : m_emitter(emitter), m_progress(progress), m_until(world.time) {
        for (const Shape& shape : world.shapes)
            if (shape.name == emitter.on) m_shape = &shape;
        for (const Group& group : world.groups)
            if (!m_shape && !emitter.on.empty() && group.name == emitter.on && group.body != Group::kNoBody)
                readBody(world, world.bodies[group.body]);
    }
    // An emitter waits while the body that it is attached to does not exist.
    bool exists() const { return m_shape || m_body || m_emitter.on.empty(); }
    Nozzle at(double t) const {
        const EmitterProperties& p = m_emitter.properties;
        const Quat aim = quatFromNormal(normalizeOr(p.direction, {0, -1, 0}));
        if (m_shape) {
            constexpr double h = 1e-3;  // [s] for the velocity
            const Pose pose = poseAt(*m_shape, t);
            const Vec3 way = positionOn(poseAt(*m_shape, t + h)) - positionOn(poseAt(*m_shape, t - h));
            return {positionOn(pose), pose.rotation * aim, float(0.5 / h) * way};
        }
        if (!m_body) return {p.position, aim, {0, 0, 0}};
        // in a straight line from its previous position
        const double past = m_until - m_progress.until;
        const Vec3 now = positionOn(*m_body);
        const bool moves = (m_progress.flags & kKnowsNozzle) && past > 0;
        const Vec3 velocity = moves ? float(1 / past) * (now - m_progress.nozzle) : Vec3{0, 0, 0};
        return {now - float(m_until - t) * velocity, m_body->rotation * aim, velocity};
    }
    // Stores the position of the nozzle for the next frame.
    void endFrame() {
        if (!m_body) return;
        m_progress.nozzle = positionOn(*m_body);
        m_progress.flags |= kKnowsNozzle;
    }

private:
    Vec3 positionOn(const Pose& pose) const {
        return pose.position + rotate(pose.rotation, m_emitter.properties.position);
    }
    void readBody(World& world, const SolidBody& body) {
        if (body.clusters == 0) return;
        ClusterPose pose;
        Vec4 rest;
        world.exec.copyToHost(&pose, world.solids.pose.view().data + body.firstCluster, sizeof pose);
        world.exec.copyToHost(&rest, world.solids.clusterRestCenter.view().data + body.firstCluster,
                              sizeof rest);
        if (!(pose.mass > 0) || body.gone) return;
        m_body = Pose{pose.center - rotate(pose.rotation, xyz(rest)), pose.rotation};
    }

    const Emitter& m_emitter;
    EmitterProgress& m_progress;
    double m_until;
    const Shape* m_shape = nullptr;
    std::optional<Pose> m_body;  // of its frame
};

// 0 … 1
double share(uint64_t seed, uint64_t number, uint64_t axis) {
    return 0.5 * (double{randomShift(seed, number, axis)} + 1);
}

// Uniform in the unit disc: the first of many draws from a square that is inside.
std::array<double, 2> inDisc(uint64_t seed, uint64_t number) {
    for (uint64_t k = 0;; ++k) {
        const double x = randomShift(mixIn(seed, k), number, 0), y = randomShift(mixIn(seed, k), number, 1);
        if (x * x + y * y <= 1 || k == 63) return {x, y};
    }
}

// Positions of a packed layer in the plane of the nozzle [m], as x, 0, z. Layers of both parities are the
// same lattice; each lies over the hollows of the other.
std::vector<Vec3> layerOf(const Emitter& e, float spacing, bool odd) {
    const float a = layerNeighbors(spacing), row = a * std::sqrt(3.0f) / 2;
    std::vector<Vec3> places;
    const auto shift = [&](int j) { return ((j & 1) != 0) == odd ? -0.25f * a : 0.25f * a; };
    const float aside = (odd ? 1.0f : -1.0f) * row / 6;
    if (e.nozzle == Emitter::Nozzle::rectangle) {
        // as many rows, and particles per row, as fit
        const int rows = std::max(1, int(std::lround(e.size.z / row)));
        const int columns = std::max(1, int(std::lround(e.size.x / a)));
        for (int j = 0; j < rows; ++j)
            for (int i = 0; i < columns; ++i)
                places.push_back({(float(i) - 0.5f * float(columns - 1)) * a + shift(j), 0,
                                  (float(j) - 0.5f * float(rows - 1)) * row + aside});
        return places;
    }
    const int rows = int(e.radius / row) + 2, columns = int(e.radius / a) + 2;
    for (int j = -rows; j <= rows; ++j)
        for (int i = -columns; i <= columns; ++i) {
            const Vec3 p{float(i) * a + shift(j), 0, float(j) * row + aside};
            if (dot(p, p) <= e.radius * e.radius) places.push_back(p);
        }
    if (places.empty()) places.push_back({0, 0, 0});  // at least one particle
    return places;
}

// A random position in the nozzle [m], in its plane or, of a volume, in the emitter's frame.
Vec3 positionIn(const Emitter& e, float spacing, uint64_t number) {
    if (e.nozzle == Emitter::Nozzle::volume) {
        const auto k = size_t(share(e.seed, number, 3) * double(e.places.size()));
        return e.places[std::min(k, e.places.size() - 1)] + 0.5f * spacing *
                                                                Vec3{randomShift(e.seed, number, 0),
                                                                     randomShift(e.seed, number, 1),
                                                                     randomShift(e.seed, number, 2)};
    }
    if (e.nozzle == Emitter::Nozzle::rectangle)
        return {0.5f * e.size.x * randomShift(e.seed, number, 0), 0,
                0.5f * e.size.z * randomShift(e.seed, number, 1)};
    const auto [x, z] = inDisc(e.seed, number);
    return {e.radius * float(x), 0, e.radius * float(z)};
}

// A random direction within the spread about the y axis.
Vec3 directionOf(const Emitter& e, uint64_t number) {
    if (e.properties.spread == 0) return {0, 1, 0};
    const double wide = std::sin(e.properties.spread * std::numbers::pi / 180);
    const auto [x, z] = inDisc(mixIn(e.seed, 1), number);
    return {float(wide * x), float(std::sqrt(std::max(0.0, 1 - wide * wide * (x * x + z * z)))),
            float(wide * z)};
}

// Collects what one emitter spawns in this frame.
class Emission {
public:
    Emission(World& world, const Emitter& emitter, EmitterProgress& progress, SpawnRequest& due)
        : m_world(world),
          m_emitter(emitter),
          m_progress(progress),
          m_attachment(world, m_emitter, m_progress),
          m_due(due),
          m_occupied(due.reach) {
        const Emitter& e = m_emitter;
        m_material = e.prefabs.empty() ? e.material : world.prefabs[e.prefabs[0]].material;
        const MaterialProperties& m = world.materials[m_material].properties;
        m_spacing = m.spacing;
        m_gravity = m.gravityScale * world.parameters.world.gravity;
    }

    void collect() {
        const EmitterProperties& p = m_emitter.properties;
        const double now = m_world.time;
        const bool was = m_progress.flags & kWasEnabled;
        // enabled now: starts now; disabled now: continues until now
        const double from = std::max(was ? m_progress.until : now, double{p.start});
        const double to = std::min(now, double{p.end});
        if ((was || p.enabled) && to >= from && m_attachment.exists()) {
            if (m_emitter.nozzle == Emitter::Nozzle::volume && p.rate == 0 && m_emitter.prefabs.empty())
                fill();
            else
                leave(from, to, to < now);
        }
        m_progress.flags = p.enabled ? m_progress.flags | kWasEnabled : m_progress.flags & ~kWasEnabled;
        m_attachment.endFrame();
        m_progress.until = now;
    }

private:
    uint64_t left() const {  // until the maximum
        const auto most = uint64_t(m_emitter.properties.maximum);
        const uint64_t begun = m_progress.emitted + m_due.spawned.size();
        return most == 0 ? ~uint64_t{0} : most - std::min(most, begun);
    }
    // Layers or particles that left between two times; `ended`: nothing leaves at the second time.
    void leave(double from, double to, bool ended) {
        const EmitterProperties& p = m_emitter.properties;
        if (!m_emitter.prefabs.empty() && p.rate == 0) return;  // bodies have no layers
        const double frequency = p.rate > 0 ? p.rate : p.speed / layerDistance(m_spacing);
        if (!(frequency > 0)) return;
        const double last = frequency * (to - from) + (ended ? -kTimeEpsilon : kTimeEpsilon);
        double& next = m_progress.next;
        for (; next <= last && left() > 0; next += 1) {
            const double time = std::min(from + next / frequency, to);
            const Nozzle nozzle = m_attachment.at(time);
            const auto age = float(m_world.time - time);
            if (p.rate > 0)
                one(nozzle, age);
            else
                layer(nozzle, age);
            ++m_progress.events;
        }
        next = std::max(0.0, next - frequency * (to - from));
    }
    void layer(const Nozzle& nozzle, float age) {
        const bool odd = m_progress.events & 1;
        uint64_t number = m_progress.events * kDrawsOfEvent;
        // the slow edge leaves in fewer layers, at the same distance
        const double share = m_emitter.properties.edgeSpeed, event = double(m_progress.events);
        const bool edgeLeaves = std::floor((event + 1) * share) > std::floor(event * share);
        for (const Vec3& place : layerOf(m_emitter, m_spacing, odd)) {
            if (left() == 0) return;
            if (!edgeLeaves && speedAt(place) < 1) {
                ++number;
                continue;
            }
            add(nozzle, place + disturbance(number), number, age);
            ++number;
        }
    }
    void one(const Nozzle& nozzle, float age) {
        // a position that is free of others that leave now, if one is found
        for (uint64_t k = 0; k < 8; ++k) {
            const uint64_t number = m_progress.events * kDrawsOfEvent + k;
            add(nozzle, positionIn(m_emitter, m_spacing, number) + disturbance(number), number, age);
            const Vec3 x = m_due.spawned.back().x;
            if (m_occupied.isFree(x, m_due.reach)) return m_occupied.add(x, m_due.reach);
            m_due.spawned.pop_back();
        }
        ++m_progress.blocked;
    }
    // Every position of the volume; occupied ones are rejected later.
    void fill() {
        const Nozzle nozzle = m_attachment.at(m_world.time);
        uint64_t number = m_progress.events * kDrawsOfEvent;
        if (left() == 0) return;
        // may exceed the maximum: some are blocked
        for (const Vec3& place : m_emitter.places) {
            add(nozzle, place + disturbance(number), number, 0);
            ++number;
        }
        ++m_progress.events;
    }

    Vec3 disturbance(uint64_t number) const {
        const float jitter = m_emitter.properties.jitter * m_spacing;
        if (jitter == 0) return {0, 0, 0};
        const uint64_t seed = mixIn(m_emitter.seed, 2);
        return jitter *
               Vec3{randomShift(seed, number, 0), randomShift(seed, number, 1), randomShift(seed, number, 2)};
    }
    // share of the speed at a position in the plane of the nozzle
    float speedAt(Vec3 place) const {
        const EmitterProperties& p = m_emitter.properties;
        if (p.edgeSpeed == 1 || m_emitter.nozzle == Emitter::Nozzle::volume) return 1;
        const float inside = m_emitter.nozzle == Emitter::Nozzle::disc
                                 ? m_emitter.radius - length(place)
                                 : std::min(0.5f * m_emitter.size.x - std::abs(place.x),
                                            0.5f * m_emitter.size.z - std::abs(place.z));
        return inside < kEdgeSpacings * m_spacing ? p.edgeSpeed : 1;
    }
    void add(const Nozzle& nozzle, Vec3 position, uint64_t number, float age) {
        const EmitterProperties& p = m_emitter.properties;
        // positions in a volume are given in the frame of the attachment, others in that of the nozzle
        const Quat aim = quatFromNormal(normalizeOr(p.direction, {0, -1, 0}));
        const Vec3 arm = m_emitter.nozzle == Emitter::Nozzle::volume
                             ? rotate(nozzle.rotation, inverseRotate(aim, position))
                             : rotate(nozzle.rotation, position);
        SpawnPoint n;
        n.v = nozzle.velocity +
              speedAt(position) * p.speed * rotate(nozzle.rotation, directionOf(m_emitter, number));
        n.x = nozzle.center + arm + age * n.v + 0.5f * age * age * m_gravity;
        n.v += age * m_gravity;
        if (!m_emitter.prefabs.empty()) {
            n.prefab = m_emitter.prefabs[m_progress.events % m_emitter.prefabs.size()];
            if (p.turn > 0) n.rotation = toFloat(randomTurn(mixIn(mixIn(m_emitter.seed, 3), number), p.turn));
            const auto [x, y] = inDisc(mixIn(m_emitter.seed, 4), number);
            const float up = randomShift(mixIn(m_emitter.seed, 5), number, 0);
            n.spin =
                float(p.spin * std::numbers::pi / 180) * normalizeOr(Vec3{float(x), up, float(y)}, {0, 1, 0});
        }
        m_due.spawned.push_back(n);
    }
    World& m_world;
    const Emitter& m_emitter;
    EmitterProgress& m_progress;
    Attachment m_attachment;
    SpawnRequest& m_due;
    OccupancyGrid m_occupied;  // of particles that leave one by one
    uint32_t m_material = 0;
    float m_spacing = 0;  // [m]
    Vec3 m_gravity{};     // [m/s²]
};

// Clearance of a particle of a material [m].
float clearanceOf(const World& world, uint32_t material) {
    return kSpawnClearance * 0.5f * world.materials[material].properties.spacing;
}

}  // namespace

std::optional<Pose> nozzleOf(World& world, const Emitter& emitter) {
    EmitterProgress none;
    const Attachment attachment(world, emitter, none);
    if (!attachment.exists()) return {};
    const Nozzle nozzle = attachment.at(world.time);
    return Pose{nozzle.center, nozzle.rotation};
}

float reachOf(const World& world, const Prefab& prefab) {
    float most = 0;
    for (const BodySample& s : prefab.samples) most = std::max(most, length(s.x));
    return most + 0.5f * world.materials[prefab.material].properties.spacing;
}

float layerNeighbors(float spacing) {
    return 1.1224620f * spacing;  // 2^(1/6)
}
float layerDistance(float spacing) {
    return 0.9164864f * spacing;  // 2^(1/6) √(2/3)
}

double particlesInLayer(const Emitter& e, float spacing) {
    if (e.nozzle == Emitter::Nozzle::volume) return 0;
    const double area = e.nozzle == Emitter::Nozzle::disc ? std::numbers::pi * e.radius * e.radius
                                                          : double{e.size.x} * double{e.size.z};
    const double a = layerNeighbors(spacing);
    return area / (a * a * std::sqrt(0.75));
}

double rateOf(const Emitter& e, float spacing) {
    if (e.properties.rate > 0) return e.properties.rate;
    if (e.nozzle == Emitter::Nozzle::volume) return 0;
    const double many = particlesInLayer(e, spacing);
    if (many > kMostInLayer) return many * e.properties.speed / layerDistance(spacing);
    const size_t both = layerOf(e, spacing, false).size() + layerOf(e, spacing, true).size();
    return 0.5 * double(both) * e.properties.speed / layerDistance(spacing);
}

void addEmitter(World& world, Emitter emitter) {
    const size_t groups = world.particlesAdded > 0 ? std::max<size_t>(world.groups.size(), world.groupsNamed)
                                                   : world.groups.size();
    world.groups.resize(groups);
    emitter.group = uint32_t(groups);
    world.groups.push_back({.name = emitter.name, .material = emitter.material});
    world.emitters.push_back(std::move(emitter));
    world.spawning.emitters.emplace_back();
}

std::vector<SpawnRequest> collectSpawns(World& world) {
    std::vector<SpawnRequest> all;
    for (uint32_t k = 0; k < world.emitters.size(); ++k) {
        const Emitter& e = world.emitters[k];
        SpawnRequest due;
        due.emitter = k;
        due.material = e.material, due.group = e.group;
        due.bodies = !e.prefabs.empty();
        due.reach = clearanceOf(world, e.material);
        for (const uint32_t prefab : e.prefabs)
            due.reach = std::max(due.reach, reachOf(world, world.prefabs[prefab]));
        Emission(world, e, world.spawning.emitters[k], due).collect();
        if (!due.spawned.empty()) all.push_back(std::move(due));
    }
    return all;
}

SpawnRequest jetOf(World& world, const Emitter& jet) {
    SpawnRequest due{.material = jet.material, .group = jet.group, .reach = clearanceOf(world, jet.material)};
    const double frame = nominalFrameLength(world.parameters.solver);  // [s]
    const double frequency =
        jet.properties.speed / layerDistance(world.materials[jet.material].properties.spacing);
    EmitterProgress progress{.until = std::max(0.0, world.time - frame), .flags = kWasEnabled};
    // layers leave at multiples of 1/frequency since the start of the run
    const double left = progress.until * frequency, whole = std::floor(left + kTimeEpsilon) + 1;
    progress.next = whole - left;
    progress.events = uint64_t(whole);
    Emission(world, jet, progress, due).collect();
    return due;
}

}  // namespace coalesce
