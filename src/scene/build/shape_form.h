// Geometry of convex, sdf and mesh shapes, at rest and deforming.
#pragma once

#include <array>

#include "geometry/shapes/solid.h"
#include "geometry/shapes/surface_animation.h"
#include "scene/format/scene.h"

namespace coalesce {

// Shared by equal shapes while in use. Null for a plane, box, sphere or capsule. Throws what makeSolid(),
// convexHull() and bakeVolume() throw; `notes` receives their notes.
std::shared_ptr<const ShapeGeometry> geometryOf(const Scene& scene, const Shape& shape,
                                                std::vector<std::string>* notes = nullptr);

// The solid of a convex, sdf or mesh that is made of a file and does not deform; null otherwise.
std::shared_ptr<const Solid> solidOfFile(const Scene& scene, const Shape& shape);
// [m] of the grid of an sdf with these bounds, and its nodes along x, y and z
float cellOf(const Shape& shape, const Box& bounds);
std::array<int, 3> gridOf(const Shape& shape, const Box& bounds);
// The surface of an sdf that is made of a sequence of mesh files; null otherwise.
std::shared_ptr<const AnimatedSurface> sequenceOf(const Scene& scene, const Shape& shape);

// Adds what is noted of the mesh file of a shape, if it has one.
void noteMesh(const Scene& scene, const Shape& shape, std::vector<std::string>& notes);

// The same for any shape; sets its geometry, and how it deforms.
void buildForm(const Scene& scene, Shape& shape, std::vector<std::string>* notes = nullptr);

}  // namespace coalesce
