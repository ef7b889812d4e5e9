// Distance and winding number of a triangle mesh. The winding number defines the inside also for meshes that
// are open, self-intersecting, or have some inverted triangles.
#pragma once

#include <span>
#include <vector>

#include "geometry/math/vec3d.h"
#include "geometry/mesh/mesh.h"

namespace coalesce {

class MeshDistance {
public:
    explicit MeshDistance(const TriangleMesh& mesh);

    struct Closest {
        double distance = 0;    // [m]
        Vec3d point{};          // on the mesh
        uint32_t triangle = 0;  // index in the mesh
    };
    Closest closest(Vec3d p) const;

    // Σ solid angles / 4π: 1 inside a closed mesh, 0 outside, fractional near holes. Groups of triangles
    // farther away than `reach` times their radius are approximated by a dipole; at 2 the error is about
    // 0.05. Jacobson et al. 2013, "Robust inside-outside segmentation"; Barill et al. 2018, "Fast winding
    // numbers"
    double windingNumber(Vec3d p, double reach = 2) const;

private:
    struct Node {
        Vec3d low, high;
        Vec3d center, normal;           // area-weighted mean of the triangles, sum of area times normal
        double radius = 0;              // of the bounding ball about `center`
        uint32_t first = 0, count = 0;  // its triangles; inner nodes: count = 0
        uint32_t next = 0;  // the node after the subtree; the first child of an inner node follows it
    };
    struct Corners {
        Vec3d a, b, c;
        uint32_t triangle;
    };
    Node nodeOver(std::span<const uint32_t> triangles, const std::vector<Vec3d>& centers) const;

    std::vector<Corners> m_triangles;  // in leaf order
    std::vector<Node> m_nodes;
};

// Share of the unit sphere that the triangle a b c covers seen from the origin; negative from behind: Ω / 4π.
// Van Oosterom and Strackee 1983.
double windingNumberOf(Vec3d a, Vec3d b, Vec3d c);

// The point of a triangle closest to p.
Vec3d closestOnTriangle(Vec3d p, Vec3d a, Vec3d b, Vec3d c);
// Shares of the corners in a point p of a triangle; (1, 0, 0) if the triangle is degenerate.
Vec3d barycentric(Vec3d p, Vec3d a, Vec3d b, Vec3d c);

}  // namespace coalesce
