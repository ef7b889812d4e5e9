// A world as it was between two frames, kept in the memory of the host.
#pragma once

#include <cstddef>

#include "sim/world/world.h"

namespace coalesce {

// Everything that frames, hands and the timeline change; not what is fixed when a scene is built (meshes,
// prefabs, channels).
class WorldSnapshot {
public:
    explicit WorldSnapshot(const World& world);
    // Puts it back into the world that it is of. The solver of that world must begin anew: it knows the order
    // in which particles were stored.
    void restore(World& world) const;

    // What a copy of this world takes.
    static size_t bytesOf(const World& world);

    uint64_t frame() const { return m_frame; }
    double time() const { return m_time; }  // [s]
    size_t bytes() const { return m_bytes; }

private:
    std::vector<std::vector<std::byte>> m_arrays;  // in the order of forEachBuffer
    Parameters m_parameters;
    std::vector<Material> m_materials;
    std::vector<Shape> m_shapes;  // without the corners of meshes
    std::vector<ForceField> m_fields;
    std::vector<EmitterProperties> m_emitters;
    std::vector<Sink> m_sinks;
    std::vector<ShapeReport> m_reports;
    std::vector<Group> m_groups;
    std::vector<SolidBody> m_bodies;
    std::vector<MouseConstraint> m_hands;
    SpawnState m_spawning;
    std::vector<SpawnTimestamp> m_spawnTimestamps;
    size_t m_prefabs = 0;
    std::optional<Prefab> m_ball;  // the last of the prefabs
    float m_ballRadius = 0;        // [m]
    bool m_ballAdded = false, m_bodiesToCome = false;
    uint64_t m_step = 0, m_frame = 0, m_births = 0, m_deaths = 0;
    double m_time = 0;
    uint32_t m_nextId = 0, m_groupsNamed = 1;
    size_t m_bytes = 0;
};

}  // namespace coalesce
