#include "geometry/math/occupancy_grid.h"

#include <vector>

#include "geometry/math/hash_grid.h"

namespace coalesce {

struct OccupancyGrid::Balls {
    explicit Balls(float largest) : grid(2 * largest) {}

    HashGrid grid;  // of the centers
    std::vector<Vec3> centers;
    std::vector<float> radii;  // [m]
};

OccupancyGrid::OccupancyGrid(float largest) : m_balls(std::make_unique<Balls>(largest)) {}
OccupancyGrid::~OccupancyGrid() = default;

void OccupancyGrid::add(Vec3 center, float radius) {
    m_balls->grid.add(toDouble(center));
    m_balls->centers.push_back(center);
    m_balls->radii.push_back(radius);
}

bool OccupancyGrid::isFree(Vec3 center, float radius) const {
    bool free = true;
    m_balls->grid.forEachCandidate(toDouble(center), [&](uint32_t k) {
        free &= !(length(m_balls->centers[k] - center) < m_balls->radii[k] + radius);
    });
    return free;
}

}  // namespace coalesce
