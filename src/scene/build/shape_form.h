// Geometry of convex, field and mesh shapes.
#pragma once

#include "scene/format/scene.h"

namespace coalesce {

// Shared by equal shapes while in use. Null for a plane, box, sphere or capsule. Throws what makeSolid(),
// convexHull() and bakeVolume() throw; `notes` receives their notes.
std::shared_ptr<const ShapeGeometry> geometryOf(const Scene& scene, const Shape& shape,
                                                std::vector<std::string>* notes = nullptr);

}  // namespace coalesce
