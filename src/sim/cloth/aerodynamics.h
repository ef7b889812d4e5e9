// The air on cloth: kernels of lift_and_drag.h over World::solids.triangles.
#pragma once

#include "sim/stage/device_world.h"

namespace coalesce {

class Aerodynamics {
public:
    explicit Aerodynamics(Exec& exec) : m_share(exec), m_sums(exec) {}

    // Changes velocities by drag and lift; to be called before gravity does, which it knows of.
    void apply(World& world, DeviceWorld& device, int substep, float dt);

private:
    void plan(const World& world);

    Buffer<uint32_t> m_share;  // by row
    Buffer<int64_t> m_sums;    // three for each row; all 0 between launches
    uint64_t m_topology = 0;   // for which the shares were counted
};

}  // namespace coalesce
