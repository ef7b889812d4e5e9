// Contacts of particles with each other: who may touch, how they part, how they bounce. Kernels:
// particle_pairs.h, stack_height.h.
#pragma once

#include "kernels/contact/particle_pairs.h"
#include "sim/contact/shape_contacts.h"
#include "sim/solid/shape_matching.h"
#include "sim/stage/device_world.h"
#include "sim/stage/neighbors.h"

namespace coalesce {

class PairContacts {
public:
    explicit PairContacts(Exec& exec)
        : m_traits(exec),
          m_weight(exec),
          m_own(exec),
          m_count(exec),
          m_cohesion(exec),
          m_bounce(exec),
          m_before(exec),
          m_next(exec) {}

    // Heights in stacks, and what the substep needs to know of each particle. After neighbors and shape
    // contacts were found.
    void prepare(World& world, DeviceWorld& device, const Neighbors& neighbors, const ShapeContacts& shapes,
                 int substep, float dt);
    void preStabilize(World& world, DeviceWorld& device, const Neighbors& neighbors,
                      const ShapeMatching& bodies);
    void solve(World& world, DeviceWorld& device, const Neighbors& neighbors, const ShapeMatching& bodies);
    // On velocities, after they are known.
    void bounce(World& world, DeviceWorld& device, const Neighbors& neighbors, const ShapeMatching& bodies);

private:
    template <class Use>
    void withContacts(const World& world, const Neighbors& neighbors, const ShapeMatching& bodies,
                      Use&& use) const;
    bool bounces(const World& world, const DeviceWorld& device) const;
    void findHeights(World& world, DeviceWorld& device, const Neighbors& neighbors,
                     const ShapeContacts& shapes, int substep);
    void splitMasses(World& world, const Neighbors& neighbors, View<const Vec4> x, View<const Vec4> xStar,
                     float slack, View<const float> massScale);

    Buffer<Vec4> m_traits;
    Buffer<float> m_weight;  // inverse masses of the contact stage [1/kg]
    Buffer<float> m_own;     // the same with the gains of bodies
    Buffer<float> m_count;   // contacts that share a particle's mass
    Buffer<float> m_cohesion;
    Buffer<Vec4> m_bounce, m_before;  // m_before: velocities as predicted
    Buffer<Vec4> m_next;
    float m_mostUndone = 0;  // [m] of an overlap at the start, per substep
};

}  // namespace coalesce
