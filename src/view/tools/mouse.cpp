#include "view/tools/mouse.h"

#include <imgui.h>

#include "view/tools/held_keys.h"
#include "view/viewport/camera_control.h"

namespace coalesce {

std::string Mouse::use(Session& session, ViewSettings& view, std::optional<float> floor, float left,
                       int width, int height) {
    if (width < 1 || height < 1) return "";
    const ImGuiIO& io = ImGui::GetIO();
    const bool inside =
        io.MousePos.x >= left && io.MousePos.x < left + float(width) && io.MousePos.y < float(height);
    MouseInput input{.cursor = {io.MousePos.x - left, io.MousePos.y},
                     .left = io.MouseDown[0] && !io.WantCaptureMouse,
                     .shift = io.KeyShift,
                     .ctrl = io.KeyCtrl || !inside,
                     .cut = m_isHeld(kKnifeKey),
                     .clipPlane = view.draw.clipPlane};
    m_aim = {input.cursor, width, height, view.draw.clipPlane};
    const bool byGizmo = m_gizmo.use(session, view.selection, view.camera, input, {width, height});
    input.left &= !byGizmo;
    const bool byGrab = m_grab.use(session, view.camera, input, width, height);
    if (byGrab) m_gizmo.cancelClick();
    // a click selects a particle, or none
    if (const auto click = m_grab.takeClick()) view.picked = click->id;
    if (!io.WantCaptureMouse) moveCamera(view, floor, byGizmo || byGrab);
    const bool canSpawn = inside && !io.WantCaptureMouse && !io.WantCaptureKeyboard && !io.MouseDown[1];
    m_pouring = canSpawn && !io.KeyShift && m_isHeld(kPourKey), m_blowing = canSpawn && m_isHeld(kGustKey);
    const std::string said = m_grab.takeMessage(),
                      why = m_spawn.hold(session, view.camera, m_aim, m_pouring, m_blowing);
    return said.empty() ? why : said;
}

void Mouse::moveCamera(ViewSettings& view, std::optional<float> floor, bool buttonTaken) const {
    const ImGuiIO& io = ImGui::GetIO();
    CameraInput in;
    // motion before a press is not part of the drag; on a slow device both arrive in one frame
    const bool pressed = ImGui::IsMouseClicked(0) || ImGui::IsMouseClicked(1) || ImGui::IsMouseClicked(2);
    if (!pressed) in.moved = {io.MouseDelta.x, io.MouseDelta.y};
    in.cursor = m_aim.cursor;
    in.left = io.MouseDown[0] && !buttonTaken, in.right = io.MouseDown[1], in.middle = io.MouseDown[2];
    in.shift = io.KeyShift, in.ctrl = io.KeyCtrl;
    in.wheel = io.MouseWheel;
    in.seconds = io.DeltaTime;
    in.floor = floor;
    if (!io.WantCaptureKeyboard) {
        const auto axis = [&](const FlightKeys& keys) {
            return float(m_isHeld(keys.positive)) - float(m_isHeld(keys.negative));
        };
        in.fly = {axis(kFlyRight), axis(kFlyUp), axis(kFlyForward)};
    }
    const Camera before = view.camera;
    view.camera = coalesce::moveCamera(before, in, m_aim.width, m_aim.height);
    leaveAxis(view, before);
}

void Mouse::draw(Session& session, const ViewSettings& view, float left, int width, int height) {
    m_gizmo.draw(session, view.selection, view.camera, left, {width, height});
    if (m_pouring || m_blowing)
        ImGui::GetBackgroundDrawList()->AddCircle(
            {left + m_aim.cursor.x, m_aim.cursor.y}, 10,
            m_pouring ? IM_COL32(110, 180, 250, 255) : IM_COL32(240, 240, 240, 255), 0, 2);
    ImDrawList* list = ImGui::GetBackgroundDrawList();
    const ImU32 cutColor = IM_COL32(240, 90, 80, 255);
    for (const GrabTool::Line& spring : m_grab.waitingCuts(session, view.camera, width, height))
        list->AddLine({left + spring.from.x, spring.from.y}, {left + spring.to.x, spring.to.y}, cutColor, 2);
    const auto line = m_grab.line(session, view.camera, width, height);
    if (!line) return;
    const ImVec2 from{left + line->from.x, line->from.y}, to{left + line->to.x, line->to.y};
    const ImU32 color = line->cut ? cutColor : IM_COL32(250, 200, 90, 255);
    list->AddLine(from, to, color, 2);
    if (!line->cut) list->AddCircleFilled(from, 4, color);
    list->AddCircle(to, 6, color, 0, 2);
}

}  // namespace coalesce
