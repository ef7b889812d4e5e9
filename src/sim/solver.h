// Advances a World. One Solver belongs to one World.
#pragma once

#include <memory>

#include "kernels/neighbors.h"
#include "sim/status.h"
#include "sim/world.h"

namespace coalesce {

class Solver {
public:
    explicit Solver(World& world);
    ~Solver();

    // One frame of `solver.substeps` substeps. [UPP14] Algorithm 1
    // Overflow under policy grow enlarges and redoes the frame; policy fail throws Exit::Simulation.
    Status step();

    // Who is near whom, as the last substep found it; slots as the particles are stored now. Empty before the
    // first step or findNeighbors.
    NeighborLists neighborLists() const;
    View<const int> neighborCounts() const { return neighborLists().count; }
    // Finds the neighbors at the present positions, for pictures and measures of a state that no step has
    // made. Renews the order of storage; changes no result.
    void findNeighbors();

    // Peak bytes of device memory this world and solver hold, per particle.
    double bytesPerParticle() const;

private:
    void substepPosition(int substep, float dt);

    struct Stages;
    World& m_world;
    std::unique_ptr<Stages> m_stages;
};

}  // namespace coalesce
