// Samples of the surfaces of shapes, for boundary particles.
#pragma once

#include <span>
#include <vector>

#include "sim/world/world.h"

namespace coalesce {

// Least distance of two samples [m]: fluid.boundarySpacing of the finest liquid. 0: no boundary particles, by
// fluid.boundary, in a planar world, or without liquids.
float sampleDistance(const Parameters& parameters, std::span<const Material> materials);

// Whether boundary particles stand for the shape. Planes are unbounded, and exact as half spaces; the samples
// of a surface that deforms would not keep their distances; triggers do not touch anything.
bool isSampled(const Shape& shape);

// Points on the surface of a shape, in its frame [m], by dart throwing in a fixed order: no two on one side
// are closer than `apart`, and no part of the surface is much farther than 1.25 apart from a
// point. Both sides of a thin wall are sampled. Equal shapes give equal points. Fails
// (Exit::Scene) for a surface of more than 10^6 apart².
std::vector<Vec3> sampleShape(const Shape& shape, float apart);
// Fails if sampling would, without sampling.
void requireSampleRoom(const Shape& shape, float apart);

}  // namespace coalesce
