// Finds bodies that start inside each other: allowed, but rarely intended.
#pragma once

#include <string>
#include <vector>

#include "scene/format/scene.h"

namespace coalesce {

// Particles of a body that start exactly at a particle of the same or of an earlier body.
struct Coincidence {
    size_t body = 0, other = 0;  // indices of bodies
    size_t count = 0;
    Vec3 first{};  // [m]
};
// One for each pair of bodies. Ignores bodies with jitter.
std::vector<Coincidence> coincidences(const Scene& scene);

// Two bodies, or copies of one, that start inside each other: their particles are closer than 0.87 times the
// contact distance, as those of two lattices that overlap by half a spacing are, whatever their offset.
struct StartOverlap {
    size_t body = 0, other = 0;   // indices of bodies
    std::string name, otherName;  // "bunny.3" of copies
    size_t pairs = 0;             // of particles
};
// Includes bodies with jitter. Ignores scenes of more than 4096 bodies, copies included.
std::vector<StartOverlap> startOverlaps(const Scene& scene);

}  // namespace coalesce
