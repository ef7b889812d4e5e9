// Converts scene cameras to renderer cameras.
#pragma once

#include <string>

#include "render/frame/camera.h"
#include "scene/format/scene.h"

namespace coalesce {

Camera cameraOf(const CameraView& view);
// Index of the camera with this name; "" means the first. Exit::Usage with the available names.
size_t findCamera(const Scene& scene, const std::string& name);

}  // namespace coalesce
