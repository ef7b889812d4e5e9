// Time integration: external forces, prediction, and velocities from the change of position.
#pragma once

#include "kernels/motion/substep_end.h"
#include "sim/stage/step_context.h"

namespace coalesce {

struct FindRoundingErrors;
struct UpdateVelocities;

SubstepEnd substepEnd(const StepContext& step);

class Integration : Stage {
public:
    using Stage::Stage;

    // v += dt a of the force fields, and the drag of the air on single particles
    void applyForceFields(const StepContext& step);
    // v += dt g, x* = x + dt v
    void predict(const StepContext& step);
    // What rounding x* of liquids has left out: the kernel, for the first stage that corrects x*.
    static FindRoundingErrors roundingErrorKernel(const StepContext& step);
    // v = (x* − x)/dt, x = x*; impacts on shapes bounce: the kernel, for ShapeContacts::resolvePenetration
    UpdateVelocities updateVelocitiesKernel(const StepContext& step, const Contacts& contacts,
                                            View<Vec3> accumulatedImpulse) const;
    // Least time in which a particle moves by its radius, into the status; with solver.timeStep cfl.
    void findCrossingTime(const StepContext& step);
};

}  // namespace coalesce
