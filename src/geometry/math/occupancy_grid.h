// Balls that occupy space; rejects overlapping spawns.
#pragma once

#include <vector>

#include "geometry/math/hash_grid.h"
#include "kernels/math/vec.h"

namespace coalesce {

class OccupancyGrid {
public:
    // largest: upper bound of the radii [m]
    explicit OccupancyGrid(float largest) : m_grid(2 * largest) {}

    void add(Vec3 center, float radius) {
        m_grid.add(toDouble(center));
        m_balls.push_back({center, radius});
    }
    // Whether a ball of this radius [m] overlaps no other.
    bool isFree(Vec3 center, float radius) const {
        bool free = true;
        m_grid.forEachCandidate(toDouble(center), [&](uint32_t k) {
            free &= !(length(m_balls[k].center - center) < m_balls[k].radius + radius);
        });
        return free;
    }

private:
    struct Ball {
        Vec3 center;
        float radius;
    };
    HashGrid m_grid;
    std::vector<Ball> m_balls;
};

}  // namespace coalesce
