// Contacts as velocity constraints: kernels of pair_impulse.h, shape_contact_impulse.h and
// round_contact_impulse.h.
#pragma once

#include "kernels/velocity/pass.h"
#include "sim/contact/contact_traits.h"
#include "sim/contact/round_body_contacts.h"
#include "sim/contact/shape_contacts.h"
#include "sim/solid/shape_matching.h"
#include "sim/stage/neighbors.h"

namespace coalesce {

struct ContactTarget;

class ContactImpulses : Stage {
public:
    using Stage::Stage;

    // Once per substep, when neighbors, contact planes and bodies are known and velocities are predicted.
    void prepare(const StepContext& step);
    // Once per pass: inertia of rigid bodies at their poses.
    void findInertia(const StepContext& step, ShapeMatching& bodies);
    // Factors on the masses of particles of rigid bodies for springs, by slot; empty: no rigid bodies or
    // springs.
    View<const float> findSpringMassScales(const StepContext& step, const ShapeMatching& bodies);
    // One iteration each: normal impulses and friction. Rigid bodies follow at once.
    void solvePairs(const StepContext& step, ShapeMatching& bodies, VelocityPass pass);
    void solveShapes(const StepContext& step, ShapeMatching& bodies, ShapeContacts& shapes,
                     VelocityPass pass);
    void solveRound(const StepContext& step, ShapeMatching& bodies, RoundBodyContacts& round,
                    VelocityPass pass);

private:
    // Calls use(mass, false or true) with the inverse masses of particles, shared among their contacts.
    template <class Use>
    void withMasses(const StepContext& step, const ShapeMatching& bodies, View<const float> contacts,
                    View<const Vec4> free, Use&& use);
    // x, but for round bodies: see BendPaths.
    View<const Vec4> pathsFrom(const StepContext& step, ShapeMatching& bodies, const Buffer<Vec4>& x);
    ContactTarget targetOf(const StepContext& step, VelocityPass pass) const;
    ContactTarget pairTargetOf(const StepContext& step, VelocityPass pass) const;

    Buffer<Vec4> m_before{exec};  // [m/s] as predicted
    ContactTraits m_traits{exec};
    Buffer<float> m_count{exec}, m_restitution{exec};
    Buffer<float> m_impulses{exec};                              // four arrays: see PairImpulses
    Buffer<uint32_t> m_bodyContacts{exec};                       // by cluster
    Buffer<Vec4> m_clusterDiagonal{exec}, m_clusterMixed{exec};  // see FindInverseInertia
    Buffer<Vec4> m_diagonal{exec}, m_mixed{exec};                // by slot: see ShareMass
    Buffer<float> m_springMassScale{exec};
    Buffer<Vec4> m_next{exec}, m_bent{exec};
    bool m_first = true;  // no impulse of a pair is stored yet
};

}  // namespace coalesce
