// Repairs what is broken in meshes from modeling programs, and reports what cannot be repaired.
#pragma once

#include <cstddef>
#include <string>

#include "geometry/mesh/mesh.h"

namespace coalesce {

struct MeshReport {
    size_t degenerate = 0, duplicates = 0;  // triangles removed: without area; equal to an earlier one
    size_t flipped = 0;                     // triangles turned, to agree with their neighbors
    size_t components = 0;                  // connected by vertices of equal position
    size_t holes = 0;                       // loops of edges with a single triangle
    bool closed = false;                    // every edge occurs equally often in both directions
    double volume = 0;                      // [m³] enclosed
    double openShare = 0;  // [-] of the area without an inside: winding number below 3/4 behind the surface
};

// Above this share of its area without an inside, a mesh is a sheet and not the surface of a solid.
constexpr double kSheetShare = 0.5;

// Vertices stay as they are; triangles keep their order. Triangles are turned to agree with the majority, by
// area, of those they are connected to by edges of two triangles; parts that are inside out are turned unless
// they are cavities of others; all are turned when the volume is negative. Pieces that are not
// orientable stay as they are.
TriangleMesh repairMesh(TriangleMesh mesh, MeshReport& report);

// Cones of triangles over the rims: edges that triangles pass more often in one direction than in the other.
// Together with the mesh they are closed. Rims that share vertices have one cone, with its tip in their middle.
TriangleMesh coversOfRims(const TriangleMesh& mesh);

// What was repaired and what remains, as a sentence without a subject; empty: nothing.
std::string describe(const MeshReport& report);

}  // namespace coalesce
