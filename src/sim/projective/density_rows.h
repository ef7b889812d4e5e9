// Projective dynamics, rows with a diagonal matrix: every particle's inertia and the density constraints of
// liquids. Kernels of project_density.h.
#pragma once

#include "sim/fluid/density.h"
#include "sim/stage/step_context.h"

namespace coalesce {

class DensityRows : Stage {
public:
    using Stage::Stage;

    // Once per substep, when nothing but constraints will move x* any more: s = x*.
    void prepare(const StepContext& step);
    // Local step: the share of walls and Λ of every density constraint; and dt² E of each [kg m²], unless the
    // view is empty.
    void project(const StepContext& step, DensityConstraint& density, ShapeContacts& shapes,
                 View<float> energy = {});
    // Global step: x* of every particle without constraints of bodies; for the others the step that these
    // continue. In a world of liquid alone contacts with shapes follow, in the same launch: nothing else comes
    // between.
    void solve(const StepContext& step, DensityConstraint& density, ShapeContacts& shapes, int round);

    // Around contacts, which move s as they move x*; ofShapes: contacts with shapes, that do not move s of
    // liquids.
    void beginContacts(const StepContext& step);
    void endContacts(const StepContext& step, bool ofShapes);

    // −∇g dt²/m of the particles [m], w: 0, by slot; empty in a world without bodies
    View<const Vec4> descent() const { return m_step.view(); }
    // r, the factor on the mass in the matrix, by slot; empty: 1.
    View<const float> resistance() const { return m_resistance.view(); }
    // Weight of the Chebyshev acceleration in the last round.
    float chebyshev() const { return m_chebyshev; }
    // s [m] and inverse mass, by slot
    View<const Vec4> target() const { return m_target.view(); }

private:
    template <class Use>
    void withWeights(const StepContext& step, const DensityConstraint& density, Use&& use) const;

    Buffer<Vec4> m_target{exec};    // s [m], inverse mass
    Buffer<Vec4> m_previous{exec};  // [m] x* of the round before
    Buffer<Vec4> m_step{exec};
    Buffer<Vec4> m_beforeContacts{exec};
    Buffer<float> m_resistance{exec};
    Buffer<float> m_lambdaBefore{exec};             // of CarryLambda
    Buffer<float> m_weights{exec}, m_ratios{exec};  // when materials differ
    float m_chebyshev = 1;                          // weight of the last round
};

}  // namespace coalesce
