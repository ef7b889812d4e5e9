// Advances a World. One Solver belongs to one World.
#pragma once

#include <memory>

#include "kernels/contact/contact_planes.h"
#include "kernels/search/neighbor_lists.h"
#include "sim/world/status.h"
#include "sim/world/world.h"

namespace coalesce {

class Solver {
public:
    explicit Solver(World& world);
    ~Solver();

    // One frame of `solver.substeps` substeps. [UPP14] Algorithm 1
    // Overflow under policy grow enlarges and redoes the frame; policy fail throws Exit::Simulation.
    Status step();

    // Who is near whom, as the last substep found it; slots as the particles are stored now. Empty before the
    // first step or findNeighbors. In a world without liquids: who may touch whom.
    NeighborLists neighborLists() const;
    // Who may touch whom; empty in a world of liquids only.
    NeighborLists contactLists() const;
    View<const int> neighborCounts() const { return neighborLists().count; }
    // The planes of shapes that each particle may meet, of the same substep.
    Contacts shapeContacts() const;
    // Edge of the cells of the grid that neighbors are looked for in [m], as of the last search.
    float cellSize() const;
    // Finds both at the present positions, for pictures and measures of a state that no step has
    // made. Renews the order of storage; changes no result.
    void findNeighbors();

    // Peak bytes of device memory this world and solver hold, per particle.
    double bytesPerParticle() const;

    // From now on the density constraint notes its pressures, or no longer.
    void watchPressure(bool on = true);
    bool watchesPressure() const;
    // p [Pa] of each particle at the end of the last substep, in the order of storage; 0 for what is no
    // liquid. The mean over a frame or more is steadier. p = −Σλ g / (dt² cell): see SumLambda. Needs
    // watchPressure before the frame.
    std::vector<double> pressures() const;
    // The same where the world is: p = −sum · scale of the material. Empty before the first watched frame.
    View<const float> lambdaSums() const;
    std::vector<float> pressureScales() const;  // [1/(m³ s²)] by material

private:
    void substepPosition(int substep, float dt);

    struct Stages;
    World& m_world;
    std::unique_ptr<Stages> m_stages;
};

}  // namespace coalesce
