// Makes the view follow the camera of the film.
#pragma once

#include <optional>

#include "scene/timeline/film_camera.h"
#include "session/session.h"
#include "view/viewport/view_settings.h"

namespace coalesce {

// While ViewSettings::film is on, the camera is that of the film; switching it on moves there from the
// present view. A camera that the user has moved since switches it off.
class FilmFollower {
public:
    // Before each drawn frame; seconds: since the last one. A newly opened scene that has a film is followed.
    void update(const Session& session, ViewSettings& view, double seconds);
    bool followsFirst = true;  // whether the first scene is followed; not where the user has chosen a camera

private:
    std::optional<FilmCamera> m_film;  // of the scene of this generation
    uint64_t m_generation = ~uint64_t{0};
    std::filesystem::path m_scene;
    bool m_on = false;
    Camera m_last, m_start;  // as set last; as of the switching on
    double m_blend = 1;      // 0: the view at the start, 1: that of the film
};

}  // namespace coalesce
