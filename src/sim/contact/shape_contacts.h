// Particles against collision shapes.
#pragma once

#include "sim/stage/device_world.h"

namespace coalesce {

class ShapeContacts {
public:
    explicit ShapeContacts(Exec& exec)
        : m_start(exec),
          m_planes(exec),
          m_shape(exec),
          m_accumulatedImpulse(exec),
          m_lastImpulse(exec),
          m_steepness(exec) {}

    // the planes that each particle may meet in this substep
    void find(World& world, DeviceWorld& device, int substep);
    // leads out what starts inside a shape
    void preStabilize(World& world, DeviceWorld& device, int substep, float dt);
    // what walls add to the volume fraction, at the present x*
    void addWalls(World& world, DeviceWorld& device, int substep);
    // one iteration of non-penetration and friction; xLambda: w is the λ of the density constraint, which
    // pushed against the walls in this iteration too
    void solve(World& world, DeviceWorld& device, int substep, View<const Vec4> xLambda,
               View<const float> contactResponse);

    // nothing inside a shape, whatever the iterations left
    void keepOutside(World& world, DeviceWorld& device, int substep);
    // who is in a trigger at x*; may send them elsewhere
    void watchTriggers(World& world, DeviceWorld& device, int substep);
    // what the shapes bore in this substep, once velocities are known
    void sumLoads(World& world, DeviceWorld& device, int substep);

    Contacts view(const DeviceWorld& device, int substep) const;
    // of each contact: Σ m Δx [kg m] that its plane gave the particle in this substep
    View<Vec3> accumulatedImpulse() { return m_accumulatedImpulse.view(); }

private:
    template <bool Forms>
    ContactSearch<Forms> search(const World& world, const DeviceWorld& device, int substep) const;

    Buffer<uint32_t> m_start;
    Buffer<Vec4> m_planes;
    Buffer<uint32_t> m_shape;
    Buffer<Vec3> m_accumulatedImpulse;
    Buffer<Vec3>
        m_lastImpulse;  // of bodies: given in the last iteration, before it is known how far they follow
    Buffer<float> m_steepness;
};

}  // namespace coalesce
