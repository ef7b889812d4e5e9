// Hash grid of the particles spawned in this frame; rejects overlapping spawns.
#pragma once

#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/hash.h"
#include "kernels/math/vec.h"

namespace coalesce {

// Balls in cells of a hash table; results do not depend on the order of the table.
class OccupancyGrid {
public:
    // largest: upper bound of the radii [m]
    explicit OccupancyGrid(float largest) : m_cell(2 * largest) {}

    void add(Vec3 center, float radius) { m_cells[keyOf(cellOf(center))].push_back({center, radius}); }
    // Whether a ball of this radius [m] overlaps no other.
    bool isFree(Vec3 center, float radius) const {
        const Cell at = cellOf(center);
        for (int64_t dz = -1; dz <= 1; ++dz)
            for (int64_t dy = -1; dy <= 1; ++dy)
                for (int64_t dx = -1; dx <= 1; ++dx) {
                    const auto found = m_cells.find(keyOf({at.x + dx, at.y + dy, at.z + dz}));
                    if (found == m_cells.end()) continue;
                    for (const Ball& ball : found->second)
                        if (length(ball.center - center) < ball.radius + radius) return false;
                }
        return true;
    }

private:
    struct Ball {
        Vec3 center;
        float radius;
    };
    struct Cell {
        int64_t x, y, z;
    };
    Cell cellOf(Vec3 p) const {
        const auto along = [&](float a) { return static_cast<int64_t>(std::floor(double{a} / m_cell)); };
        return {along(p.x), along(p.y), along(p.z)};
    }
    // a hash collision only adds candidates
    static uint64_t keyOf(const Cell& c) {
        return mixIn(mixIn(mixIn(0, static_cast<uint64_t>(c.x)), static_cast<uint64_t>(c.y)),
                     static_cast<uint64_t>(c.z));
    }

    double m_cell;
    std::unordered_map<uint64_t, std::vector<Ball>> m_cells;
};

}  // namespace coalesce
