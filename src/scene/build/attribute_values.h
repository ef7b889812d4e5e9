// What the particles of a body carry in the scene's channels at the start.
#pragma once

#include <span>
#include <vector>

#include "scene/format/scene.h"

namespace coalesce {

// The value of a list of one or three numbers, as a file gives it; rest: 0.
AttributeValue attributeValue(const std::vector<double>& numbers);

// For each place [m] of the body's particles one value for each channel of the scene, a particle's side by
// side; empty when the body gives none.
std::vector<AttributeValue> attributeValues(const Scene& scene, const Body& body,
                                            std::span<const Vec3> places);

}  // namespace coalesce
