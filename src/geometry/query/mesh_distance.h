// Distance to a triangle mesh, and how often it winds round a point: what is inside, also for meshes that are
// open, cut themselves or have a few triangles the wrong way round.
#pragma once

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
        uint32_t triangle = 0;  // counted as in the mesh
    };
    Closest closest(Vec3d p) const;

    // Σ solid angles / 4π: 1 inside a closed mesh, 0 outside, in between near holes. A group of triangles
    // further away than `reach` times its radius counts as one dipole; at 2 the sum is right to about 0.05.
    // Jacobson et al. 2013, "Robust inside-outside segmentation"; Barill et al. 2018, "Fast winding numbers"
    double windingNumber(Vec3d p, double reach = 2) const;

private:
    struct Node {
        Vec3d low, high;
        Vec3d center, normal;           // area-weighted mean of the triangles, sum of area times normal
        double radius = 0;              // of a ball about `center` that contains the triangles
        uint32_t first = 0, count = 0;  // leaf: its triangles; inner: count = 0, children first and first + 1
    };
    struct Corners {
        Vec3d a, b, c;
        uint32_t triangle;
    };
    void build(uint32_t node, size_t begin, size_t end, const std::vector<Vec3d>& centers);

    std::vector<Corners> m_triangles;  // in leaf order
    std::vector<Node> m_nodes;
};

// The point of a triangle nearest to p.
Vec3d closestOnTriangle(Vec3d p, Vec3d a, Vec3d b, Vec3d c);

}  // namespace coalesce
