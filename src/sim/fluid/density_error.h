// The density error of the liquids at the end of a frame, for display. Kernels of density_error_terms.h.
#pragma once

#include "sim/stage/step_context.h"

namespace coalesce {

class DensityError : Stage {
public:
    using Stage::Stage;

    // Mean and maximum go to the status, where the world watches convergence.
    void find(const StepContext& step);

private:
    Buffer<double> m_error{exec}, m_liquid{exec}, m_errorSum{exec, 1}, m_liquidSum{exec, 1};
    Buffer<float> m_negative{exec}, m_least{exec, 1};
};

}  // namespace coalesce
