// How the mouse moves the camera.
#pragma once

#include <optional>

#include "render/frame/camera.h"

namespace coalesce {

struct CameraInput {
    glm::vec2 moved{0, 0};   // [px] since the last frame, y down
    glm::vec2 cursor{0, 0};  // [px] from the picture's upper left corner
    bool left = false, middle = false, right = false, shift = false, ctrl = false;
    float wheel = 0;             // notches, positive away from the user
    glm::vec3 fly{0, 0, 0};      // keys held: right, up, forward, each −1, 0 or 1
    float seconds = 0;           // since the last frame
    std::optional<float> floor;  // [m] that the eye does not go through, but in flight
};

// The eye moved up to where it is above the floor, turned around the look point: `floor` [m].
Camera aboveFloor(const Camera& camera, float floor);
Camera moveCamera(const Camera& camera, const CameraInput& input, int width, int height);

}  // namespace coalesce
