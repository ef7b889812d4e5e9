// Projective dynamics: one substep. [PD14], [PF16] 3
#pragma once

#include "sim/solver/stages.h"

namespace coalesce {

void substepProjective(Stages& stages, const StepContext& step);

}  // namespace coalesce
