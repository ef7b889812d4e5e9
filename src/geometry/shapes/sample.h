// Sampling of solids by particles.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "geometry/math/vec3d.h"
#include "geometry/mesh/mesh.h"
#include "geometry/shapes/solid.h"
#include "kernels/math/vec.h"

namespace coalesce {

struct Sample {
    Vec3 x;          // [m] rest position, in the solid's frame
    float distance;  // [m] signed, never positive
    Vec3 normal;     // unit gradient of the distance
};

// Points of a cubic lattice of `spacing`, centered on the bounds, that are inside. Along each axis the center
// is either on a point or between two, whichever gives a count closest to volume / spacing³; so symmetric
// shapes give symmetric samples, and a box of n spacings has n layers. Shapes thinner than the lattice also
// take the closest outside points until the volume is reached. Never empty. Ordered by z, y, x. Fails
// (Exit::Scene) beyond 2^27 lattice points.
std::vector<Sample> sampleSolid(const Solid& solid, float spacing, const std::string& where = {});

// Points on the surface by dart throwing in a fixed order: no two on one side closer than 0.8 spacings, and
// no part of the surface much farther than one spacing from a point. Both sides of a thin wall are sampled
// separately. distance is 0. Fails (Exit::Scene) beyond 2^25 darts.
std::vector<Sample> sampleSurface(const Solid& solid, float spacing, const std::string& where = {});
// The same on a surface that triangles approximate. ontoSurface: moves a point of a triangle onto it.
using OntoSurface = std::function<Sample(Vec3d x, size_t triangle)>;
std::vector<Sample> sampleSurface(const TriangleMesh& mesh, float spacing, const OntoSurface& ontoSurface,
                                  const std::string& where = {});

// Fails (Exit::Scene) if sampling would, without sampling. where: position in the user's file, for messages.
void requireRoom(const Solid& solid, float spacing, bool surface, const std::string& where = {},
                 const std::string& cause = {});

}  // namespace coalesce
