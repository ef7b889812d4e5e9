// Capacities of neighbor lists, contacts and cells: planned at the start of a frame, adapted after it.
#pragma once

#include "sim/stage/device_world.h"
#include "sim/world/status.h"

namespace coalesce {

// At the start of a frame: first capacities, and keys of the grid that fit the particles.
void planCapacities(const World& world, DeviceWorld& device);
// Keys for the current positions alone; frames plan those of later frames from the status.
void planKeys(const World& world, DeviceWorld& device);

// After a frame: enlarges what was too small and returns true when the frame must be redone (policy grow);
// throws (policy fail); marks the status as truncated (policy clamp). Without overflow, lets the keys follow
// the particles and shrinks what is far too large.
bool growCapacities(const World& world, DeviceWorld& device, Status& status);

}  // namespace coalesce
