// The procedural shapes by name. Each is declared once, as a function; particles, distances and triangles all
// come from it.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "geometry/mesh/mesh.h"
#include "geometry/sdf/implicit.h"

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

// All shapes, in the order of the documentation.
std::span<const SolidShapeInfo> solidShapes();

using SolidNumbers = std::map<std::string, float>;

// A shape in its own frame: y up, z forward, about one unit high.
struct SolidForm {
    Implicit distance;
    Box3d bounds;         // contains the shape
    bool tight = false;   // bounds touch it on all sides
    bool exact = false;   // distance is Euclidean inside and outside
    double crease = 0;    // [degrees] normals that differ by more meet at an edge; 0: all is smooth
    TriangleMesh mesh{};  // of its surface, where that is known; else it is polygonized
    double cell = 0.05;   // that its triangles need, over the height
};

// numbers: every declared one. size: what its bounds should measure, or zero; boxes and their like obey, the
// others keep their proportions and are stretched by the caller.
SolidForm solidForm(const std::string& name, const SolidNumbers& numbers, uint64_t seed, Vec3d size);

}  // namespace coalesce
