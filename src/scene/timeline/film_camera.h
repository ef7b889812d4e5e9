// What the camera of the film shows: the first camera of the scene, then those that the timeline cuts to.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scene/build/groups.h"
#include "scene/timeline/camera_path.h"

namespace coalesce {

// [s] of film at the state of a world: its frames over the frame rate of the scene.
double filmTime(const Scene& scene, const World& world);

// A function of the scene and of the state of the world alone, so that a loaded state shows the same view.
class FilmCamera {
public:
    explicit FilmCamera(const Scene& scene);
    // The view of the film with its cuts, or of one camera. `later` [s] of film: how it has moved by then,
    // without a cut in between; also negative.
    FilmView at(const World& world, std::optional<size_t> camera = {}, double later = 0) const;
    // Whether anything moves or cuts, so that there is a film to follow.
    bool moves() const { return m_moves; }
    bool cuts() const { return !m_cuts.empty(); }

private:
    struct Cut {
        double at = 0, blend = 0;  // [s] of film
        size_t camera = 0;
    };
    double m_frameRate;
    GroupNames m_names;
    std::vector<CameraMotion> m_cameras;
    std::vector<Cut> m_cuts;  // by time
    bool m_moves = false;
};

}  // namespace coalesce
