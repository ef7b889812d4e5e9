// Particles against collision shapes.
#pragma once

#include "sim/device_world.h"

namespace coalesce {

class ShapeContacts {
public:
    explicit ShapeContacts(Exec& exec) : m_start(exec), m_planes(exec), m_shape(exec) {}

    // the planes that each particle may meet in this substep
    void find(World& world, DeviceWorld& device, int substep);
    // leads out what starts inside a shape
    void preStabilize(World& world, DeviceWorld& device, int substep, float dt);
    // what walls add to the volume fraction, at the present x*
    void addWalls(World& world, DeviceWorld& device, int substep);
    // one iteration of non-penetration and friction
    void solve(World& world, DeviceWorld& device, int substep);

    // nothing inside a shape, whatever the iterations left
    void keepOutside(World& world, DeviceWorld& device, int substep);

    Contacts view(const DeviceWorld& device, int substep) const;

private:
    ContactSearch search(const World& world, const DeviceWorld& device, int substep) const;

    Buffer<uint32_t> m_start;
    Buffer<Vec4> m_planes;
    Buffer<uint32_t> m_shape;
};

}  // namespace coalesce
