// The color field at a flat surface, which says where the surface of a liquid lies in the field.
#pragma once

namespace coalesce {

struct FlatSurface {
    float level;  // φ at the surface, d/2 above the first layer of particles
    float layer;  // φ at a particle of the first layer
};

// Of a half-space filled with a cubic lattice. radius: R/d
FlatSurface measureFlatSurface(double radius, bool anisotropic);

}  // namespace coalesce
