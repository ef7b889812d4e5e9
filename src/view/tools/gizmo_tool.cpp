#include "view/tools/gizmo_tool.h"

#include <algorithm>
#include <fmt/format.h>
#include <imgui.h>

#include "sim/interaction/pick.h"

namespace coalesce {

namespace {

constexpr float kMostOfAClick = 3;  // [px] the mouse may move

// With Ctrl in round numbers: a step that suits the size of the handles.
float roundStep(const Camera& camera, glm::vec3 position) {
    const float wanted = gizmoSize(camera, position) / 8;
    return wanted > 0 ? std::pow(10.0f, std::floor(std::log10(wanted))) : 0;
}

ImU32 colorOf(GizmoPart part, bool lit) {
    if (lit) return IM_COL32(255, 214, 90, 255);
    switch (axisOf(part)) {
        case 0:
            return IM_COL32(232, 88, 84, 255);
        case 1:
            return IM_COL32(116, 200, 92, 255);
        case 2:
            return IM_COL32(88, 140, 244, 255);
        default:
            return IM_COL32(235, 235, 235, 255);
    }
}

// Where a shape is to go it shows its box, until it is there.
void drawGhost(ImDrawList* list, const Session& session, const Selection& selection, const GizmoPose& pose,
               const Camera& camera, float left, PictureSize picture) {
    for (const Shape& shape : session.world().shapes) {
        if (selection.section != "shapes" || shape.name != selection.element || isEverywhere(shape)) continue;
        const Pose now = poseAt(shape, session.world().time);
        const glm::vec3 at(now.position.x, now.position.y, now.position.z);
        const glm::quat turned(now.rotation.w, now.rotation.x, now.rotation.y, now.rotation.z);
        if (glm::distance(at, pose.position) < 1e-5f && std::abs(glm::dot(turned, pose.rotation)) > 1 - 1e-6f)
            return;
        const Bounds box = boundsOf(shape);
        const auto corner = [&](int k) {
            const glm::vec3 p((k & 1 ? box.high : box.low).x, (k & 2 ? box.high : box.low).y,
                              (k & 4 ? box.high : box.low).z);
            return project(camera, pose.position + pose.rotation * p, picture.width, picture.height);
        };
        for (int k = 0; k < 8; ++k)
            for (const int bit : {1, 2, 4}) {
                const glm::vec3 a = corner(k), b = corner(k | bit);
                if ((k & bit) || a.z <= 0 || b.z <= 0) continue;
                list->AddLine({left + a.x, a.y}, {left + b.x, b.y}, IM_COL32(255, 214, 90, 200), 1.5f);
            }
    }
}

}  // namespace

bool GizmoTool::use(Session& session, Selection& selection, const Camera& camera, const HandInput& in,
                    PictureSize picture) {
    const bool pressed = in.left && !m_down, released = !in.left && m_down;
    m_down = in.left;
    const auto pose = selection.isEmpty() ? std::nullopt : poseOf(session, selection);
    if (m_drag && (!pose || !in.left)) {
        m_drag.reset();
        session.closeStep();
        m_click = false;
        return in.left;
    }
    if (m_drag) {
        const float step = in.ctrl ? roundStep(camera, m_drag->start().position) : 0;
        if (const auto to = m_drag->at(camera, in.cursor, picture, step)) moveTo(session, selection, *to);
        return true;
    }
    m_under = pose && !in.left
                  ? gizmoPartAt(camera, pose->position, in.cursor, picture, canTurn(session, selection))
                  : m_under;
    if (!pose) m_under.reset();
    if (pressed) {
        m_pressed = in.cursor;
        m_click = !in.shift && !in.ctrl && !in.cut;
        if (m_under) {
            session.closeStep();
            m_drag.emplace(*m_under, *pose, camera, in.cursor, picture);
            return true;
        }
    }
    if (in.left && glm::distance(in.cursor, m_pressed) > kMostOfAClick) m_click = false;
    if (released && m_click) {
        const Ray ray = rayThrough(camera, m_pressed, picture.width, picture.height);
        selection = shapeAlong(session, ray, camera.far);
    }
    return false;
}

void GizmoTool::draw(const Session& session, const Selection& selection, const Camera& camera, float left,
                     PictureSize picture) const {
    const auto pose = selection.isEmpty() ? std::nullopt : poseOf(session, selection);
    if (!pose || gizmoSize(camera, pose->position) <= 0) return;
    ImDrawList* list = ImGui::GetBackgroundDrawList();
    list->PushClipRect({left, 0},
                       {left + static_cast<float>(picture.width), static_cast<float>(picture.height)});
    drawGhost(list, session, selection, *pose, camera, left, picture);
    const std::optional<GizmoPart> lit = m_drag ? std::optional(m_drag->part()) : m_under;
    const bool rings = canTurn(session, selection);
    for (const GizmoPart part : kGizmoParts) {
        if ((isRing(part) && !rings) || (m_drag && part != lit)) continue;
        std::vector<ImVec2> points;
        for (const glm::vec3& p : gizmoOutline(camera, pose->position, part)) {
            const glm::vec3 q = project(camera, p, picture.width, picture.height);
            if (q.z > 0) points.push_back({left + q.x, q.y});
        }
        if (points.empty()) continue;
        const ImU32 color = colorOf(part, part == lit);
        const auto count = static_cast<int>(points.size());
        if (part == GizmoPart::Middle) {
            list->AddCircleFilled(points[0], 5, color);
        } else if (part >= GizmoPart::PlaneX && part <= GizmoPart::PlaneZ) {
            list->AddConvexPolyFilled(points.data(), count,
                                      (color & ~IM_COL32_A_MASK) | IM_COL32(0, 0, 0, 90));
            list->AddPolyline(points.data(), count, color, ImDrawFlags_Closed, 1.5f);
        } else {
            list->AddPolyline(points.data(), count, color, 0, part == lit ? 4.0f : 2.5f);
            if (count == 2) list->AddCircleFilled(points[1], 5, color);  // the tip of an arrow
        }
    }
    const glm::vec3 at = project(camera, pose->position, picture.width, picture.height);
    std::string label = selection.element;
    if (m_drag)
        label +=
            fmt::format("  {:.3g}, {:.3g}, {:.3g} m", pose->position.x, pose->position.y, pose->position.z);
    if (m_drag && session.paused && selection.section == "shapes")
        label += "  (goes there when time goes on)";
    const ImVec2 place{left + at.x + 12, at.y + 12};
    list->AddText({place.x + 1, place.y + 1}, IM_COL32(0, 0, 0, 200), label.c_str());
    list->AddText(place, IM_COL32(255, 255, 255, 255), label.c_str());
    list->PopClipRect();
}

}  // namespace coalesce
