#include "scene/timeline/film_camera.h"

#include <algorithm>

#include "scene/timeline/interpolation.h"
#include "scene/timeline/measurements.h"

namespace coalesce {

double filmTime(const Scene& scene, const World& world) {
    return double(world.frame) / double(scene.parameters.solver.frameRate);
}

FilmCamera::FilmCamera(const Scene& scene)
    : m_frameRate(double(scene.parameters.solver.frameRate)), m_names(scene) {
    for (const CameraView& camera : scene.cameras) {
        m_cameras.emplace_back(camera);
        m_moves = m_moves || camera.moves();
    }
    for (const TimedCommand& c : scene.timeline) {
        const auto camera = std::find_if(scene.cameras.begin(), scene.cameras.end(),
                                         [&](const CameraView& view) { return view.name == c.camera; });
        if (!c.camera.empty() && camera != scene.cameras.end())
            m_cuts.push_back({c.at, c.blend, size_t(camera - scene.cameras.begin())});
    }
    std::stable_sort(m_cuts.begin(), m_cuts.end(), [](const Cut& a, const Cut& b) { return a.at < b.at; });
    m_moves = m_moves || !m_cuts.empty();
}

FilmView FilmCamera::at(const World& world, std::optional<size_t> camera, double later) const {
    const double film = double(world.frame) / m_frameRate;
    Measurements measurements(m_names, world);
    const auto center = [&](const std::string& name) { return measurements.centerOf(name); };
    const auto viewOf = [&](size_t index) { return m_cameras[index].at(film, center, later); };
    if (camera) return viewOf(*camera);
    FilmView view = viewOf(0);
    for (const Cut& cut : m_cuts) {
        // a time of the film is a sum of whole frames
        if (cut.at > film + 1e-6) break;
        const double u = cut.blend > 0 ? std::clamp((film + later - cut.at) / cut.blend, 0.0, 1.0) : 1;
        const FilmView next = viewOf(cut.camera);
        view = u < 1 ? blended(view, next, eased(Ease::smooth, u)) : next;
    }
    return view;
}

}  // namespace coalesce
