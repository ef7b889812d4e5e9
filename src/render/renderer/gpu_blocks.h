// Data layouts shared with the shaders.
#pragma once

#include <array>
#include <glm/glm.hpp>

namespace coalesce {

// As in shaders/view.glsl.
struct ViewBlock {
    glm::mat4 view, projection, viewInverse, projectionInverse, viewProjection, light;
    glm::vec4 size, clip, eye, sun, lightRange, ground, lampLight, surround;
    std::array<glm::vec4, 9> harmonics;
    glm::vec4 clipPlane;
};

struct MaterialBlock {
    glm::vec4 color, absorption, scatter, optics, foam, smoke, smokeShape;
    glm::ivec4 kind;
};

struct ShapeBlock {
    glm::vec4 position, rotation, halfExtents, color, optics;
};

// As in shaders/mesh.glsl.
struct InstanceBlock {
    glm::vec4 position{0}, rotation{0}, scale{1}, color{0};
    glm::uvec4 cluster{0};
};

}  // namespace coalesce
