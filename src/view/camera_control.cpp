#include "view/camera_control.h"

#include <cmath>

namespace coalesce {

namespace {

constexpr float kTurnPerHeight = 3.14159265f;  // [rad] when dragging over the height of the picture
constexpr float kDollyPerNotch = 0.88f;        // [-] factor of the distance
constexpr float kFast = 4, kSlow = 0.25f;      // of the flying speed

// Where the cursor points to on the plane through the look point.
glm::vec3 anchorUnder(const Camera& camera, glm::vec2 cursor, int width, int height) {
    return unproject(camera, {cursor, glm::distance(camera.look, camera.eye)}, width, height);
}

}  // namespace

Camera moveCamera(const Camera& camera, const CameraInput& in, int width, int height) {
    Camera moved = camera;
    const glm::vec2 angle = kTurnPerHeight / static_cast<float>(height) * in.moved;
    if (in.middle || (in.left && in.shift))
        moved = pan(moved, in.moved, height);
    else if (in.left)
        moved = orbit(moved, -angle.x, angle.y);  // the scene follows the hand
    if (in.right) {
        moved = turn(moved, 0.5f * angle.x, -0.5f * angle.y);
        // one distance to the look point per second
        const float speed =
            glm::length(moved.look - moved.eye) * (in.shift ? kFast : 1) * (in.ctrl ? kSlow : 1);
        moved = fly(moved, in.seconds * speed * in.fly);
    }
    if (in.wheel != 0)
        moved =
            dolly(moved, std::pow(kDollyPerNotch, in.wheel), anchorUnder(moved, in.cursor, width, height));
    return moved;
}

}  // namespace coalesce
