// Samples of the surfaces of shapes as kernels see them; boundary_particles.h searches them.
#pragma once

#include "kernels/math/vec.h"
#include "kernels/math/view.h"

namespace coalesce {

// A grid of cubic cells over the samples of a shape, in its frame.
struct SampleCells {
    Vec3 low;            // [m] lowest corner
    float inverseCell;   // [1/m]
    int32_t nx, ny, nz;  // 0: no samples, the wall term stands for the shape
    uint32_t firstCell;  // of nx ny nz, x runs fastest
};

struct BoundaryTables {
    View<const SampleCells> shapes;  // by shape; empty: no boundary particles
    View<const uint32_t> cellStart;  // first sample of each cell, and the number of all
    View<const Vec3> samples;        // [m] in the frame of the shape
    View<const float> volumes;       // V_b [m³]
    float thickness = 0;             // t [m], see boundary_particles.h

    HD bool has(uint32_t s) const { return s < shapes.size && shapes[s].nx > 0; }
};

}  // namespace coalesce
