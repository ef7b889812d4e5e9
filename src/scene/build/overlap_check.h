// Bodies that start where others are: allowed, and seldom meant.
#pragma once

#include <string>
#include <vector>

#include "scene/format/scene.h"

namespace coalesce {

// Particles of a body that start exactly where a particle of its own or of an earlier body does.
struct Coincidence {
    std::string body, other;  // names
    size_t count = 0;
    Vec3 first{};  // [m]
};
// One for each pair of bodies; bodies with jitter are left out, and scenes of more than 2^22 particles.
std::vector<Coincidence> coincidences(const Scene& scene);

// Two bodies, or copies of one, that start inside each other: their particles are nearer than 0.87 of
// contact. Two lattices that overlap by half a spacing come that near wherever they stand.
struct StartOverlap {
    std::string body, other;  // names; "bunny.3" of copies
    size_t pairs = 0;
};
// Bodies with jitter count too; scenes of more than 2^20 particles, or of more than 4096 bodies, are left
// out.
std::vector<StartOverlap> startOverlaps(const Scene& scene);

}  // namespace coalesce
