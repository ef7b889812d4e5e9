#include "view/viewport/camera_control.h"

#include <algorithm>
#include <cmath>

#include "bridge/scene_camera.h"

namespace coalesce {

namespace {

constexpr float kTurnPerHeight = 3.14159265f;  // [rad] per viewport height of drag
constexpr float kDollyPerNotch = 0.88f;        // [-] factor of the distance
constexpr float kFast = 4, kSlow = 0.25f;      // factors of the flying speed

// The point under the cursor on the plane through the look point.
glm::vec3 anchorUnder(const Camera& camera, glm::vec2 cursor, int width, int height) {
    return unproject(camera, {cursor, glm::distance(camera.look, camera.eye)}, width, height);
}

// [m] Minimum distance of the eye to the floor, so that the near plane does not cut it.
float clearance(const Camera& camera) {
    return 2 * camera.near + 0.01f * glm::distance(camera.eye, camera.look);
}

// The eye at this height [m] or above: by orbiting, and by shifting the camera if that is not enough.
Camera raised(Camera camera, float lowest) {
    const glm::vec3 back = camera.eye - camera.look;
    const float distance = glm::length(back);
    const auto elevation = [&](float height) {
        return std::asin(std::clamp((height - camera.look.y) / distance, -1.0f, 1.0f));
    };
    camera = orbit(camera, 0, elevation(lowest) - elevation(camera.eye.y));
    const float missing = std::max(lowest - camera.eye.y, 0.0f);
    camera.eye.y += missing, camera.look.y += missing;
    return camera;
}

// [m] from the look point within which nothing of these bounds lies behind an eye
float reachOf(const Camera& camera, glm::vec3 lower, glm::vec3 upper) {
    return glm::distance(camera.look, (lower + upper) / 2.0f) + glm::distance(lower, upper);
}

}  // namespace

Camera aboveFloor(const Camera& camera, float floor) {
    const float lowest = floor + clearance(camera);
    return camera.eye.y < lowest ? raised(camera, lowest) : camera;
}

Camera moveCamera(const Camera& camera, const CameraInput& in, int width, int height) {
    Camera moved = camera;
    // a camera that has flown below the floor stays free
    const bool staysAbove = in.floor && camera.eye.y >= *in.floor;
    const float lowest = staysAbove ? std::min(*in.floor + clearance(camera), camera.eye.y) : 0;
    const glm::vec2 angle = kTurnPerHeight / float(height) * in.moved;
    const bool moves = in.moved.x != 0 || in.moved.y != 0;  // a click must not move it by a rounding error
    if (moves && (in.middle || (in.left && in.shift)))
        moved = pan(moved, in.moved, width, height);
    else if (moves && in.left)
        moved = orbit(moved, -angle.x, angle.y);  // the scene follows the mouse
    if (staysAbove && moved.eye.y < lowest) moved = raised(moved, lowest);
    if (in.right) {
        if (moves) moved = turn(moved, 0.5f * angle.x, -0.5f * angle.y);
        // one distance to the look point per second
        const float speed =
            glm::length(moved.look - moved.eye) * (in.shift ? kFast : 1) * (in.ctrl ? kSlow : 1);
        moved = fly(moved, in.seconds * speed * in.fly);
    }
    if (in.wheel != 0)
        moved =
            dolly(moved, std::pow(kDollyPerNotch, in.wheel), anchorUnder(moved, in.cursor, width, height));
    if (in.wheel != 0 && staysAbove && moved.eye.y < lowest) moved = raised(moved, lowest);
    return moved;
}

void lookAlong(ViewSettings& view, glm::vec3 from, glm::vec3 lower, glm::vec3 upper) {
    Camera& camera = view.camera;
    view.alongAxis = view.alongAxis || camera.orthographicHeight == 0;
    camera = alongAxis(withOrthographic(camera, true, reachOf(camera, lower, upper)), from);
}

void switchPerspective(ViewSettings& view, glm::vec3 lower, glm::vec3 upper) {
    Camera& camera = view.camera;
    camera = withOrthographic(camera, camera.orthographicHeight == 0, reachOf(camera, lower, upper));
    view.alongAxis = false;
}

void leaveAxis(ViewSettings& view, const Camera& before) {
    if (!view.alongAxis || glm::dot(axes(view.camera).forward, axes(before).forward) > 1 - 1e-6f) return;
    view.camera = withOrthographic(view.camera, false, 0);
    view.alongAxis = false;
}

void selectCamera(const Scene& scene, ViewSettings& view, size_t index) {
    view.alongAxis = false;
    view.cameraIndex = index;
    view.camera = cameraOf(scene.cameras[index]);
}

}  // namespace coalesce
