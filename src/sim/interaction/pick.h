// Which particle is under a ray, and where one is. Both read back from the machine: between frames only.
#pragma once

#include <optional>

#include "sim/world/world.h"

namespace coalesce {

struct Picked {
    uint32_t id;     // of the particle
    float distance;  // [m] along the ray, to where it passes nearest
};
// The first particle, of any material, that the ray passes at less than 0.8 of its radius; of several at one
// distance the lowest id. The direction needs no unit length, but must not be 0.
std::optional<Picked> pick(const World& world, Vec3 origin, Vec3 direction);

// Where the particle with this id is [m]; nullopt: it does not live.
std::optional<Vec3> placeOf(const World& world, uint32_t id);

}  // namespace coalesce
