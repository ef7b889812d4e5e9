// Particles and distance constraints of cloth and ropes, before they are added to a world.
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
constexpr int kClothEdgeKinds = 4;
// DistanceConstraint::hold of an edge.
inline uint32_t springParamsIndex(uint32_t material, ClothEdgeKind kind) {
    return (material * kClothEdgeKinds + uint32_t(kind)) | (kind == ClothEdgeKind::tether ? kTether : 0);
}

struct ClothEdge {
    uint32_t a, b;  // particles of the body
    ClothEdgeKind kind;
    float length;  // [m] at rest
};

// Particles, the constraints between them, and triangles.
struct ClothMesh {
    std::vector<Vec3> points;         // [m]
    std::vector<Triangle> triangles;  // of points; none of a rope
    std::vector<ClothEdge> links;     // without long-range attachments
    std::vector<float> share;         // [m²] of the cloth, or [m] of the rope, that each particle represents
};

// nx · nz particles, `step` apart, about the origin in the plane y = 0; x runs fastest. Stretch along both
// directions, shear along both diagonals of every cell, bending over two cells.
ClothMesh makeGrid(int nx, int nz, float step);
// A particle for every vertex of a mesh; vertices at equal positions are merged. Stretch along the edges,
// bending between the two corners opposite an edge.
ClothMesh makeClothMesh(const TriangleMesh& mesh);
// Particles along a curve, the first and the last at its ends: stretch to the next, bending to the second
// next.
ClothMesh makeRope(std::span<const Vec3> points);

// Long-range attachments from every particle to the anchor that is nearest along stretch and shear edges.
// Their length is that of the path, times 1 + slack. Particles that no anchor reaches have none.
std::vector<ClothEdge> makeTethers(const ClothMesh& cloth, std::span<const uint32_t> anchors, float slack);

}  // namespace coalesce
