#include "sim/state/state_validate.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "core/hash.h"
#include "sim/state/state_hasher.h"
#include "sim/world/ball.h"
#include "sim/world/cloth_mesh.h"

namespace coalesce {

namespace {

constexpr size_t kMostSprings = size_t{1} << 30;

bool isUnit(Quat q) {
    return std::abs(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w - 1) < 1e-3f;
}

// What emitted bodies add to the tables of a world; the scene's bodies come first.
size_t elementsInSlots(const World& world, std::span<const BodySlot> slots, TableOf of) {
    size_t n = 0;
    for (const BodySlot& slot : slots) {
        const Prefab& p = world.prefabs[slot.prefab];
        if (of == TableOf::rows || (of == TableOf::members && p.clusters.empty())) n += p.samples.size();
        if (of == TableOf::clusters) n += std::max<size_t>(1, p.clusters.size());
        for (const Cluster& cluster : p.clusters) n += of == TableOf::members ? cluster.size() : 0;
    }
    return n;
}
size_t elementsOfScene(const World& world, TableOf of) {
    return world.solids.count(of) - elementsInSlots(world, world.spawning.slots, of);
}
size_t bodiesOfScene(const World& world) {
    return world.bodies.size() - world.spawning.slots.size();
}
size_t groupsOfScene(const World& world) {
    const std::vector<BodySlot>& slots = world.spawning.slots;
    return slots.empty() ? world.groups.size() : world.bodies[slots[0].body].group;
}

// A set of ids below nextId: a bit each, unless that takes much more memory than the particles.
class SeenIds {
public:
    SeenIds(uint32_t nextId, size_t particles) : m_dense(nextId / 64 <= particles) {
        if (m_dense) m_bits.resize(nextId);
    }
    // False: it is in the set already.
    bool insert(uint32_t id) {
        if (!m_dense) return m_set.insert(id).second;
        if (m_bits[id]) return false;
        m_bits[id] = true;
        return true;
    }

private:
    bool m_dense;
    std::vector<bool> m_bits;
    std::unordered_set<uint32_t> m_set;
};

// The checks; each throws through refuse().
struct Validation {
    const HostState& state;
    const World& world;
    const RefuseState& refuse;

    void counts() const {
        if (state.particles.id.size() > 0xffffffffu || state.nextId < state.particles.id.size() ||
            !(state.time >= 0) || state.time > 1e12)
            refuse("its counts are invalid");
        if (state.method >= choiceNames<Method>().size()) refuse("its method is unknown");
        if (!std::isfinite(state.crossingTime)) refuse("its crossing time is not finite");
        if (state.shapes.size() != world.shapes.size()) refuse("the scene has other shapes");
        if (state.mouseConstraints.size() > kMaxMouseConstraints) refuse("it has too many mouse constraints");
        if (state.spawning.emitters.size() != world.emitters.size() ||
            state.spawning.removedBySink.size() > world.sinks.size())
            refuse("the scene has other emitters or sinks");
    }

    void slots() const {
        const std::vector<BodySlot>& slots = state.spawning.slots;
        for (size_t k = 0; k < slots.size(); ++k) {
            const BodySlot& slot = slots[k];
            if (slot.prefab >= world.prefabs.size() || slot.body != bodiesOfScene(world) + k ||
                slot.alive > 1 ||
                slot.firstMember != expectedElements(std::span(slots).first(k), TableOf::members))
                refuse("an emitted body is invalid");
        }
    }
    size_t expectedElements(std::span<const BodySlot> slots, TableOf of) const {
        return elementsOfScene(world, of) + elementsInSlots(world, slots, of);
    }

    void tableSizes() const {
        forEachTable(state.solids, [&](const auto& table, const char*, TableOf of) {
            // tearing adds springs
            const bool fits = of == TableOf::springs
                                  ? table.size() <= kMostSprings
                                  : table.size() == expectedElements(state.spawning.slots, of);
            if (!fits) refuse(kOtherBodies);
        });
    }

    void particles() const {
        const HostParticles& p = state.particles;
        SeenIds seen(state.nextId, p.id.size());
        for (size_t i = 0; i < p.id.size(); ++i) {
            if (p.id[i] >= state.nextId || !seen.insert(p.id[i]))
                refuse(fmt::format("particle {} has an invalid or repeated id {}", i, p.id[i]));
            if (materialOf(p.phase[i]) >= world.materials.size())
                refuse(fmt::format("particle {} has material {}, which the scene lacks", i,
                                   materialOf(p.phase[i])));
            if (!isFinite(xyz(p.x[i])) || !isFinite(p.x[i].w) || p.x[i].w < 0 || !isFinite(xyz(p.v[i])) ||
                !isFinite(p.v[i].w))
                refuse(fmt::format("particle {} is not finite", i));
            group(i);
        }
        for (const Vec4& slip : p.slip)
            if (!isFinite(xyz(slip)) || slip.w != 0) refuse("the slip of a particle is invalid");
    }
    // Tables of bodies are indexed by id and group.
    void group(size_t i) const {
        const uint32_t id = state.particles.id[i], group = groupOf(state.particles.phase[i]);
        const size_t ofScene = groupsOfScene(world);
        if (group >= ofScene) {
            const size_t slot = group - ofScene;
            if (slot >= state.spawning.slots.size()) return;
            const BodySlot& s = state.spawning.slots[slot];
            if (!s.alive || id - s.first >= world.prefabs[s.prefab].samples.size())
                refuse(fmt::format("particle {} with id {} is not part of its emitted body", i, id));
            return;
        }
        const Group& g = world.groups[group];
        if (g.body != Group::kNoBody && id - g.first >= g.count)
            refuse(fmt::format("particle {} with id {} is not part of body '{}'", i, id, g.name));
    }

    void attributes() const {
        for (const HostParticles::HostAttribute& attribute : state.particles.attributes)
            std::visit(
                [&](const auto& values) {
                    for (const auto& value : values)
                        if (!fits(attribute.info.type, valueOf(value)))
                            refuse(fmt::format("a value of the attribute '{}' is not finite",
                                               attribute.info.name));
                },
                attribute.values);
    }

    void bodies() const {
        const HostTables& t = state.solids;
        for (const Vec4& r : t.memberRestPosition)
            if (!isFinite(xyz(r)) || !isFinite(r.w) || !(r.w > 0))
                refuse("a rest position of a cluster is invalid");
        for (const Vec4& r : t.restPosition)
            if (!isFinite(xyz(r)) || !isFinite(r.w)) refuse("a rest position of a body is not finite");
        for (const Vec4& f : t.rowSdf)
            if (!isFinite(xyz(f)) || !isFinite(f.w)) refuse("a signed distance of a body is not finite");
        for (const Vec4& r : t.clusterRestCenter)
            if (!isFinite(xyz(r))) refuse("the rest center of a cluster is not finite");
        for (const ClusterPose& p : t.pose)
            if (!isFinite(p.center) || !isFinite(p.mass) || !isUnit(p.rotation))
                refuse("the pose of a body is invalid");
        for (const float scale : t.massScale)
            if (!isFinite(scale) || scale < 1) refuse("the mass scale of a body is invalid");
    }

    void cloth() const {
        const HostTables& t = state.solids;
        const size_t rows = t.restPosition.size(), materials = world.materials.size();
        for (const DistanceConstraint& s : t.springs)
            if (s.a >= rows || s.b >= rows || !isFinite(s.length) || s.length < 0 ||
                springParamsIndex(s) >= kClothEdgeKinds * materials)
                refuse("a distance constraint is invalid");
        for (const ClothTriangle& c : t.triangles)
            if (c.a >= rows || c.b >= rows || c.c >= rows || (c.material & ~kCut) >= materials)
                refuse("a cloth triangle is invalid");
        const std::vector<VolumeConstraint> ofScene = world.solids.volumeConstraints.download();
        for (size_t i = 0; i < ofScene.size(); ++i) {
            const VolumeConstraint& a = ofScene[i];
            const VolumeConstraint& b = t.volumeConstraints[i];
            if (a.firstRow != b.firstRow || a.rows != b.rows || a.firstTriangle != b.firstTriangle ||
                a.triangles != b.triangles || a.material != b.material || !isFinite(b.restVolume))
                refuse("a volume constraint is invalid");
        }
    }

    void passiveParticles() const {
        const HostPassive& p = state.passive;
        if (state.passiveCounters.seen > state.nextId || state.passiveCounters.smoked > 1)
            refuse("the counters of its passive particles are invalid");
        if (p.v.size() != p.x.size() || p.id.size() != p.x.size() || p.tag.size() != p.x.size())
            refuse("its passive particles have arrays of different lengths");
        for (size_t i = 0; i < p.x.size(); ++i) {
            if (!isFinite(xyz(p.x[i])) || !isFinite(p.x[i].w) || !isFinite(xyz(p.v[i])) ||
                !isFinite(p.v[i].w) || !(p.v[i].w > 0))
                refuse(fmt::format("passive particle {} is not finite", i));
            if (p.id[i] >= state.passiveCounters.born || (i > 0 && p.id[i] <= p.id[i - 1]))
                refuse(fmt::format("passive particle {} has an invalid or repeated id {}", i, p.id[i]));
            if (materialOfTag(p.tag[i]) >= world.materials.size() ||
                uint32_t(classOf(p.tag[i])) > uint32_t(PassiveClass::smoke) ||
                !areDisplayWeights(displayWeights(p.tag[i])))
                refuse(
                    fmt::format("passive particle {} has an invalid class, material or display weight", i));
        }
    }

    void mouseConstraints() const {
        for (const MouseConstraint& c : state.mouseConstraints)
            if (c.number >= kMaxMouseConstraints || c.id >= state.nextId || !isFinite(c.from) ||
                !isFinite(c.to))
                refuse("a mouse constraint is invalid");
    }

    void spawning() const {
        const SpawnState& s = state.spawning;
        for (const EmitterProgress& e : s.emitters)
            if (!(e.until >= 0) || !(e.next >= 0) || e.next > 1e12 || !isFinite(e.nozzle))
                refuse("the progress of an emitter is invalid");
        for (const Lifetime& l : s.lifetimes)
            if (l.first >= l.end || l.end > state.nextId || !(l.dies >= 0)) refuse("a lifetime is invalid");
        for (size_t k = 1; k < s.lifetimes.size(); ++k)
            if (s.lifetimes[k].first < s.lifetimes[k - 1].end) refuse("lifetimes overlap");
        for (const SpawnTimestamp& m : s.marks)
            if (!(m.time >= 0) || m.first > state.nextId) refuse("a spawn timestamp is invalid");
    }

    void shapes() const {
        for (const ShapeProgress& s : state.shapes)
            if (!(s.since >= 0) || !isFinite(s.position) || !isUnit(s.rotation))
                refuse("the pose of a shape is invalid");
    }
};

}  // namespace

uint64_t sceneFingerprint(const World& world) {
    uint64_t h = 0;
    for (const Material& m : world.materials) {
        // at another resolution, particles would change their size
        h = mixIn(h, hashText(m.name));
        h = mixIn(h, wordOf(m.properties.spacing) << 32 | wordOf(m.properties.supportRatio));
    }
    for (const Shape& s : world.shapes) h = mixIn(h, hashText(s.name));
    for (const Emitter& e : world.emitters) h = mixIn(h, hashText(e.name));
    for (const Sink& s : world.sinks) h = mixIn(h, hashText(s.name));
    for (const Prefab& p : world.prefabs) h = mixIn(h, p.samples.size() << 32 | p.clusters.size());
    for (const Attribute& a : world.particles.attributes)
        h = mixIn(mixIn(h, hashText(a.info.name)), uint64_t(a.info.type));
    return mixIn(h, world.materials.size() << 32 | world.shapes.size());
}

uint64_t bodiesFingerprint(const World& world) {
    const size_t ofScene = bodiesOfScene(world);
    uint64_t h = ofScene;
    for (size_t b = 0; b < ofScene; ++b) {
        const SolidBody& body = world.bodies[b];
        const Group& group = world.groups[body.group];
        h = mixIn(h, uint64_t{body.group} << 32 | group.first);
        h = mixIn(h, uint64_t{body.rows} << 32 | body.clusters);
    }
    return h;
}

float validBallRadius(const HostState& state, const RefuseState& refuse) {
    const World& world = state.world;
    const ThrownBall& ball = world.spawning.ball;
    const float radius = state.spawning.ball.radius;
    if (!(radius >= 0) || !(radius < 1e6f)) refuse("its ball is invalid");
    if (ball.prefab && radius > 0 && radius != ball.radius)
        refuse(fmt::format("its thrown balls have a radius of {:g} m, and those of this run {:g} m", radius,
                           ball.radius));
    if (radius > 0 && !ball.prefab && !validateBall(world, radius).empty()) refuse("its ball is invalid");
    return radius;
}

void validateState(const HostState& state, const RefuseState& refuse) {
    const Validation check{state, state.world, refuse};
    check.counts();
    check.slots();
    check.tableSizes();
    check.particles();
    check.attributes();
    check.bodies();
    check.cloth();
    check.passiveParticles();
    check.mouseConstraints();
    check.spawning();
    check.shapes();
}

}  // namespace coalesce
