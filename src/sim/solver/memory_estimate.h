// Estimate of the device memory that a scene needs, before anything is allocated.
#pragma once

#include <span>

#include "sim/world/world.h"

namespace coalesce {

// [B]
struct SolverMemory {
    size_t state = 0;    // particles, bodies, and their backup for a redone frame
    size_t lists = 0;    // neighbors, contacts
    size_t scratch = 0;  // sorting, contacts, intermediate arrays
    size_t shapes = 0;   // distance fields
    size_t total() const { return state + lists + scratch + shapes; }
};

// particles: number of each material. Without shapes, whose size the scene knows.
SolverMemory estimateMemory(std::span<const size_t> particles, const Parameters& parameters,
                            std::span<const Material> materials);

}  // namespace coalesce
