// Births and deaths of a frame, before its substeps.
#pragma once

#include "core/buffer.h"
#include "kernels/spawn/removal.h"
#include "sim/stage/shapes_on_device.h"
#include "sim/world/emitters.h"

namespace coalesce {

struct Places;  // what newborn ask for, by emitter

class Spawner {
public:
    explicit Spawner(Exec& exec);

    // Takes out what sinks take and what has lived its life, and brings in what emitters emit and hands throw
    // or pour. A world without any of them is left alone. Reads back once, and the poses of bodies that
    // emitters ride on. Fails (Exit::Simulation) when ids run out.
    void run(World& world);
    // What hands gave in the last frame that was run, and what found no room; see Status.
    int ballsBlocked() const { return m_ballsRefused; }
    int jetsBlocked() const { return m_jetsRefused; }

private:
    struct Tally;
    bool markLeaving(World& world, std::span<const IdRange> expired, const Tally& tally);
    void markOccupied(World& world, const Places& places, const Tally& tally, bool leaving);
    void spawn(World& world, std::span<const SpawnRequest> due, std::span<const uint32_t> occupied);

    int m_ballsRefused = 0, m_jetsRefused = 0;
    ShapesOnDevice m_regions;
    Buffer<SinkConstants> m_sinks;
    Buffer<uint32_t> m_materialSinks, m_groupSinks;
    Buffer<BodyRange> m_bodies;
    Buffer<Vec4> m_centers;
    Buffer<IdRange> m_expired;
    Buffer<uint32_t> m_slotOfGroup;
    Buffer<uint32_t> m_keep, m_survivors;
    Buffer<uint32_t> m_counts;
    Buffer<SpawnGrid> m_grids;
    Buffer<uint32_t> m_starts;
    Buffer<Vec4> m_places;
    Buffer<float> m_radius;
};

}  // namespace coalesce
