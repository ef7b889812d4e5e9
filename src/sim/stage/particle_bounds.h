// Where particles are. Reads back from the device: between frames only.
#pragma once

#include <optional>

#include "core/buffer.h"
#include "kernels/math/integer_box.h"
#include "sim/world/world.h"

namespace coalesce {

// Bounds of all particles with finite positions [m]; nullopt: there are none. box: one element, overwritten.
std::optional<Bounds> boundsOfParticles(const World& world, Buffer<IntegerBox>& box);
// Of the particles of the groups first … first + count − 1.
std::optional<Bounds> boundsOfGroups(const World& world, uint32_t first, uint32_t count);

}  // namespace coalesce
