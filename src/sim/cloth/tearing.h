// Cloth and ropes that tear where they are strained too much, between frames.
#pragma once

#include "kernels/cloth/tear_search.h"
#include "sim/cloth/cloth_topology.h"
#include "sim/stage/device_world.h"

namespace coalesce {

class Tearing {
public:
    explicit Tearing(Exec& exec) : m_limit(exec), m_torn(exec) {}

    // Notes in the status how many springs are strained beyond what their material bears.
    void find(World& world, DeviceWorld& device);
    // After the frame: parts what crosses the cuts among the commands, and where `torn`, what find() has
    // found: at most solver.tearsPerFrame springs, the most strained first.
    void part(World& world, bool torn);

private:
    Buffer<float> m_limit;  // by index of a SpringHold
    std::vector<float> m_uploaded;
    Buffer<uint32_t> m_torn;  // by spring
};

}  // namespace coalesce
