// Liquids: the density constraint, viscosity, vorticity.
#pragma once

#include "sim/stage/device_world.h"
#include "sim/stage/neighbors.h"

namespace coalesce {

class Fluid {
public:
    explicit Fluid(Exec& exec)
        : m_xLambda(exec), m_traits(exec), m_filled(exec), m_attraction(exec), m_lambda(exec) {}

    // once per substep, after the neighbors are known
    void prepare(World& world, DeviceWorld& device);
    // one iteration: λ of every particle, then the deltas
    void solveDensity(World& world, DeviceWorld& device, const Neighbors& neighbors);
    // XSPH viscosity, and the volume fraction at the end of the substep
    void blendVelocities(World& world, DeviceWorld& device, const Neighbors& neighbors);
    void confineVorticity(World& world, DeviceWorld& device, const Neighbors& neighbors, float dt);

    // From now on λ is summed over the iterations of each substep; nobody needs it but who asks for
    // pressures.
    void watchLambda(bool on) { m_watched = on; }
    bool watchesLambda() const { return m_watched; }
    // of the last substep, by slot; empty without watchLambda
    View<const float> lambda() const { return m_lambda.view(); }

    // w: λ of the last iteration
    View<const Vec4> xLambda() const { return m_xLambda.view(); }

private:
    void noteLambda(World& world);
    // Calls use(pairs) with the pair constants of a world of one resolution, or with the gathered ones.
    template <class Use>
    void withPairs(const World& world, const DeviceWorld& device, Use&& use) const;

    Buffer<Vec4> m_xLambda;  // x*, λ; between iterations also room for blended velocities
    Buffer<Vec4> m_traits;   // of the pair loop, when materials differ
    Buffer<float> m_filled, m_attraction;
    Buffer<float> m_lambda;
    bool m_watched = false;
};

}  // namespace coalesce
