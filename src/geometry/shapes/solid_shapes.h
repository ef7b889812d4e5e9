// Procedural shapes by name. Each is an implicit function from which particles, distances and triangles
// derive.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "geometry/mesh/mesh.h"
#include "geometry/sdf/implicit.h"
#include "geometry/shapes/skeleton.h"
#include "geometry/shapes/solid_spec.h"

namespace coalesce {

struct SolidNumberInfo {
    const char* name;
    float value, min, max;
    const char* about;
};

struct SolidShapeInfo {
    const char* name;
    const char* about;
    std::span<const SolidNumberInfo> numbers;
};

// All shapes, in documentation order.
std::span<const SolidShapeInfo> solidShapes();

// A shape in its own frame: y up, z forward, about one unit high.
struct SolidForm {
    Implicit distance;
    Box3d bounds;         // contains the shape
    bool tight = false;   // bounds touch the shape on all sides
    bool exact = false;   // distance is Euclidean inside and outside
    double crease = 0;    // [degrees] normals that differ by more form a sharp edge; 0: smooth
    TriangleMesh mesh{};  // of its surface, if known; else it is polygonized
    double cell = 0.05;   // cell size of its triangles, relative to the height
    Skeleton skeleton{};  // no bones: it has none
};

// numbers: all declared ones. size: requested bounds, or zero; used by box-like shapes, other shapes keep
// their proportions and are scaled by the caller.
SolidForm solidForm(const std::string& name, const SolidNumbers& numbers, uint64_t seed, Vec3d size);

}  // namespace coalesce
