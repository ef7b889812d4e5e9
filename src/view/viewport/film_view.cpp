#include "view/viewport/film_view.h"

#include <algorithm>

#include "bridge/scene_camera.h"
#include "scene/timeline/interpolation.h"

namespace coalesce {

namespace {

constexpr double kHandOver = 0.6;  // [s] of the move from the user's view

bool sameView(const Camera& a, const Camera& b) {
    return a.eye == b.eye && a.look == b.look && a.up == b.up && a.fov == b.fov &&
           a.orthographicHeight == b.orthographicHeight;
}

}  // namespace

void FilmFollower::update(const Session& session, ViewSettings& view, double seconds) {
    if (m_generation != session.filmGeneration()) {
        m_generation = session.filmGeneration();
        m_film.emplace(session.scene());
        if (m_scene != session.scene().file) {
            view.film = m_on = m_film->moves() && (followsFirst || !m_scene.empty());
            m_scene = session.scene().file;
            m_last = view.camera;
            m_blend = 1;
        }
    }
    if (m_on && view.film && !sameView(view.camera, m_last)) view.film = false;
    if (view.film && !m_on) m_start = view.camera, m_blend = 0;
    m_on = view.film;
    if (!m_on) return;
    m_blend = std::min(m_blend + seconds / kHandOver, 1.0);
    const Camera film = cameraOf(toCameraView(m_film->at(session.world()), ""));
    Camera& camera = view.camera;
    const auto u = float(eased(Ease::smooth, m_blend));
    camera.eye = m_blend < 1 ? m_start.eye + u * (film.eye - m_start.eye) : film.eye;
    camera.look = m_blend < 1 ? m_start.look + u * (film.look - m_start.look) : film.look;
    camera.fov = m_blend < 1 ? m_start.fov + u * (film.fov - m_start.fov) : film.fov;
    camera.orthographicHeight = film.orthographicHeight;
    camera.up = m_blend < 1 ? glm::normalize(m_start.up + u * (film.up - m_start.up)) : film.up;
    m_last = camera;
}

}  // namespace coalesce
