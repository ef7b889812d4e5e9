// Particles of a solid.
#pragma once

#include <string>
#include <vector>

#include "geometry/shapes/solid.h"
#include "kernels/math/vec.h"

namespace coalesce {

struct Sample {
    Vec3 x;          // [m] rest place, in the solid's frame
    float distance;  // [m] signed, never positive
    Vec3 normal;     // unit gradient of the distance
};

// A lattice of `spacing` about the middle of the bounds; taken are the points inside, each the center of its
// cell. Along every axis the middle lies either on a point or between two, whichever brings the number of
// points nearest to volume / spacing³; hence a mirrored shape stays mirrored and a box of n spacings has n
// layers. Shapes thinner than the lattice take the nearest points outside as well until the volume is met.
// Never empty. Ordered by z, y, x. Fails (Exit::Scene) beyond 2^27 lattice points.
std::vector<Sample> sampleSolid(const Solid& solid, float spacing, const std::string& where = {});

// Points of the surface, no two of one side nearer than 0.8 spacings, and none of the surface much further
// than one spacing from the nearest. The two sides of a thin wall are sampled on their own. Dart throwing in
// a fixed order. distance is 0. Fails (Exit::Scene) beyond 2^25 darts.
std::vector<Sample> sampleSurface(const Solid& solid, float spacing, const std::string& where = {});

// Fails (Exit::Scene) where one of the two would, without sampling. where: in the user's file, for messages.
void requireRoom(const Solid& solid, float spacing, bool surface, const std::string& where = {});

}  // namespace coalesce
