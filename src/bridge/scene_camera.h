// Cameras of scenes as the renderer knows them.
#pragma once

#include <string>

#include "render/frame/camera.h"
#include "scene/format/scene.h"

namespace coalesce {

Camera cameraOf(const CameraView& view);
// The index of the camera of this name; "" is the first. Exit::Usage with the names there are.
size_t findCamera(const Scene& scene, const std::string& name);

}  // namespace coalesce
