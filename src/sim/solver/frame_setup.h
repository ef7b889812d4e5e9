// Start of a frame: uploads constants and shapes, plans capacities, clears the status.
#pragma once

#include "sim/stage/device_world.h"

namespace coalesce {

// Uploads material constants, force fields and the poses of shapes for all substeps, plans the capacities and
// clears the status. dt: of one substep [s].
void beginFrame(World& world, DeviceWorld& device, double dt, int substeps = 1);

// Where friction remembers, each particle has a slip, zero at first. It is state: for frames that are simulated, not
// for findNeighbors().
void keepSlip(World& world, const DeviceWorld& device);

void clearStatus(DeviceWorld& device);
StatusBlock readStatus(const World& world, DeviceWorld& device);

}  // namespace coalesce
