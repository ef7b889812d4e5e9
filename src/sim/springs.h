// Distance constraints of cloth and ropes: kernels of spring.h over World::solids.springs.
#pragma once

#include "kernels/spring.h"
#include "sim/device_world.h"

namespace coalesce {

// The springs of each color, one color after the other: no two of a color share a particle that may move.
// Greedy in the order of the springs. Tethers move one end only.
struct SpringColors {
    std::vector<uint32_t> order;  // springs
    std::vector<uint32_t> end;    // by color, into order
};
SpringColors colorSprings(std::span<const Spring> springs, size_t rows);

class Springs {
public:
    explicit Springs(Exec& exec)
        : m_hold(exec), m_lambda(exec), m_order(exec), m_share(exec), m_sums(exec) {}

    // What goes with shapes is carried there; how hard every kind of spring holds in this substep. Nothing
    // has pulled yet.
    void prepare(World& world, DeviceWorld& device, int substep, float dt);
    // One iteration of a substep.
    void solve(World& world, DeviceWorld& device);

private:
    void plan(const World& world);
    void solveAtOnce(World& world, DeviceWorld& device, const SpringTables& tables);
    void solveByColor(World& world, DeviceWorld& device, const SpringTables& tables);

    Buffer<SpringHold> m_hold;  // by material and kind
    std::vector<SpringHold> m_uploaded;
    Buffer<float> m_lambda;  // [kg m] by spring
    Buffer<uint32_t> m_order;
    std::vector<uint32_t> m_colorEnd;
    Buffer<uint32_t> m_share;  // by row
    Buffer<int64_t> m_sums;    // three for each row; all 0 between launches
    uint64_t m_topology = 0;   // for which colors and shares were found
    float m_perMeter = 1;
};

}  // namespace coalesce
