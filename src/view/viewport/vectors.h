// Conversion between the vectors of the solver and of glm.
#pragma once

#include <glm/glm.hpp>

#include "kernels/math/vec.h"

namespace coalesce {

inline Vec3 toVec3(glm::vec3 a) {
    return {a.x, a.y, a.z};
}
inline glm::vec3 toGlm(Vec3 a) {
    return {a.x, a.y, a.z};
}

}  // namespace coalesce
