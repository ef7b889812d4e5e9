// Forces of liquids on velocities: XSPH viscosity and vorticity confinement.
#pragma once

#include "sim/fluid/density.h"

namespace coalesce {

class Viscosity : Stage {
public:
    using Stage::Stage;

    // XSPH viscosity; writes the volume fraction at the end of the substep too.
    void applyXsph(const StepContext& step, DensityConstraint& density);
    void confineVorticity(const StepContext& step, const DensityConstraint& density);
};

}  // namespace coalesce
