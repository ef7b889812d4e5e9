// What the hand of the mouse gives to a scene: a ball that it throws, a liquid that it pours, a gust of wind;
// all of them to where the cursor points. No window, no OpenGL.
#pragma once

#include <optional>
#include <string>

#include "render/frame/camera.h"
#include "session/session.h"

namespace coalesce {

// Where on the screen.
struct Aim {
    glm::vec2 cursor{0, 0};     // [px] from the picture's upper left corner
    int width = 1, height = 1;  // [px] of the picture
};

class SpawnTool {
public:
    // Flies from the eye, or from where shapes leave it room on the way, and hits what the cursor points at,
    // gravity and all. The answer says why it cannot; empty: thrown.
    static std::string throwBall(Session& session, const Camera& camera, const Aim& aim);

    // To be called for every picture: goes on in each frame as long as it is held. The answer as above.
    std::string hold(Session& session, const Camera& camera, const Aim& aim, bool pour, bool gust);
    // What is poured [index into the world's materials]; nullopt: the scene has nothing that can be.
    std::optional<uint32_t> poured(Session& session) const;
    // Another liquid, or grains; the answer names it.
    std::string nextPoured(Session& session);

private:
    uint32_t m_poured = 0;         // the material that was chosen
    std::optional<float> m_depth;  // [m] of the jet in the view, since the key went down
};

// [m] how deep in the view is what the cursor points at: a particle, or else the camera's look point.
float depthUnder(Session& session, const Camera& camera, const Aim& aim);
// [m] the point under the cursor at this depth.
Vec3 pointUnder(const Camera& camera, const Aim& aim, float depth);
inline Vec3 targetUnder(Session& session, const Camera& camera, const Aim& aim) {
    return pointUnder(camera, aim, depthUnder(session, camera, aim));
}

}  // namespace coalesce
