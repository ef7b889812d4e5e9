// The velocity-level method: one substep. [SPR14]
#pragma once

#include "sim/solver/stages.h"

namespace coalesce {

void substepVelocity(Stages& stages, const StepContext& step);

}  // namespace coalesce
