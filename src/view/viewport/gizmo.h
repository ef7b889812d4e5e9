// The gizmo that moves and turns an element: hit test and drag. Pure mathematics; no window, no Dear ImGui,
// no OpenGL.
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
    glm::quat rotation = {1, 0, 0, 0};  // w, x, y, z: world from element
};

// An arrow along a world axis, a square in the plane normal to it, a ring about it; or the center, which
// moves parallel to the view plane.
enum class GizmoHandle { AxisX, AxisY, AxisZ, PlaneX, PlaneY, PlaneZ, RingX, RingY, RingZ, Center };
constexpr std::array<GizmoHandle, 10> kGizmoHandles = {
    GizmoHandle::AxisX,  GizmoHandle::AxisY, GizmoHandle::AxisZ, GizmoHandle::PlaneX, GizmoHandle::PlaneY,
    GizmoHandle::PlaneZ, GizmoHandle::RingX, GizmoHandle::RingY, GizmoHandle::RingZ,  GizmoHandle::Center};
// 0, 1, 2; −1 for the center
int axisOf(GizmoHandle handle);
bool isRing(GizmoHandle handle);

// [px]
struct ViewportSize {
    int width = 0, height = 0;
};

// [m] Length of the arrows: a constant share of the viewport's height. 0: behind the camera.
float gizmoSize(const Camera& camera, glm::vec3 position, ViewportSize viewport);
// Outline of a handle as points in the world; planes and rings are closed. Of a ring only the front half.
std::vector<glm::vec3> gizmoOutline(const Camera& camera, glm::vec3 position, GizmoHandle handle,
                                    ViewportSize viewport);
// The handle under the cursor [px]; rings: whether the element can be turned.
std::optional<GizmoHandle> gizmoHandleAt(const Camera& camera, glm::vec3 position, glm::vec2 cursor,
                                         ViewportSize viewport, bool rings);

// The drag of one handle.
class GizmoDrag {
public:
    GizmoDrag(GizmoHandle handle, const GizmoPose& start, const Camera& camera, glm::vec2 cursor,
              ViewportSize viewport);
    // The pose for this cursor. step: snaps positions to multiples of it [m], and turns to multiples of 15
    // degrees; 0: no snapping. nullopt: the cursor ray meets nothing, as beyond the horizon.
    std::optional<GizmoPose> at(const Camera& camera, glm::vec2 cursor, ViewportSize viewport,
                                float step = 0) const;
    GizmoHandle handle() const { return m_handle; }
    const GizmoPose& start() const { return m_start; }

private:
    // [m] The point on the axis or in the plane under the cursor.
    std::optional<glm::vec3> pointUnder(const Camera& camera, glm::vec2 cursor, ViewportSize viewport) const;

    GizmoHandle m_handle;
    GizmoPose m_start;
    std::optional<glm::vec3> m_grabbed;
    glm::vec2 m_cursor;  // [px] at the start
};

}  // namespace coalesce
