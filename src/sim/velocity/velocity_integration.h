// Positions from velocities in the velocity-level method: kernels of integrate_velocity.h.
#pragma once

#include "sim/contact/shape_contacts.h"
#include "sim/solid/shape_matching.h"

namespace coalesce {

class VelocityIntegration : Stage {
public:
    using Stage::Stage;

    // Velocities of what is anchored to shapes.
    void moveAnchored(const StepContext& step);
    // Elastic constraints act on the positions x + dt v: call between these two. What they move is an
    // impulse. massScale: of particles of rigid bodies, see ContactImpulses.
    void beginElastic(const StepContext& step);
    void endElastic(const StepContext& step, View<const float> massScale);
    // x* = x + dt v; rigid bodies turn about their centers.
    void integrate(const StepContext& step, ShapeMatching& bodies);
    // End of the substep: x = x*, velocities at shapes, sleeping, quarantine.
    void finish(const StepContext& step, ShapeContacts& shapes);

private:
    Buffer<Vec4> m_before{exec};  // [m] x + dt v
};

}  // namespace coalesce
