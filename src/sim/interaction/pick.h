// Picking: the particle under a ray, and the position of a particle. Both read back from the device: between
// frames only.
#pragma once

#include <optional>

#include "sim/world/world.h"

namespace coalesce {

struct Picked {
    uint32_t id;     // of the particle
    float distance;  // [m] along the ray, to where it passes nearest
};
// The first particle, of any material, that the ray passes at less than 0.8 of its radius; of several at the
// same distance the lowest id. The direction need not have unit length, but must not be 0.
std::optional<Picked> pick(const World& world, Vec3 origin, Vec3 direction);

// Position of the particle with this id [m]; nullopt: there is none.
std::optional<Vec3> placeOf(const World& world, uint32_t id);

}  // namespace coalesce
