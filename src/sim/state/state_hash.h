// Hash of the state of a run.
#pragma once

#include <cstdint>

namespace coalesce {

struct World;

// Sum over particles of a mix of id and all State arrays, then time, step and counts. Independent of storage
// order, threads and device. −0 counts as +0. Fails (Exit::Simulation) on a value that is not finite.
uint64_t stateHash(const World& world);

}  // namespace coalesce
