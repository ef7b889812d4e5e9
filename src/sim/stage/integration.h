// Prediction, and velocities from what happened.
#pragma once

#include "sim/stage/device_world.h"

namespace coalesce {

class Motion {
public:
    // v += dt a of the force fields, and the drag of the air on single particles
    void applyFields(World& world, DeviceWorld& device, int substep, float dt);
    // v += dt g, x* = x + dt v
    void predict(World& world, DeviceWorld& device, float dt);
    // v = (x* − x)/dt, x = x*; impacts bounce
    void finalize(World& world, DeviceWorld& device, const Contacts& contacts, View<Vec3> accumulatedImpulse,
                  float dt);
};

}  // namespace coalesce
