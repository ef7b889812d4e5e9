// Spawns by the mouse: throws a ball, pours a liquid, blows a gust of wind towards the cursor. No window, no
// OpenGL.
#pragma once

#include <optional>
#include <string>

#include "render/frame/camera.h"
#include "render/renderer/renderer.h"
#include "session/session.h"

namespace coalesce {

// A position in the viewport.
struct Aim {
    glm::vec2 cursor{0, 0};     // [px] from the upper left corner of the viewport
    int width = 1, height = 1;  // [px] of the viewport
    ClipPlane clipPlane{};      // what it hides is not under the cursor
};

class SpawnTool {
public:
    // Throws a ball from the camera, or from the first unblocked position on the way, so that it hits what
    // the cursor points at; gravity is taken into account. Returns what to tell the user: why it is
    // impossible, or that the ball moves when the paused session resumes; empty: nothing.
    static std::string throwBall(Session& session, const Camera& camera, const Aim& aim);

    // To be called every frame: pours or blows while its key is held. Returns why it is impossible.
    std::string hold(Session& session, const Camera& camera, const Aim& aim, bool pour, bool gust);
    // The material that is poured [index into the world's materials]; nullopt: none can be.
    std::optional<uint32_t> poured(const Session& session) const;
    // Chooses the next liquid or granular material; the message names it.
    std::string nextPoured(const Session& session);

private:
    uint32_t m_poured = 0;         // the chosen material
    std::optional<float> m_depth;  // [m] depth of the jet in the view, since the key was pressed
};

// [m] depth in the view of what the cursor points at: a particle, or else the camera's look point.
float depthUnder(Session& session, const Camera& camera, const Aim& aim);
// [m] the point under the cursor at this depth.
Vec3 pointUnder(const Camera& camera, const Aim& aim, float depth);
inline Vec3 targetUnder(Session& session, const Camera& camera, const Aim& aim) {
    return pointUnder(camera, aim, depthUnder(session, camera, aim));
}

}  // namespace coalesce
