#include "sim/state/world_snapshot.h"

#include <cstring>

namespace coalesce {

namespace {

// visit(buffer) for every array of a world that changes, always in the same order.
template <class AnyWorld, class Visit>
void forEachBuffer(AnyWorld& world, Visit&& visit) {
    forEachArray(world.particles, [&](auto& array, const ArrayInfo&) { visit(array); });
    auto& s = world.solids;
    forEachTable(s, [&](auto& table, const char*, TableOf) { visit(table); });
    visit(s.slotOf), visit(s.memberRow), visit(s.memberCluster), visit(s.rowStart), visit(s.rowMembers);
    visit(s.chunks), visit(s.clusters), visit(s.anchors);
}

}  // namespace

WorldSnapshot::WorldSnapshot(const World& world)
    : m_parameters(world.parameters),
      m_materials(world.materials),
      m_shapes(world.shapes),
      m_fields(world.fields),
      m_sinks(world.sinks),
      m_reports(world.shapeReports),
      m_groups(world.groups),
      m_bodies(world.bodies),
      m_hands(world.mouseConstraints),
      m_spawning(world.spawning),
      m_spawnTimestamps(world.spawnTimestamps),
      m_prefabs(world.prefabs.size()),
      m_ballRadius(world.ballRadius),
      m_ballAdded(world.ballAdded),
      m_bodiesToCome(world.bodiesToCome),
      m_step(world.step),
      m_frame(world.frame),
      m_births(world.births),
      m_deaths(world.deaths),
      m_time(world.time),
      m_nextId(world.nextId),
      m_groupsNamed(world.groupsNamed) {
    for (Shape& shape : m_shapes) shape.corners = {};
    if (world.ball) m_ball = world.prefabs[*world.ball];
    for (const Emitter& e : world.emitters) m_emitters.push_back(e.properties);
    m_bytes = bytesOf(world);
    forEachBuffer(world, [&]<class T>(const Buffer<T>& buffer) {
        std::vector<std::byte>& host = m_arrays.emplace_back(buffer.size() * sizeof(T));
        if (!host.empty()) world.exec.copyToHost(host.data(), buffer.view().data, host.size());
    });
}

size_t WorldSnapshot::bytesOf(const World& world) {
    size_t bytes = sizeof(WorldSnapshot) + world.groups.size() * sizeof(Group) +
                   world.bodies.size() * sizeof(SolidBody) + world.spawning.slots.size() * sizeof(BodySlot) +
                   world.spawning.lifetimes.size() * sizeof(Lifetime) +
                   world.spawnTimestamps.size() * sizeof(SpawnTimestamp);
    forEachBuffer(world, [&]<class T>(const Buffer<T>& buffer) { bytes += buffer.size() * sizeof(T); });
    return bytes;
}

void WorldSnapshot::restore(World& world) const {
    CHECK_EQ(m_emitters.size(), world.emitters.size());
    CHECK_EQ(m_shapes.size(), world.shapes.size());
    // what there may be too little memory for comes before anything is changed
    size_t at = 0;
    forEachBuffer(world,
                  [&]<class T>(Buffer<T>& buffer) { buffer.reserve(m_arrays[at++].size() / sizeof(T)); });
    at = 0;
    forEachBuffer(world, [&]<class T>(Buffer<T>& buffer) {
        const std::vector<std::byte>& host = m_arrays[at++];
        std::vector<T> values(host.size() / sizeof(T));
        if (!host.empty()) std::memcpy(values.data(), host.data(), host.size());
        buffer.upload(values);
    });
    ++world.solids.topology;
    world.parameters = m_parameters;
    world.materials = m_materials;
    for (size_t s = 0; s < m_shapes.size(); ++s) {
        std::vector<Vec3> corners = std::move(world.shapes[s].corners);
        world.shapes[s] = m_shapes[s];
        world.shapes[s].corners = std::move(corners);
    }
    world.fields = m_fields;
    for (size_t e = 0; e < m_emitters.size(); ++e) world.emitters[e].properties = m_emitters[e];
    world.sinks = m_sinks;
    world.shapeReports = m_reports;
    world.groups = m_groups;
    world.bodies = m_bodies;
    world.mouseConstraints = m_hands;
    world.commands.clear();
    world.spawning = m_spawning;
    world.spawnTimestamps = m_spawnTimestamps;
    // hands bring in the ball after all others
    if (world.ball) world.prefabs.resize(*world.ball);
    world.ball.reset();
    if (m_ball) world.ball = static_cast<uint32_t>(world.prefabs.size()), world.prefabs.push_back(*m_ball);
    CHECK_EQ(world.prefabs.size(), m_prefabs);
    world.ballRadius = m_ballRadius;
    world.ballAdded = m_ballAdded;
    world.bodiesToCome = m_bodiesToCome;
    world.step = m_step, world.frame = m_frame, world.time = m_time;
    world.births = m_births, world.deaths = m_deaths;
    world.nextId = m_nextId, world.groupsNamed = m_groupsNamed;
}

}  // namespace coalesce
