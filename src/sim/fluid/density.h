// The density constraint of liquids: kernels of density_constraint.h.
#pragma once

#include <type_traits>

#include "core/mirror.h"
#include "kernels/fluid/density_constraint.h"
#include "sim/stage/neighbors.h"
#include "sim/stage/step_context.h"

namespace coalesce {

class ShapeContacts;

class DensityConstraint : Stage {
public:
    using Stage::Stage;

    // Once per substep, after the neighbor search.
    void prepare(const StepContext& step);
    // Once per substep, before the first iteration: how much compression may remain
    // if a substep is shorter than the recovery time.
    void limitRecovery(const StepContext& step, ShapeContacts& shapes);
    // One iteration: the share of walls and λ of every particle, then the position deltas. Before it,
    // those of the light fluids alone. The first of a substep finds the rounding errors of x*, to
    // which corrections add. withContacts: contacts with shapes, too, in the launch of the deltas; for
    // worlds in which no other constraint comes between.
    void solve(const StepContext& step, ShapeContacts& shapes, bool withContacts);
    // The same for a share of walls that is known.
    void solve(const StepContext& step);

    // Enables the sum of λ over the iterations of each substep; each method writes its own. Only readers of
    // pressures need it.
    void watchLambda(bool on) { m_watched = on; }
    bool watchesLambda() const { return m_watched; }
    // of the last substep, by slot; empty without watchLambda
    View<const float> lambdaSums() const { return m_lambdaSums.view(); }
    View<float> writableLambdaSums() { return m_lambdaSums.view(); }

    // x* and λ (w) of the last iteration. The memory may be exchanged for another array of this size once the
    // iterations are done.
    Buffer<Vec4>& xLambda() { return m_xLambda; }

    // Calls use(pairs) with the constants of pairs: those of the one material, or those gathered per
    // particle.
    template <class Use>
    void withPairs(const StepContext& step, Use&& use) const;
    // What withPairs needs; part of prepare.
    void gatherTraits(const StepContext& step);

private:
    void findLight(const StepContext& step);
    void sumLambda(const StepContext& step);  // adds the λ of an iteration to the watched sums
    // Kernels that are fused with those of an iteration.
    struct Fused {
        bool roundingErrors = false;        // before λ
        ShapeContacts* walls = nullptr;     // before λ: their share of the density
        ShapeContacts* contacts = nullptr;  // after the deltas: contacts with shapes
    };
    void iterate(const StepContext& step, View<const float> active, const Fused& fused);
    void iterateAll(const StepContext& step, Fused beforeLambda, ShapeContacts* contacts);

    Buffer<Vec4> m_xLambda{exec};
    Buffer<Vec4> m_traits{exec};  // of the pair loop, when materials differ
    Buffer<float> m_filled{exec}, m_attraction{exec};
    Mirror<int32_t> m_light{exec};  // by material: 1
    Buffer<float> m_active{exec};   // of FindLight; empty: there is nothing light
    Buffer<float> m_target{exec};   // of FindInitialCompression; empty: 0
    Buffer<float> m_lambdaSums{exec};
    bool m_watched = false;
};

// Passes of the XSPH viscosity: equal, and no more than needed, for a larger share per pass overshoots
// ([VFX15] 3.2).
int viscosityPasses(const StepContext& step);

template <class Use>
void DensityConstraint::withPairs(const StepContext& step, Use&& use) const {
    if (step.device.summary.uniform) {
        const MaterialConstants& m = step.device.materials.host()[0];
        use(PairTraits<true>{m.support, m.volume, m.viscosity / viscosityPasses(step), m.gradientScale,
                             m.denominator / m.inverseMass, m.attraction, smoothing(m.support)});
    } else {
        use(PairTraits<false>{m_traits.view(), m_filled.view(), m_attraction.view()});
    }
}

// Whether these are the constants of a single material.
template <class Pairs>
constexpr bool isUniform = std::is_same_v<Pairs, PairTraits<true>>;

}  // namespace coalesce
