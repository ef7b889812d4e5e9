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
// fraction of liquids [-], 0 for others), radius (half of the spacing [m]), and the attributes of the scene.
struct ParticleTable {
    size_t particles = 0;
    double time = 0;  // [s]
    uint64_t frame = 0;
    std::vector<Column> columns;

    // The numbers of a column that the table has, which holds this type.
    const std::vector<float>& floats(const char* name) const;
    const std::vector<uint32_t>& wholes(const char* name) const;
};
// Row of a column of vectors.
inline Vec3 vectorAt(const std::vector<float>& numbers, size_t row) {
    return {numbers[3 * row], numbers[3 * row + 1], numbers[3 * row + 2]};
}

// Downloads the arrays and sorts by id, so that the same state gives the same table regardless of storage
// order.
ParticleTable takeTable(const World& world);

// Spray, foam, bubbles and markers of smoke, ordered by id: P, velocity, id, class (0 spray, 1 foam, 2
// bubble, 3 smoke), material (that made it), age and life [s], radius [m] as drawn before its variations.
ParticleTable takePassiveTable(const World& world);
// Whether a world has passive particles, or materials that make them.
bool hasPassives(const World& world);

}  // namespace coalesce
