// Balls that occupy space; rejects overlapping spawns.
#pragma once

#include <memory>

#include "kernels/math/vec.h"

namespace coalesce {

class OccupancyGrid {
public:
    // largest: upper bound of the radii [m]
    explicit OccupancyGrid(float largest);
    ~OccupancyGrid();

    void add(Vec3 center, float radius);
    // Whether a ball of this radius [m] overlaps no other.
    bool isFree(Vec3 center, float radius) const;

private:
    struct Balls;  // hidden: device sources include this file, and Eigen is slow to compile there
    std::unique_ptr<Balls> m_balls;
};

}  // namespace coalesce
