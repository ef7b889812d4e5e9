// Where the particles of the rows of bodies are stored now.
#pragma once

#include "sim/stage/device_world.h"

namespace coalesce {

// Writes the slot of each row's particle, kNoSlot where it does not exist.
void indexRows(const World& world, View<const GroupConstants> groups, View<uint32_t> slotOf);

// Writes SolidTables::slotOf: at the start of a frame where it is read then, and in each substep when the particles have
// been reordered.
void indexRows(World& world, const DeviceWorld& device);

}  // namespace coalesce
