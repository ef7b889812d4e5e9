// Geometry of convex, field and mesh shapes, at rest and deforming.
#pragma once

#include "scene/format/scene.h"

namespace coalesce {

// Shared by equal shapes while in use. Null for a plane, box, sphere or capsule. Throws what makeSolid(),
// convexHull() and bakeVolume() throw; `notes` receives their notes.
std::shared_ptr<const ShapeGeometry> geometryOf(const Scene& scene, const Shape& shape,
                                                std::vector<std::string>* notes = nullptr);

// Adds what is noted of the mesh file of a shape, if it has one.
void noteMesh(const Scene& scene, const Shape& shape, std::vector<std::string>& notes);

// The same for any shape; sets its geometry, and how it deforms.
void buildForm(const Scene& scene, Shape& shape, std::vector<std::string>* notes = nullptr);

}  // namespace coalesce
