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

// Area-weighted vertex normals.
std::vector<Vec3> smoothNormals(const TriangleMesh& mesh);

// Triangles after merging vertices of equal position.
std::vector<Triangle> weldedTriangles(const TriangleMesh& mesh);
// Whether every edge, by position, occurs equally often in both directions.
bool isClosed(const TriangleMesh& mesh);

}  // namespace coalesce
