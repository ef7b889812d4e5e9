// Constants of each particle's contacts with other particles, and the pairs as kernels see them: shared by
// the methods that solve contacts for positions and for velocities.
#pragma once

#include "kernels/contact/particle_pairs.h"
#include "sim/solid/shape_matching.h"
#include "sim/stage/neighbors.h"
#include "sim/stage/step_context.h"

namespace coalesce {

class ContactTraits : Stage {
public:
    using Stage::Stage;

    // Once per substep. scaling: see contacts.stackScaling; positional: friction acts in the contact itself.
    void gather(const StepContext& step, float scaling, bool positional);

    // Calls use(pairs), where pairs is a PairContacts<true> where particles of bodies are pushed out along
    // distance fields, else a PairContacts<false>.
    template <class Use>
    void withPairs(const StepContext& step, const ShapeMatching& bodies, View<const float> inverseMass,
                   Use&& use) const {
        const BodyContacts mode = step.world.parameters.contacts.bodyContacts;
        // Grains inside a body are moved out by pre-stabilization, without velocity; the iterations only hold them:
        // those that a soft body closes around would leave it with maxDepenetration.
        const bool stabilized = step.world.parameters.solver.prestabilize > 0;
        const float most = maxDepenetration(step);
        const auto with = [&]<bool Fields>() {
            use(PairContacts<Fields>{.lists = step.neighbors.pairs(),
                                     .traits = m_traits.view(),
                                     .scaledInverseMass = inverseMass,
                                     .bodySdf = bodies.bodySdf(),
                                     .maxCorrection = most,
                                     .looseCorrection = stabilized ? 0 : most,
                                     .oneSided = mode == BodyContacts::oneSided ? 1.0f : 0.0f});
        };
        if (step.world.bodies.empty() || mode == BodyContacts::balls)
            with.template operator()<false>();
        else
            with.template operator()<true>();
    }

    // [m] of an overlap at the start that a substep may resolve
    static float maxDepenetration(const StepContext& step) {
        return step.device.summary.minDepenetration * step.dt;
    }

    View<Vec4> traits() { return m_traits.view(); }
    View<const float> inverseMass() const { return m_inverseMass.view(); }  // [1/kg] with stack scaling

private:
    Buffer<Vec4> m_traits{exec};
    Buffer<float> m_inverseMass{exec};
};

}  // namespace coalesce
