// Saved states and state hashes.
#pragma once

#include <cstdint>
#include <filesystem>

#include "sim/world/world.h"

namespace coalesce {

// Sum over particles of a mix of id and all State arrays, then time, step and counts. Independent of storage
// order, threads and machine. −0 counts as +0. Fails (Exit::Simulation) on a value that is not finite.
uint64_t stateHash(World& world);

// Writes particles, time and counts, atomically (part file, then rename); parameters, materials and shapes
// are the scene's. Exit::Output.
void saveState(const World& world, const std::filesystem::path& file);
// Reads it back into a world built from the same scene. A file that is corrupt, of another version or of
// another scene is refused with the reason, and the world stays as it was. Exit::Scene.
void loadState(World& world, const std::filesystem::path& file);

}  // namespace coalesce
