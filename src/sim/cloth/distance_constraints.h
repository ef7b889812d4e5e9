// Distance constraints of cloth and ropes: kernels of distance_constraint.h over World::solids.springs.
#pragma once

#include "core/mirror.h"
#include "kernels/cloth/anchor_load.h"
#include "kernels/cloth/distance_constraint.h"
#include "sim/stage/colored_constraints.h"
#include "sim/stage/step_context.h"

namespace coalesce {

// Colors of springs. Tethers (long-range attachments), which move one end only, are solved last, so that they
// hold at the end of each iteration.
Coloring colorSprings(std::span<const DistanceConstraint> springs, size_t rows);

// Stiffness and compliance of a constraint in each iteration of a substep of dt [s].
SpringParams springHold(double stiffness, double compliance, int iterations, double dt);

class DistanceConstraints : Stage {
public:
    using Stage::Stage;

    // Moves the particles that are anchored to shapes with them, before the neighbor search.
    void moveAnchors(const StepContext& step);
    // Once per substep: stiffness of every kind of spring; λ starts at 0.
    void prepare(const StepContext& step);
    // One iteration. massScale: of particles of rigid bodies, by slot; empty: 1.
    void solve(const StepContext& step, View<const float> massScale);
    // After the iterations: adds the forces of springs on anchored particles to the loads of their shapes.
    void sumLoads(const StepContext& step);

    // [kg m] by spring
    View<float> lambda() { return m_lambda.view(); }

private:
    void plan(const World& world);
    void solveAveraged(const StepContext& step, const SpringTables& tables);
    void solveByColor(const StepContext& step, const SpringTables& tables);

    Mirror<SpringParams> m_params{exec};  // by material and kind
    Buffer<float> m_lambda{exec};         // [kg m] by spring
    ColoredConstraints m_colored{exec};
    Buffer<uint32_t> m_share{exec};          // by row
    Buffer<uint32_t> m_attachedShape{exec};  // by row: the shape that it is anchored to
    Buffer<int64_t> m_sums{exec};            // three per row; all 0 between launches
    uint64_t m_topology = 0;                 // of which colors and shares were found
    float m_perMeter = 1;                    // units of the sums
    bool m_anchored = false;                 // any row is anchored to a shape
};

}  // namespace coalesce
