// What holds cloth and ropes together before they are born: which particles are joined, how, and how far
// apart.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "geometry/mesh/mesh.h"
#include "kernels/cloth/distance_constraint.h"

namespace coalesce {

// A material has a stiffness and a compliance for each.
enum class ClothEdgeKind : uint8_t { stretch, shear, bend, tether };
constexpr int kLinkKinds = 4;
// Spring::hold of a link.
inline uint32_t holdOf(uint32_t material, ClothEdgeKind kind) {
    return (material * kLinkKinds + static_cast<uint32_t>(kind)) |
           (kind == ClothEdgeKind::tether ? kTether : 0);
}

struct ClothEdge {
    uint32_t a, b;  // particles of the body
    ClothEdgeKind kind;
    float length;  // [m] at rest
};

// Particles, what joins them, and the triangles between them.
struct ClothMesh {
    std::vector<Vec3> points;         // [m]
    std::vector<Triangle> triangles;  // of points; none of a rope
    std::vector<ClothEdge> links;     // no tethers
    std::vector<float> share;         // [m²] of the sheet, or [m] of the rope, that each particle stands for
};

// nx · nz particles, `step` apart, about the origin in the plane y = 0; x runs fastest. Stretch along both
// directions, shear along both diagonals of every cell, bending over two cells.
ClothMesh makeGrid(int nx, int nz, float step);
// A particle for every vertex of a mesh, where vertices of equal place count once. Stretch along the edges,
// bending between the two corners that face each other across an edge.
ClothMesh makeClothMesh(const TriangleMesh& mesh);
// Particles along a curve, the first and the last at its ends: stretch to the next, bending to the one after.
ClothMesh makeRope(std::span<const Vec3> points);

// From every particle to the anchor that is nearest along the links of stretch and shear: it keeps the length
// of that way, longer by the share `slack`. What no anchor reaches has none.
std::vector<ClothEdge> makeTethers(const ClothMesh& cloth, std::span<const uint32_t> anchors, float slack);

}  // namespace coalesce
