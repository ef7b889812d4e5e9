// Initial values of attributes.
#pragma once

#include <span>
#include <vector>

#include "scene/format/scene.h"

namespace coalesce {

// The attributes of the scene, and those that its gases carry.
std::vector<AttributeInfo> attributesOf(const Scene& scene);

// The value of one or three numbers of a file; other components are 0.
AttributeValue attributeValue(const std::vector<double>& numbers);

// Values of all attributes for particles at these positions [m], contiguous per particle; empty
// when the body sets none.
std::vector<AttributeValue> attributeValues(const Scene& scene, const Body& body,
                                            std::span<const Vec3> positions);

}  // namespace coalesce
