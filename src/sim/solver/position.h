// Position-based dynamics: one substep. [UPP14] Algorithm 1
#pragma once

#include "sim/solver/stages.h"

namespace coalesce {

void substepPosition(Stages& stages, const StepContext& step);

}  // namespace coalesce
