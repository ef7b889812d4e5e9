// The cases of marching cubes, found from their definition.
#pragma once

#include <array>

#include "kernels/surface/marching_cubes.h"

namespace coalesce {

// Case c has the inside corners whose bit is set in c.
std::array<CubeCase, 256> makeCubeCases();

}  // namespace coalesce
