// Projective dynamics: the objective in every round, for display and checks. Changes nothing of the solution.
// Kernels of objective_terms.h.
#pragma once

#include "kernels/projective/objective_terms.h"
#include "sim/projective/coupled_rows.h"
#include "sim/projective/density_rows.h"

namespace coalesce {

class Objective : Stage {
public:
    using Stage::Stage;

    // For DensityRows::project: where it writes dt² E of each density constraint; empty: not watched.
    View<float> densityEnergy(const StepContext& step);
    // After the local step of a round: g goes to the status.
    void evaluate(const StepContext& step, const DensityRows& density, const CoupledRows& rows, int round);

private:
    Buffer<float> m_densityEnergy{exec};
    Buffer<double> m_terms{exec}, m_sum{exec, 1};
    Buffer<ObjectiveState> m_state{exec, 1};
};

}  // namespace coalesce
