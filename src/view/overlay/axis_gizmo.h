// The world axes as the camera sees them, at the upper right corner of the viewport: a click on one looks along it.
#pragma once

#include <optional>

#include "render/frame/camera.h"

namespace coalesce {

struct AxisGizmoClick {
    std::optional<glm::vec3>
        from;  // look from this side, a unit vector along an axis; empty: the center was clicked,
               // which switches between perspective and orthographic
};

// right, top: corner of the viewport [ImGui's units]
std::optional<AxisGizmoClick> drawAxisGizmo(const Camera& camera, float right, float top);

}  // namespace coalesce
