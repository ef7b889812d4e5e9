#include "sim/world/body_factory.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/world/body_clusters.h"

namespace coalesce {

namespace {

// Members per chunk: many short sums in parallel, and few of them for the one thread that adds them up.
uint32_t chunkSize(size_t members) {
    const auto side = uint32_t(std::sqrt(double(members)));
    return std::max(16u, (side + 15) / 16 * 16);
}

Cluster allOf(size_t samples) {
    Cluster all(samples);
    std::iota(all.begin(), all.end(), 0u);
    return all;
}

// [kg] of one particle.
float massOf(const World& world, const BodyDef& body) {
    if (body.particleMass > 0) return body.particleMass;
    return particleMass(world.materials[body.material].properties, world.parameters.solver.planar);
}

// [m³] inside the triangles of a body; 0 when they are not closed.
double enclosedVolume(const BodyDef& body) {
    if (body.triangles.empty()) return 0;
    TriangleMesh mesh;
    for (const BodySample& s : body.samples) mesh.vertices.push_back(s.x);
    mesh.triangles.assign(body.triangles.begin(), body.triangles.end());
    return isClosed(mesh) ? volumeOf(mesh) : 0;
}

// Radius of the ball with which a particle of a round body touches shapes: the largest inside the round
// surfaces, and a little less, so that these touch first.
float ballRadiusIn(std::span<const RoundSurface> rounds, Vec3 x, float radius) {
    for (const RoundSurface& round : rounds) {
        const Vec3 arm = x - round.center;
        const float depth = round.radius - length(arm - dot(arm, round.axis) * round.axis);
        radius = std::min(radius, std::max(0.98f * depth, 0.02f * radius));
    }
    return radius;
}

// What the tables hold of a body at rest.
struct RestTables {
    std::vector<Vec4> restPosition, rowSdf;        // by row
    std::vector<Vec4> memberRestPosition;          // by member
    std::vector<Vec4> clusterRestCenter;           // by cluster
    std::vector<ClusterPose> pose;                 // by cluster, as the body is placed
    std::vector<std::vector<uint32_t>> membersOf;  // of each row, counted from the body's first
};

RestTables restOf(const BodyDef& body, std::span<const Cluster> clusters,
                  const MaterialProperties& properties, float mass) {
    RestTables t;
    const size_t n = body.samples.size();
    for (const BodySample& s : body.samples) {
        t.restPosition.push_back(vec4(s.x, properties.spacing));
        // particles of one body touch each other as balls, not through its distance field
        t.rowSdf.push_back(vec4(s.normal, body.selfCollide ? 2 * kNoSdf : s.distance));
    }
    std::vector<uint32_t> clustersOf(n, 0);
    for (const Cluster& cluster : clusters)
        for (const uint32_t i : cluster) {
            CHECK_LT(i, n);
            ++clustersOf[i];
        }
    t.membersOf.resize(n);
    uint32_t member = 0;
    for (const Cluster& cluster : clusters) {
        double share = 0, x = 0, y = 0, z = 0;  // mass in particles, and its center
        for (const uint32_t i : cluster) {
            const double w = 1.0 / clustersOf[i];
            share += w;
            x += w * body.samples[i].x.x, y += w * body.samples[i].x.y, z += w * body.samples[i].x.z;
            t.membersOf[i].push_back(member++);
            t.memberRestPosition.push_back(vec4(body.samples[i].x, float(w * mass)));
        }
        const Vec3 rest{float(x / share), float(y / share), float(z / share)};
        t.clusterRestCenter.push_back(vec4(rest, 0.0f));
        t.pose.push_back({body.position + rotate(body.rotation, rest), float(share * mass), body.rotation});
    }
    return t;
}

std::vector<ParticleDef> particlesOf(const BodyDef& body, uint32_t group, float mass) {
    std::vector<ParticleDef> particles;
    const Vec3 center = centerOf(body.samples, allOf(body.samples.size()));
    const size_t attributes = body.values.size() / body.samples.size();
    for (size_t i = 0; i < body.samples.size(); ++i) {
        const Vec3 x = body.samples[i].x, arm = rotate(body.rotation, x - center);
        particles.push_back({.x = body.position + rotate(body.rotation, x),
                             .v = body.velocity + cross(body.angularVelocity, arm),
                             .material = body.material,
                             .group = group,
                             .inverseMass = 1 / (body.masses.empty() ? mass : body.masses[i]),
                             .values = body.values.subspan(i * attributes, attributes)});
    }
    return particles;
}

template <class T>
void append(std::vector<T>& to, const std::vector<T>& what) {
    to.insert(to.end(), what.begin(), what.end());
}

// Writes over a part of a table.
template <class T>
void overwrite(Buffer<T>& table, size_t first, std::span<const T> part, Exec& exec) {
    CHECK_LE(first + part.size(), table.size());
    if (!part.empty()) exec.copyFromHost(table.view().data + first, part.data(), part.size_bytes());
}

// Everything that new bodies add to a world, collected on the host and appended at once.
class NewBodies {
public:
    explicit NewBodies(World& world)
        : m_world(world),
          // loose particles may name groups that have no description
          m_firstGroup(world.particlesAdded > 0 ? std::max<size_t>(world.groups.size(), world.groupsNamed)
                                                : world.groups.size()) {}

    void add(const BodyDef& body) {
        const std::string where = fmt::format("body '{}'", body.name);
        if (body.material >= m_world.materials.size())
            fail(Exit::Scene, where, fmt::format("material {} does not exist", body.material),
                 fmt::format("The world has {} materials.", m_world.materials.size()));
        if (body.samples.empty())
            fail(Exit::Scene, where, "it has no particles", "Make it larger, or its spacing finer.");
        const auto n = uint32_t(body.samples.size());
        for (const ClothEdge& edge : body.links) CHECK(edge.a < n && edge.b < n && edge.a != edge.b);
        const MaterialProperties& properties = m_world.materials[body.material].properties;
        const Cluster all = allOf(n);
        std::span<const Cluster> clusters;
        if (isShapeMatched(properties))
            clusters = body.clusters.empty() ? std::span<const Cluster>(&all, 1) : body.clusters;

        const float mass = massOf(m_world, body);
        const uint32_t firstRow = rows();
        addDescription(body, uint32_t(clusters.size()), mass);
        addParticlesOf(body, mass);
        addRounds(body);
        const RestTables rest = restOf(body, clusters, properties, mass);
        append(m_state.restPosition, rest.restPosition);
        append(m_state.rowSdf, rest.rowSdf);
        append(m_state.memberRestPosition, rest.memberRestPosition);
        append(m_state.clusterRestCenter, rest.clusterRestCenter);
        append(m_state.pose, rest.pose);
        const uint32_t firstMember = members();
        for (const Cluster& cluster : clusters) addCluster(cluster, firstRow, body.material);
        for (const std::vector<uint32_t>& ofRow : rest.membersOf) {
            if (ofRow.empty() && !clusters.empty())
                fail(Exit::Scene, where, "a particle belongs to no cluster", "Make clusterRadius larger.");
            for (const uint32_t m : ofRow) m_rowMembers.push_back(firstMember + m);
            addRowEnd();
        }
        addCloth(body, firstRow);
        for (uint32_t k = 0; k < sparesOf(body); ++k) {
            m_state.restPosition.push_back(vec4(Vec3{0, 0, 0}, properties.spacing));
            m_state.rowSdf.push_back(vec4(Vec3{0, 1, 0}, 2 * kNoSdf));
            m_rowBallRadius.push_back(0);
            addRowEnd();
        }
    }

    // Returns the index of the first body.
    uint32_t commit() {
        const auto firstBody = uint32_t(m_world.bodies.size());
        const uint32_t allRows = rows();
        m_world.addParticles(m_particles);  // fails before anything has changed
        m_world.groups.resize(m_firstGroup);
        m_world.groups.insert(m_world.groups.end(), m_groups.begin(), m_groups.end());
        m_world.bodies.insert(m_world.bodies.end(), m_bodies.begin(), m_bodies.end());
        SolidTables& solids = m_world.solids;
#define TABLE(T, name, of, unit, about) solids.name.append(m_state.name);
#include "sim/world/solids.def"
        solids.memberRow.append(m_memberRow);
        solids.memberCluster.append(m_memberCluster);
        solids.rowStart.append(m_rowEnd);
        solids.rowMembers.append(m_rowMembers);
        solids.chunks.append(m_chunks);
        solids.clusters.append(m_clusters);
        solids.roundSurfaces.append(m_roundSurfaces);
        solids.roundBodies.append(m_roundBodies);
        solids.rowBallRadius.append(m_rowBallRadius);
        solids.topology += m_state.springs.size() + m_state.triangles.size() > 0;
        // the next substep writes the slots
        solids.slotOf.append(std::vector<uint32_t>(allRows - solids.slotOf.size(), kNoSlot));
        return firstBody;
    }

private:
    // Every corner of cloth can be split once.
    static uint32_t sparesOf(const BodyDef& body) {
        return body.triangles.empty() ? 0 : uint32_t(body.samples.size());
    }
    uint32_t rows() const {
        return uint32_t(m_world.solids.rows() + m_state.restPosition.size());
    }
    uint32_t members() const {
        return uint32_t(m_world.solids.memberRow.size() + m_memberRow.size());
    }
    uint32_t clusters() const {
        return uint32_t(m_world.solids.clusters.size() + m_clusters.size());
    }
    uint32_t triangles() const {
        return uint32_t(m_world.solids.triangles.size() + m_state.triangles.size());
    }

    void addDescription(const BodyDef& body, uint32_t clusterCount, float mass) {
        const MaterialProperties& properties = m_world.materials[body.material].properties;
        const auto n = uint32_t(body.samples.size());
        const uint32_t group = uint32_t(m_firstGroup + m_groups.size()), spares = sparesOf(body);
        m_groups.push_back({.name = body.name,
                            .material = body.material,
                            .first = m_world.nextId + m_ids,
                            .count = n + spares,
                            .body = uint32_t(m_world.bodies.size() + m_bodies.size()),
                            .selfCollide = body.selfCollide});
        m_bodies.push_back({.group = group,
                            .firstRow = rows(),
                            .rows = n + spares,
                            .spares = spares,
                            .firstCluster = clusters(),
                            .clusters = clusterCount,
                            .firstTriangle = triangles(),
                            .triangles = uint32_t(body.triangles.size()),
                            .volume = mass / particleMass(properties, m_world.parameters.solver.planar),
                            .skin = body.skin});
    }

    void addParticlesOf(const BodyDef& body, float mass) {
        const auto group = uint32_t(m_firstGroup + m_groups.size() - 1);
        append(m_particles, particlesOf(body, group, mass));
        m_particles.back().reserved = sparesOf(body);
        m_ids += uint32_t(body.samples.size()) + sparesOf(body);
    }

    // Before the clusters of the body.
    void addRounds(const BodyDef& body) {
        const MaterialProperties& properties = m_world.materials[body.material].properties;
        const bool round = properties.kind == MaterialKind::rigid && !body.rounds.empty();
        for (const BodySample& s : body.samples)
            m_rowBallRadius.push_back(round ? ballRadiusIn(body.rounds, s.x, 0.5f * properties.spacing) : 0);
        if (!round) return;
        const auto index = uint32_t(m_world.solids.roundBodies.size() + m_roundBodies.size());
        const auto first = uint32_t(m_world.solids.roundSurfaces.size() + m_roundSurfaces.size());
        for (RoundSurface surface : body.rounds) {
            surface.body = index;
            m_roundSurfaces.push_back(surface);
        }
        const auto group = uint32_t(m_firstGroup + m_groups.size() - 1);
        m_roundBodies.push_back(
            {clusters(), first, uint32_t(body.rounds.size()), makePhase(body.material, group)});
    }

    void addCluster(const Cluster& cluster, uint32_t firstRow, uint32_t material) {
        const uint32_t index = clusters(), size = chunkSize(cluster.size()), begin = members();
        for (const uint32_t i : cluster) {
            m_memberRow.push_back(firstRow + i);
            m_memberCluster.push_back(index);
        }
        const auto firstChunk = uint32_t(m_world.solids.chunks.size() + m_chunks.size());
        uint32_t chunks = 0;
        for (uint32_t k = begin; k < members(); k += size, ++chunks)
            m_chunks.push_back({index, k, std::min(k + size, members())});
        m_clusters.push_back({firstChunk, chunks, material, m_bodies.back().firstCluster});
        m_state.massScale.push_back(1);
    }

    void addCloth(const BodyDef& body, uint32_t firstRow) {
        const uint32_t firstTriangle = triangles();
        for (const ClothEdge& edge : body.links)
            m_state.springs.push_back({firstRow + edge.a, firstRow + edge.b, edge.length,
                                       springParamsIndex(body.material, edge.kind)});
        for (const Triangle& corners : body.triangles)
            m_state.triangles.push_back(
                {firstRow + corners[0], firstRow + corners[1], firstRow + corners[2], body.material});
        if (const double volume = enclosedVolume(body); volume > 0)
            m_state.volumeConstraints.push_back({.firstRow = firstRow,
                                                 .rows = uint32_t(body.samples.size()) + sparesOf(body),
                                                 .firstTriangle = firstTriangle,
                                                 .triangles = uint32_t(body.triangles.size()),
                                                 .material = body.material,
                                                 .restVolume = float(volume),
                                                 .spare = {}});
    }

    void addRowEnd() {
        m_rowEnd.push_back(uint32_t(m_world.solids.rowMembers.size() + m_rowMembers.size()));
    }

    World& m_world;
    size_t m_firstGroup;
    uint32_t m_ids = 0;  // that they take
    std::vector<ParticleDef> m_particles;
    std::vector<Group> m_groups;
    std::vector<SolidBody> m_bodies;
    HostTables m_state;
    std::vector<uint32_t> m_memberRow, m_memberCluster, m_rowEnd, m_rowMembers;
    std::vector<ClusterChunk> m_chunks;
    std::vector<ClusterConstants> m_clusters;
    std::vector<RoundSurface> m_roundSurfaces;
    std::vector<RoundBody> m_roundBodies;
    std::vector<float> m_rowBallRadius;
};

BodyDef copyOf(const Prefab& prefab, const SpawnPoint& copy) {
    return {.name = prefab.name,
            .material = prefab.material,
            .samples = prefab.samples,
            .clusters = prefab.clusters,
            .rounds = prefab.rounds,
            .particleMass = prefab.particleMass,
            .position = copy.x,
            .rotation = copy.rotation,
            .velocity = copy.v,
            .angularVelocity = copy.spin,
            .selfCollide = prefab.selfCollide,
            .values = prefab.values,
            .skin = prefab.skin};
}

// Removes the round surfaces of the bodies whose clusters begin there.
void removeRoundsFrom(SolidTables& solids, uint32_t firstCluster) {
    const std::vector<RoundBody> bodies = solids.roundBodies.download();
    const auto first =
        std::ranges::find_if(bodies, [&](const RoundBody& b) { return b.cluster >= firstCluster; });
    if (first == bodies.end()) return;
    solids.roundSurfaces.resize(first->first);
    solids.roundBodies.resize(size_t(first - bodies.begin()));
}

// Removes the slots and their parts of the tables, which were added last.
void removeBodySlots(World& world) {
    if (world.spawning.slots.empty()) return;
    SolidTables& solids = world.solids;
    const BodySlot& first = world.spawning.slots[0];
    const SolidBody body = world.bodies[first.body];
    const size_t chunk = solids.clusters.download()[body.firstCluster].firstChunk;
    world.groups.resize(body.group);
    world.groupsNamed = body.group;
    world.bodies.resize(first.body);
    solids.memberRow.resize(first.firstMember);
    solids.memberCluster.resize(first.firstMember);
    solids.memberRestPosition.resize(first.firstMember);
    solids.rowMembers.resize(first.firstMember);
    solids.rowStart.resize(body.firstRow + 1);
    solids.restPosition.resize(body.firstRow);
    solids.rowSdf.resize(body.firstRow);
    solids.slotOf.resize(body.firstRow);
    solids.rowBallRadius.resize(body.firstRow);
    solids.chunks.resize(chunk);
    solids.clusters.resize(body.firstCluster);
    removeRoundsFrom(solids, body.firstCluster);
    solids.clusterRestCenter.resize(body.firstCluster);
    solids.pose.resize(body.firstCluster);
    solids.massScale.resize(body.firstCluster);
    world.spawning.slots.clear();
}

}  // namespace

uint32_t addBodies(World& world, std::span<const BodyDef> bodies) {
    NewBodies added(world);
    for (const BodyDef& body : bodies) added.add(body);
    return added.commit();
}

uint32_t addPrefabCopy(World& world, const SpawnPoint& copy) {
    CHECK_LT(copy.prefab, world.prefabs.size());
    const Prefab& prefab = world.prefabs[copy.prefab];
    const BodyDef def = copyOf(prefab, copy);
    const uint32_t firstId = world.nextId;
    std::vector<BodySlot>& slots = world.spawning.slots;
    const auto free =
        std::ranges::find_if(slots, [&](const BodySlot& s) { return !s.alive && s.prefab == copy.prefab; });
    if (free == slots.end()) {
        const auto member = uint32_t(world.solids.count(TableOf::members));
        const uint32_t body = addBodies(world, {&def, 1});
        world.groups[world.bodies[body].group].collisionMask = prefab.collisionMask;
        slots.push_back({copy.prefab, body, member, 1, firstId});
        return uint32_t(slots.size() - 1);
    }
    // copies of a prefab have tables of equal length, so this one replaces the last in the slot
    SolidBody& body = world.bodies[free->body];
    const float mass = massOf(world, def);
    const Cluster all = allOf(def.samples.size());
    const std::span<const Cluster> clusters =
        def.clusters.empty() ? std::span<const Cluster>(&all, 1) : def.clusters;
    Group& group = world.groups[body.group];
    group.body = Group::kNoBody;  // addParticles refuses particles of solid bodies
    world.addParticles(particlesOf(def, body.group, mass));
    group.body = free->body, group.first = firstId;
    const RestTables rest = restOf(def, clusters, world.materials[prefab.material].properties, mass);
    SolidTables& solids = world.solids;
    overwrite<Vec4>(solids.restPosition, body.firstRow, rest.restPosition, world.exec);
    overwrite<Vec4>(solids.rowSdf, body.firstRow, rest.rowSdf, world.exec);
    overwrite<Vec4>(solids.memberRestPosition, free->firstMember, rest.memberRestPosition, world.exec);
    overwrite<Vec4>(solids.clusterRestCenter, body.firstCluster, rest.clusterRestCenter, world.exec);
    overwrite<ClusterPose>(solids.pose, body.firstCluster, rest.pose, world.exec);
    overwrite<float>(solids.massScale, body.firstCluster, std::vector<float>(body.clusters, 1.0f),
                     world.exec);
    body.gone = false;
    free->alive = 1, free->first = firstId;
    return uint32_t(free - slots.begin());
}

void setBodySlots(World& world, std::span<const BodySlot> slots) {
    removeBodySlots(world);
    for (const BodySlot& slot : slots) {
        CHECK_EQ(slot.body, world.bodies.size());
        world.nextId = 0;                               // the caller sets particles and ids
        addPrefabCopy(world, {.prefab = slot.prefab});  // a new slot: none is free yet
        SolidBody& body = world.bodies[slot.body];
        body.gone = !slot.alive;
        world.groups[body.group].first = slot.first;
    }
    world.spawning.slots.assign(slots.begin(), slots.end());
}

void addSprings(World& world, std::span<const DistanceConstraint> springs) {
    if (springs.empty()) return;
    for (const DistanceConstraint& s : springs)
        CHECK(s.a < world.solids.rows() && s.b < world.solids.rows() && s.a != s.b);
    world.solids.springs.append(springs);
    ++world.solids.topology;
}

}  // namespace coalesce
