// A triangle mesh as plain data.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/math/vec.h"

namespace coalesce {

using Triangle = std::array<uint32_t, 3>;  // vertices, counterclockwise seen from outside

// An axis-aligned box.
struct Box {
    Vec3 low{}, high{};  // [m]
};

struct TriangleMesh {
    std::vector<Vec3> vertices;  // [m]
    std::vector<Vec3> normals;   // unit, one per vertex; or empty
    std::vector<Triangle> triangles;
};

Box boundsOf(const TriangleMesh& mesh);
double volumeOf(const TriangleMesh& mesh);  // [m³] enclosed; negative when inside out
double areaOf(const TriangleMesh& mesh);    // [m²]

// For every vertex the area-weighted mean of its triangles' normals.
std::vector<Vec3> smoothNormals(const TriangleMesh& mesh);

// The triangles with vertices of equal position taken together.
std::vector<Triangle> weldedTriangles(const TriangleMesh& mesh);
// Every edge, by position, is run through as often one way as the other.
bool isClosed(const TriangleMesh& mesh);

}  // namespace coalesce
