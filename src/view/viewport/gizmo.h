// Handles in the picture that move and turn a thing: which one the cursor is on, and where it leads. Pure
// mathematics; no window, no Dear ImGui, no OpenGL.
#pragma once

#include <array>
#include <glm/glm.hpp>
#include <glm/gtc/quaternion.hpp>
#include <optional>
#include <vector>

#include "render/frame/camera.h"

namespace coalesce {

struct GizmoPose {
    glm::vec3 position{0, 0, 0};        // [m]
    glm::quat rotation = {1, 0, 0, 0};  // w, x, y, z: world from thing
};

// An arrow along an axis of the world, a square in the plane across it, a ring about it; or the middle, which
// goes along the picture.
enum class GizmoPart { AxisX, AxisY, AxisZ, PlaneX, PlaneY, PlaneZ, RingX, RingY, RingZ, Middle };
constexpr std::array<GizmoPart, 10> kGizmoParts = {
    GizmoPart::AxisX,  GizmoPart::AxisY, GizmoPart::AxisZ, GizmoPart::PlaneX, GizmoPart::PlaneY,
    GizmoPart::PlaneZ, GizmoPart::RingX, GizmoPart::RingY, GizmoPart::RingZ,  GizmoPart::Middle};
// 0, 1, 2; −1: of the middle
int axisOf(GizmoPart part);
bool isRing(GizmoPart part);

// Size of the picture [px].
struct PictureSize {
    int width = 0, height = 0;
};

// Length of the arrows [m]: the same share of the picture at every distance. 0: behind the camera.
float gizmoSize(const Camera& camera, glm::vec3 position);
// What a part looks like, as points in the world; those of planes and rings close. Of a ring only what the
// thing does not hide, the half in front.
std::vector<glm::vec3> gizmoOutline(const Camera& camera, glm::vec3 position, GizmoPart part);
// The part under the cursor [px]; rings: whether the thing can be turned.
std::optional<GizmoPart> gizmoPartAt(const Camera& camera, glm::vec3 position, glm::vec2 cursor,
                                     PictureSize picture, bool rings);

// One part being dragged.
class GizmoDrag {
public:
    GizmoDrag(GizmoPart part, const GizmoPose& start, const Camera& camera, glm::vec2 cursor,
              PictureSize picture);
    // Where the thing is now that the cursor is here. step: positions in whole multiples of it [m], and turns
    // in whole multiples of 15 degrees; 0: anywhere. Where the cursor leads nowhere, as beyond the horizon:
    // nothing.
    std::optional<GizmoPose> at(const Camera& camera, glm::vec2 cursor, PictureSize picture,
                                float step = 0) const;
    GizmoPart part() const { return m_part; }
    const GizmoPose& start() const { return m_start; }

private:
    // What the cursor points at: a place along the axis or in the plane [m], or an angle about it [rad].
    std::optional<glm::vec3> pointUnder(const Camera& camera, glm::vec2 cursor, PictureSize picture) const;

    GizmoPart m_part;
    GizmoPose m_start;
    std::optional<glm::vec3> m_grabbed;
    glm::vec2 m_cursor;  // where it began [px]
};

}  // namespace coalesce
