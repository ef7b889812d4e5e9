// Camera control by the mouse, and the scene's cameras.
#pragma once

#include <optional>

#include "render/frame/camera.h"
#include "scene/format/scene.h"
#include "view/viewport/view_settings.h"

namespace coalesce {

struct CameraInput {
    glm::vec2 moved{0, 0};   // [px] since the last frame, y down
    glm::vec2 cursor{0, 0};  // [px] from the upper left corner of the viewport
    bool left = false, middle = false, right = false, shift = false, ctrl = false;
    float wheel = 0;             // notches, positive away from the user
    glm::vec3 fly{0, 0, 0};      // keys held: right, up, forward, each −1, 0 or 1
    float seconds = 0;           // since the last frame
    std::optional<float> floor;  // [m] height that the eye stays above, except when flying
};

// Raises the eye above the floor [m] by orbiting around the look point.
Camera aboveFloor(const Camera& camera, float floor);
Camera moveCamera(const Camera& camera, const CameraInput& input, int width, int height);

// Looks along an axis from the side of this unit vector, without
// perspective. lower, upper: bounds of the scene [m].
void lookAlong(ViewSettings& view, glm::vec3 from, glm::vec3 lower, glm::vec3 upper);
// Between perspective and an orthographic view.
void switchPerspective(ViewSettings& view, glm::vec3 lower, glm::vec3 upper);
// Orbiting away from an axis brings perspective back. before: the camera before the user's input.
void leaveAxis(ViewSettings& view, const Camera& before);

// Takes a camera of the scene.
void selectCamera(const Scene& scene, ViewSettings& view, size_t index);

}  // namespace coalesce
