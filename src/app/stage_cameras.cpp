#include "app/stage_cameras.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "scene/timeline/film_camera.h"

namespace coalesce {

namespace {

bool zooms(const CameraView& camera) {
    return std::ranges::any_of(camera.keys,
                               [](const CameraKey& key) { return key.fov || key.orthographicHeight; });
}

// The direction that is up in the image, as axes() in render/frame/camera.h: this program may have no renderer.
Vec3d upOf(const FilmView& view) {
    const Vec3d forward = (view.look - view.eye).normalized();
    Vec3d side = forward.cross(Vec3d::UnitY());
    if (side.squaredNorm() < 1e-10) side = Vec3d::UnitX();  // it looks along y
    const Vec3d right = side.normalized(), level = right.cross(forward);
    const double roll = view.roll * std::numbers::pi / 180;
    return std::cos(roll) * level + std::sin(roll) * right;
}

StageCamera stageCamera(const FilmView& view, const std::string& name, bool zooms) {
    const CameraView still = toCameraView(view, name);
    const Vec3d up = upOf(view);
    return {name, still.eye, still.look, still.fov, still.orthographicHeight, toFloat(up), zooms};
}

// A name that is not that of a camera.
std::string freeName(const Scene& scene, std::string name) {
    while (std::ranges::any_of(scene.cameras, [&](const CameraView& c) { return c.name == name; }))
        name += "_";
    return name;
}

}  // namespace

std::vector<StageCamera> stageCameras(const Scene& scene, const World& world) {
    const FilmCamera film(scene);
    std::vector<StageCamera> cameras;
    // first, since other programs look through the first camera
    if (film.cuts()) cameras.push_back(stageCamera(film.at(world), freeName(scene, "Film"), true));
    for (size_t k = 0; k < scene.cameras.size(); ++k) {
        const CameraView& camera = scene.cameras[k];
        cameras.push_back(stageCamera(film.at(world, k), camera.name, zooms(camera)));
    }
    return cameras;
}

}  // namespace coalesce
