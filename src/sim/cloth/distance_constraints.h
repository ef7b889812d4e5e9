// Distance constraints of cloth and ropes: kernels of distance_constraint.h over World::solids.springs.
#pragma once

#include "kernels/cloth/anchor_load.h"
#include "kernels/cloth/distance_constraint.h"
#include "sim/stage/coloring.h"
#include "sim/stage/device_world.h"

namespace coalesce {

// Colors of springs. Tethers come last, so that they have the last word; they move one end only.
Coloring colorSprings(std::span<const DistanceConstraint> springs, size_t rows);

// How hard something holds in each of so many iterations of a substep [s].
SpringHold springHold(double stiffness, double compliance, int iterations, double dt);

class DistanceConstraints {
public:
    explicit DistanceConstraints(Exec& exec)
        : m_params(exec), m_lambda(exec), m_order(exec), m_share(exec), m_carrier(exec), m_sums(exec) {}

    // What goes with shapes is carried there, before anybody looks for neighbors.
    void carryAnchors(World& world, DeviceWorld& device, int substep);
    // How hard every kind of spring holds in this substep; nothing has pulled yet.
    void prepare(World& world, DeviceWorld& device, float dt);
    // One iteration of a substep. gain: of rigid bodies' particles, by slot; empty: 1.
    void solve(World& world, DeviceWorld& device, View<const float> massScale);
    // After the iterations of a substep: what was pulled at shapes, to their loads.
    void sumLoads(World& world, DeviceWorld& device, int substep);

private:
    void plan(const World& world);
    void solveAtOnce(World& world, DeviceWorld& device, const SpringTables& tables);
    void solveByColor(World& world, DeviceWorld& device, const SpringTables& tables);

    Buffer<SpringHold> m_params;  // by material and kind
    std::vector<SpringHold> m_uploaded;
    Buffer<float> m_lambda;  // [kg m] by spring
    Buffer<uint32_t> m_order;
    std::vector<uint32_t> m_colorEnd;
    Buffer<uint32_t> m_share;    // by row
    Buffer<uint32_t> m_carrier;  // by row: the shape that it goes with
    Buffer<int64_t> m_sums;      // three for each row; all 0 between launches
    uint64_t m_topology = 0;     // for which colors and shares were found
    float m_perMeter = 1;
    bool m_anchored = false;  // any row goes with a shape
};

}  // namespace coalesce
