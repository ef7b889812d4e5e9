#include "bridge/scene_camera.h"

#include <cmath>

#include "core/error.h"
#include "scene/format/overrides.h"

namespace coalesce {

Camera cameraOf(const CameraView& view) {
    Camera camera;
    camera.eye = {view.eye.x, view.eye.y, view.eye.z};
    camera.look = {view.look.x, view.look.y, view.look.z};
    camera.fov = view.fov;
    camera.orthographicHeight = view.orthographicHeight;
    if (view.roll != 0) {
        const Axes level = axes(camera);
        const float angle = glm::radians(view.roll);
        camera.up = std::cos(angle) * level.up + std::sin(angle) * level.right;
    }
    return camera;
}

size_t findCamera(const Scene& scene, const std::string& name) {
    std::vector<std::string> names;
    std::string all;
    for (size_t k = 0; k < scene.cameras.size(); ++k) {
        if (name.empty() || scene.cameras[k].name == name) return k;
        names.push_back(scene.cameras[k].name);
        all += (k == 0 ? "" : ", ") + scene.cameras[k].name;
    }
    fail(Exit::Usage, "--camera " + name, "the scene has no such camera." + didYouMean(name, names),
         "Its cameras: " + all + ".");
}

}  // namespace coalesce
