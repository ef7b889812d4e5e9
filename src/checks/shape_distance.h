// Signed distance to a collision shape on the host, in double; independent of the kernels.
#pragma once

#include "geometry/math/hash_grid.h"
#include "geometry/math/rigid_fit.h"
#include "geometry/query/mesh_distance.h"
#include "sim/world/shapes.h"

namespace coalesce {

class ShapeDistance {
public:
    // The shape at its pose at a time [s]. A convex, sdf or mesh needs its geometry.
    ShapeDistance(const Shape& shape, double time);
    // Distance [m] from a point to the surface; negative inside the solid. A mesh has no inside.
    double operator()(const Vec3d& p) const;

private:
    const Shape& m_shape;
    std::shared_ptr<const MeshDistance> m_surface;  // convex, mesh; scaled
    Vec3d m_position;
    Quatd m_back;  // shape from world
};

}  // namespace coalesce
