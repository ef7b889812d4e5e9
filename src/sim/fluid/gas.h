// Gases: inertia, buoyancy, baroclinic turbulence. Kernels of gas_forces.h. The drag at the free surface acts
// with the air drag of all materials, see ApplyForceFields.
#pragma once

#include "sim/fluid/density.h"

namespace coalesce {

class Gas : Stage {
public:
    using Stage::Stage;

    // Before the prediction: inertia of light fluids; cooling and lift of warm ones.
    void applyBuoyancy(const StepContext& step);
    // At the end of a substep: vorticity, and its force on velocities.
    void applyTurbulence(const StepContext& step, const DensityConstraint& density);
};

}  // namespace coalesce
