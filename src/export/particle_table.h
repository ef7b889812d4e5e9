// Particle data of an exported file: columns in host memory, ordered by id.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "sim/world/world.h"

namespace coalesce {

// A column with `width` interleaved numbers per particle.
struct Column {
    std::string name;
    int width = 1;
    std::variant<std::vector<float>, std::vector<int32_t>, std::vector<uint32_t>> numbers;
};

// Column 0 is the position "P" [m]; then velocity [m/s], id, material and group (counted from 0), phi (volume
// fraction of liquids [-], 0 for others), and the attributes of the scene.
struct ParticleTable {
    size_t particles = 0;
    double time = 0;  // [s]
    uint64_t frame = 0;
    std::vector<Column> columns;
};

// Downloads the arrays and sorts by id, so that the same state gives the same table regardless of storage
// order.
ParticleTable takeTable(const World& world);

// Spray, foam, bubbles and markers of smoke, ordered by id: P, velocity, id, class (0 spray, 1 foam, 2 bubble, 3 smoke),
// material (that made it), age and life [s], radius [m] as drawn before its variations.
ParticleTable takePassiveTable(const World& world);
// Whether a world has passive particles, or materials that make them.
bool hasPassives(const World& world);

}  // namespace coalesce
