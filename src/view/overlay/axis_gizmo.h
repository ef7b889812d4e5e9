// The world axes as the camera sees them, at the upper right corner of the viewport:
// a click on one looks along it, a drag orbits.
#pragma once

#include <optional>

#include "render/frame/camera.h"

namespace coalesce {

struct AxisGizmoInput {
    std::optional<glm::vec3> from;   // look from this side, a unit vector along an axis
    bool switchPerspective = false;  // the center was clicked
    glm::vec2 dragged{0, 0};         // [px] since the last frame, y down
};

// right, top: corner of the viewport [ImGui's units]
AxisGizmoInput drawAxisGizmo(const Camera& camera, float right, float top);

}  // namespace coalesce
