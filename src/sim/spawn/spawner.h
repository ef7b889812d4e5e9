// Removes and adds particles at the start of a frame, before its substeps: emitters, sinks,
// lifetimes, and what the user throws or pours.
#pragma once

#include "core/buffer.h"
#include "kernels/spawn/removal.h"
#include "sim/stage/shapes_on_device.h"
#include "sim/world/emitters.h"

namespace coalesce {

struct SpawnGrids;  // positions of requested spawns, by emitter

class Spawner {
public:
    explicit Spawner(Exec& exec);

    // Removes particles by sinks and lifetimes; spawns those of emitters and users. No effect on a world
    // without any of them. One read-back, and one for each body that an emitter is attached to. Fails
    // (Exit::Simulation) when ids run out.
    void run(World& world);
    // User spawns of the last frame that had no free space; see Status.
    int ballsBlocked() const { return m_ballsBlocked; }
    int jetsBlocked() const { return m_jetsBlocked; }

private:
    struct Tally;
    bool markRemoved(World& world, std::span<const IdRange> expired, const Tally& tally);
    void markOccupied(World& world, const SpawnGrids& grids, const Tally& tally, bool leaving);
    void spawn(World& world, std::span<const SpawnRequest> due, std::span<const uint32_t> occupied);

    int m_ballsBlocked = 0, m_jetsBlocked = 0;
    ShapesOnDevice m_regions;
    Buffer<SinkConstants> m_sinks;
    Buffer<uint32_t> m_materialSinks, m_groupSinks;
    Buffer<BodyRange> m_bodies;
    Buffer<Vec4> m_centers;
    Buffer<IdRange> m_expired;
    Buffer<float> m_smokelessLife;
    Buffer<uint32_t> m_slotOfGroup;
    Buffer<uint32_t> m_keep, m_survivors;
    Buffer<uint32_t> m_counts;
    Buffer<SpawnGrid> m_grids;
    Buffer<uint32_t> m_starts;
    Buffer<Vec4> m_points;
    Buffer<float> m_radius;
};

}  // namespace coalesce
