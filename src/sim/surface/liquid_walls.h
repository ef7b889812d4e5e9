// Flat walls that hold the liquids of a world.
#pragma once

#include "kernels/surface/surface_walls.h"
#include "sim/world/world.h"

namespace coalesce {

// Planes, and boxes that contain: flat on the side of the particles. No triggers.
bool isFlatWall(const Shape& shape);
// The flat walls that hold all of a liquid, at the time of the world; the first kMostWalls.
SurfaceWalls wallsOf(const World& world, uint32_t material);

}  // namespace coalesce
