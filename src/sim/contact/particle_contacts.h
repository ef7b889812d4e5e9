// Contacts of particles with each other: kernels of particle_pairs.h, pair_restitution.h and stack_height.h.
#pragma once

#include "sim/contact/contact_traits.h"
#include "sim/contact/shape_contacts.h"
#include "sim/solid/shape_matching.h"
#include "sim/stage/neighbors.h"
#include "sim/stage/step_context.h"

namespace coalesce {

class ParticleContacts : Stage {
public:
    using Stage::Stage;

    // Stack heights and contact constants of each particle, once neighbors and shape contacts are known.
    void prepare(const StepContext& step, const ShapeContacts& shapes);
    // Pushes apart what overlaps at the start of the substep, without changing its velocity.
    void preStabilize(const StepContext& step, const ShapeMatching& bodies, ShapeContacts& shapes);
    // One iteration of non-penetration, friction and cohesion.
    void solve(const StepContext& step, const ShapeMatching& bodies);
    // What static friction remembers, once positions are known.
    void updateSlip(const StepContext& step, const ShapeContacts& shapes);
    // Restitution and velocity-level friction, once velocities are known.
    void applyRestitution(const StepContext& step, const ShapeMatching& bodies);

private:
    bool hasRestitution(const StepContext& step) const;
    void findStackHeights(const StepContext& step, const ShapeContacts& shapes);
    void splitMasses(const StepContext& step, View<const Vec4> x, View<const Vec4> xStar, float slack,
                     View<const float> massScale);

    ContactTraits m_traits{exec};
    Buffer<float> m_scaledInverseMass{exec};  // with the mass scales of bodies [1/kg]
    Buffer<float> m_count{exec};              // contacts that share a particle's mass
    Buffer<float> m_cohesion{exec};
    Buffer<Vec4> m_start{exec};  // [m] x at the start of the substep, before pre-stabilization
    Buffer<Vec4> m_bounce{exec};
    Buffer<Vec4> m_vPredicted{exec};  // velocities before the constraints
    Buffer<Vec4> m_next{exec};
};

}  // namespace coalesce
