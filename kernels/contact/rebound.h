// The bounce of particles and round bodies off shapes.
#pragma once

#include "kernels/math/vec.h"

namespace coalesce {

// Speed along the normal of a contact [m/s] at the end of a substep in which the center, by its predicted path, was thrown
// back: gravity goes on acting before and after the impact. impact: speed along the normal before, below 0 [m/s]; gravity:
// acceleration along the normal [m/s²]; gap: distance of the predicted center from the plane [m]. See UpdateVelocities.
HD float reboundSpeed(float restitution, float gravity, float impact, float gap, float dt) {
    const float since = clamp(gap / impact, 0.0f, dt);
    return restitution * (gravity * (0.5f * dt - since) - impact) + 0.5f * gravity * dt;
}

}  // namespace coalesce
