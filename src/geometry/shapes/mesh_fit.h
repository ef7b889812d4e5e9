// How the coordinates of a mesh file become those of a solid: meters, Y up, the middle of the bounds at the
// origin unless the solid keeps that of the file.
#pragma once

#include <string>

#include "geometry/math/vec3d.h"
#include "geometry/mesh/mesh.h"
#include "geometry/shapes/solid_spec.h"

namespace coalesce {

class MeshFit {
public:
    // mesh: as read from the file. Fails (Exit::Scene) when it cannot be scaled to
    // spec.height because it is flat, or when spec.metersPerUnit gives it a size that a scene
    // cannot hold, or when it keeps an origin far away from it.
    MeshFit(const TriangleMesh& mesh, const SolidSpec& spec, const std::string& file);

    // Vertices and normals of this mesh, or of another one of the same sequence.
    void apply(TriangleMesh& mesh) const;
    // A point of the solid in the coordinates of the file, and a displacement
    // [units] of the file in those of the solid [m].
    Vec3d toFile(Vec3 p) const;
    Vec3 displacement(Vec3d inFile) const;
    Vec3d center() const { return m_center; }    // [m] of the bounds
    Vec3d halfExtent() const { return m_half; }  // [m] of the bounds
    // Whether the bounds have no extent along an axis, so that they enclose nothing.
    bool isFlat() const { return m_flat; }

private:
    Vec3d turned(Vec3d p) const;

    UpAxis m_up;
    Vec3d m_origin;  // of the solid, in turned coordinates of the file
    Vec3d m_scale, m_center, m_half;
    bool m_flat = false;
};

}  // namespace coalesce
