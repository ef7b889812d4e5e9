#include "render/frame/outlines.h"

#include <glm/gtc/constants.hpp>
#include <glm/gtc/quaternion.hpp>

namespace coalesce {

void appendOutline(const DrawShape& shape, std::vector<Segment>& segments) {
    const glm::vec3 center{shape.position[0], shape.position[1], shape.position[2]};
    const glm::quat turn(shape.rotation[3], shape.rotation[0], shape.rotation[1], shape.rotation[2]);
    const auto line = [&](glm::vec3 a, glm::vec3 b) {
        segments.push_back({glm::vec4(center + turn * a, 1), glm::vec4(center + turn * b, 1)});
    };
    // arc around a center, from u towards v
    const auto arc = [&](glm::vec3 middle, glm::vec3 u, glm::vec3 v, float turns) {
        constexpr int kSteps = 64;  // per full circle: corners of 6 degrees are not visible
        const int steps = int(kSteps * turns);
        for (int k = 0; k < steps; ++k) {
            const float a = glm::two_pi<float>() * float(k) / kSteps;
            const float b = glm::two_pi<float>() * float(k + 1) / kSteps;
            line(middle + std::cos(a) * u + std::sin(a) * v, middle + std::cos(b) * u + std::sin(b) * v);
        }
    };

    const float r = shape.radius;
    const glm::vec3 x{r, 0, 0}, y{0, r, 0}, z{0, 0, r};
    switch (shape.kind) {
        case DrawShape::Kind::Plane:
        case DrawShape::Kind::Mesh:
            break;
        case DrawShape::Kind::Box: {
            const glm::vec3 half{shape.halfExtents[0], shape.halfExtents[1], shape.halfExtents[2]};
            for (int axis = 0; axis < 3; ++axis) {
                for (int corner = 0; corner < 4; ++corner) {
                    glm::vec3 a = half;
                    a[(axis + 1) % 3] *= corner & 1 ? 1.0f : -1.0f;
                    a[(axis + 2) % 3] *= corner & 2 ? 1.0f : -1.0f;
                    glm::vec3 b = a;
                    b[axis] = -b[axis];
                    line(a, b);
                }
            }
            break;
        }
        case DrawShape::Kind::Sphere:
            arc({}, x, y, 1);
            arc({}, y, z, 1);
            arc({}, z, x, 1);
            break;
        case DrawShape::Kind::Capsule: {
            const glm::vec3 end{0, shape.halfLength, 0};
            arc(end, x, z, 1);
            arc(-end, x, z, 1);
            for (const glm::vec3 side : {x, z}) {
                line(side - end, side + end);
                line(-side - end, -side + end);
                arc(end, side, y, 0.5f);
                arc(-end, side, -y, 0.5f);
            }
            break;
        }
    }
}

}  // namespace coalesce
