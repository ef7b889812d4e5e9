// What an exported file holds of the particles: columns on the host, in the order of ids.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "sim/world/world.h"

namespace coalesce {

// One column of numbers: `width` of them for each particle, side by side.
struct Column {
    std::string name;
    int width = 1;
    std::variant<std::vector<float>, std::vector<int32_t>, std::vector<uint32_t>> numbers;
};

// Column 0 is the position "P" [m]; then velocity [m/s], id, material and group (both counted from 0), phi
// (volume fraction of liquids [-], 0 of others), and the channels of the scene.
struct ParticleTable {
    size_t particles = 0;
    double time = 0;  // [s]
    uint64_t frame = 0;
    std::vector<Column> columns;
};

// Copies the arrays from the machine of the world; sorts by id, so that the same state gives the same table
// whatever the order of storage.
ParticleTable takeTable(const World& world);

}  // namespace coalesce
