// From a shape's description to what a convex, field or mesh shape is made of.
#pragma once

#include "scene/format/scene.h"

namespace coalesce {

// Equal forms are made once while someone uses them. Null for a plane, box, sphere or capsule. Throws what
// makeSolid(), convexHull() and bakeVolume() throw; `notes` gets what they have to say.
std::shared_ptr<const ShapeGeometry> geometryOf(const Scene& scene, const Shape& shape,
                                                std::vector<std::string>* notes = nullptr);

}  // namespace coalesce
