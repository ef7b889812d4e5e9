// Closed cloth that keeps its volume: kernels of volume_constraint.h over World::solids.inflatables.
#pragma once

#include "kernels/cloth/volume_constraint.h"
#include "sim/stage/device_world.h"

namespace coalesce {

class VolumeConstraints {
public:
    explicit VolumeConstraints(Exec& exec)
        : m_chunks(exec),
          m_firstChunk(exec),
          m_factor(exec),
          m_change(exec),
          m_sums(exec),
          m_gradient(exec) {}

    // What every material's volume is in this substep.
    void prepare(World& world, DeviceWorld& device);
    // One iteration of a substep.
    void solve(World& world, DeviceWorld& device);

private:
    void plan(const World& world);

    Buffer<VolumeChunk> m_chunks;
    Buffer<uint32_t> m_firstChunk;  // by inflatable, and one more
    Buffer<float> m_factor;         // by material
    std::vector<float> m_uploaded;
    Buffer<float> m_change;  // by inflatable
    Buffer<VolumeSums> m_sums;
    Buffer<int64_t> m_gradient;  // three for each row; all 0 between launches
    uint64_t m_topology = 0;     // for which the chunks are
    float m_perSquareMeter = 1;
    bool m_any = false;  // any material is inflated
};

}  // namespace coalesce
