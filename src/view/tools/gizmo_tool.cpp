#include "view/tools/gizmo_tool.h"

#include <algorithm>
#include <fmt/format.h>
#include <imgui.h>

#include "sim/interaction/pick.h"
#include "view/viewport/vectors.h"
#include "view/widgets/colors.h"

namespace coalesce {

namespace {

constexpr float kMaxClickDistance = 3;  // [px]

// [m] Grid of positions with Ctrl: a power of ten that suits the size of the gizmo.
float snapStep(const Camera& camera, glm::vec3 position, ViewportSize viewport) {
    const float wanted = gizmoSize(camera, position, viewport) / 8;
    return wanted > 0 ? std::pow(10.0f, std::floor(std::log10(wanted))) : 0;
}

ImU32 colorOf(GizmoHandle handle, bool lit) {
    if (lit) return IM_COL32(255, 214, 90, 255);
    const int axis = axisOf(handle);
    return axis < 0 ? IM_COL32(235, 235, 235, 255) : kAxisColors[axis];
}

// The edges of a box in the frame of a pose.
void drawBox(ImDrawList* list, Vec3 low, Vec3 high, const GizmoPose& pose, const Camera& camera, float left,
             ViewportSize viewport) {
    const auto corner = [&](int k) {
        const glm::vec3 p((k & 1 ? high : low).x, (k & 2 ? high : low).y, (k & 4 ? high : low).z);
        return project(camera, pose.position + pose.rotation * p, viewport.width, viewport.height);
    };
    for (int k = 0; k < 8; ++k)
        for (const int bit : {1, 2, 4}) {
            const glm::vec3 a = corner(k), b = corner(k | bit);
            if ((k & bit) || a.z <= 0 || b.z <= 0) continue;
            list->AddLine({left + a.x, a.y}, {left + b.x, b.y}, IM_COL32(255, 214, 90, 200), 1.5f);
        }
}

void drawLabel(ImDrawList* list, ImVec2 at, const std::string& label) {
    list->AddText({at.x + 1, at.y + 1}, IM_COL32(0, 0, 0, 200), label.c_str());
    list->AddText(at, IM_COL32(255, 255, 255, 255), label.c_str());
}

// The bounding box of a shape at its target pose, until the shape has reached it.
void drawTargetBox(ImDrawList* list, const Session& session, const Selection& selection,
                   const GizmoPose& pose, const Camera& camera, float left, ViewportSize viewport) {
    for (const Shape& shape : session.world().shapes) {
        if (selection.section != "shapes" || shape.name != selection.element || isEverywhere(shape)) continue;
        const Pose now = poseAt(shape, session.world().time);
        const glm::vec3 at(now.position.x, now.position.y, now.position.z);
        const glm::quat rotation(now.rotation.w, now.rotation.x, now.rotation.y, now.rotation.z);
        if (glm::distance(at, pose.position) < 1e-5f &&
            std::abs(glm::dot(rotation, pose.rotation)) > 1 - 1e-6f)
            return;
        const Bounds box = boundsOf(shape);
        drawBox(list, box.low, box.high, pose, camera, left, viewport);
    }
}

}  // namespace

bool GizmoTool::use(Session& session, Selection& selection, const Camera& camera, const MouseInput& in,
                    ViewportSize viewport) {
    const bool pressed = in.left && !m_down, released = !in.left && m_down;
    m_down = in.left;
    const World& world = session.world();
    if (selection.section == "bodies" &&
        (m_body.body != selection || m_body.step != world.step || m_body.world != session.worldGeneration()))
        m_body = {selection, session.worldGeneration(), world.step, boundsOf(session, selection.element)};
    const auto pose = selection.isEmpty() ? std::nullopt : poseOf(session, selection);
    if (m_drag && (!pose || !in.left)) {
        m_drag.reset();
        session.closeStep();
        m_click = false;
        return in.left;
    }
    if (m_drag) {
        const float step = in.ctrl ? snapStep(camera, m_drag->start().position, viewport) : 0;
        if (const auto to = m_drag->at(camera, in.cursor, viewport, step)) moveTo(session, selection, *to);
        return true;
    }
    m_hovered = pose && !in.left
                    ? gizmoHandleAt(camera, pose->position, in.cursor, viewport, canTurn(session, selection))
                    : m_hovered;
    if (!pose) m_hovered.reset();
    if (pressed) {
        m_pressed = in.cursor;
        m_click = !in.shift && !in.ctrl && !in.cut;
        if (m_hovered) {
            session.closeStep();
            m_drag.emplace(*m_hovered, *pose, camera, in.cursor, viewport);
            return true;
        }
    }
    if (in.left && glm::distance(in.cursor, m_pressed) > kMaxClickDistance) m_click = false;
    if (released && m_click) {
        const Ray ray = rayThrough(camera, m_pressed, viewport.width, viewport.height);
        selection = shapeAlong(session, ray, camera.far);
    }
    return false;
}

void GizmoTool::draw(const Session& session, const Selection& selection, const Camera& camera, float left,
                     ViewportSize viewport) const {
    ImDrawList* list = ImGui::GetBackgroundDrawList();
    if (selection.section == "bodies" && m_body.body == selection && m_body.box) {
        const Bounds& box = *m_body.box;
        list->PushClipRect({left, 0}, {left + float(viewport.width), float(viewport.height)});
        drawBox(list, box.low, box.high, {}, camera, left, viewport);
        const glm::vec3 at = project(camera, toGlm(box.high), viewport.width, viewport.height);
        if (at.z > 0) drawLabel(list, {left + at.x + 6, at.y - 6}, selection.element);
        list->PopClipRect();
    }
    const auto pose = selection.isEmpty() ? std::nullopt : poseOf(session, selection);
    if (!pose || gizmoSize(camera, pose->position, viewport) <= 0) return;
    list->PushClipRect({left, 0}, {left + float(viewport.width), float(viewport.height)});
    drawTargetBox(list, session, selection, *pose, camera, left, viewport);
    const std::optional<GizmoHandle> lit = m_drag ? std::optional(m_drag->handle()) : m_hovered;
    const bool rings = canTurn(session, selection);
    for (const GizmoHandle handle : kGizmoHandles) {
        if ((isRing(handle) && !rings) || (m_drag && handle != lit)) continue;
        std::vector<ImVec2> points;
        for (const glm::vec3& p : gizmoOutline(camera, pose->position, handle, viewport)) {
            const glm::vec3 q = project(camera, p, viewport.width, viewport.height);
            if (q.z > 0) points.push_back({left + q.x, q.y});
        }
        if (points.empty()) continue;
        const ImU32 color = colorOf(handle, handle == lit);
        const auto count = int(points.size());
        if (handle == GizmoHandle::Center) {
            list->AddCircleFilled(points[0], 5, color);
        } else if (handle >= GizmoHandle::PlaneX && handle <= GizmoHandle::PlaneZ) {
            list->AddConvexPolyFilled(points.data(), count,
                                      (color & ~IM_COL32_A_MASK) | IM_COL32(0, 0, 0, 90));
            list->AddPolyline(points.data(), count, color, ImDrawFlags_Closed, 1.5f);
        } else {
            list->AddPolyline(points.data(), count, color, 0, handle == lit ? 4.0f : 2.5f);
            if (count == 2) list->AddCircleFilled(points[1], 5, color);  // the tip of an arrow
        }
    }
    const glm::vec3 at = project(camera, pose->position, viewport.width, viewport.height);
    std::string label = selection.element;
    if (m_drag)
        label +=
            fmt::format("  {:.3g}, {:.3g}, {:.3g} m", pose->position.x, pose->position.y, pose->position.z);
    if (m_drag && session.paused && selection.section == "shapes") label += " (moves when resumed)";
    drawLabel(list, {left + at.x + 12, at.y + 12}, label);
    list->PopClipRect();
}

}  // namespace coalesce
