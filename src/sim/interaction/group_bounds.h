// Where the particles of some groups are. Reads back from the device: between frames only.
#pragma once

#include <optional>

#include "sim/world/world.h"

namespace coalesce {

// Bounds of the particles of the groups first … first + count − 1 [m]; nullopt: they have none.
std::optional<Bounds> boundsOfGroups(const World& world, uint32_t first, uint32_t count);

}  // namespace coalesce
