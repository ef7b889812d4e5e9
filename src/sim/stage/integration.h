// Time integration: external forces, prediction, and velocities from the change of position.
#pragma once

#include "sim/stage/step_context.h"

namespace coalesce {

class Integration : Stage {
public:
    using Stage::Stage;

    // v += dt a of the force fields, and the drag of the air on single particles
    void applyForceFields(const StepContext& step);
    // v += dt g, x* = x + dt v
    void predict(const StepContext& step);
    // of x*, before the first correction
    void findRoundingErrors(const StepContext& step);
    // v = (x* − x)/dt, x = x*; impacts on shapes bounce
    void updateVelocities(const StepContext& step, const Contacts& contacts, View<Vec3> accumulatedImpulse);
    // Least time in which a particle moves by its radius, into the status; with solver.timeStep cfl.
    void findCrossingTime(const StepContext& step);
};

}  // namespace coalesce
