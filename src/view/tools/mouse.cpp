#include "view/tools/mouse.h"

#include <imgui.h>

#include "view/tools/keys.h"
#include "view/viewport/camera_control.h"

namespace coalesce {

std::string Mouse::use(Session& session, ViewSettings& look, std::optional<float> floor, float left,
                       int width, int height) {
    if (width < 1 || height < 1) return "";
    const ImGuiIO& io = ImGui::GetIO();
    const bool inside = io.MousePos.x >= left && io.MousePos.x < left + static_cast<float>(width) &&
                        io.MousePos.y < static_cast<float>(height);
    HandInput hand{.cursor = {io.MousePos.x - left, io.MousePos.y},
                   .left = io.MouseDown[0] && !io.WantCaptureMouse,
                   .shift = io.KeyShift,
                   .ctrl = io.KeyCtrl || !inside,
                   .cut = m_held(kKnifeKey)};
    const bool handles = m_gizmo.use(session, look.selection, look.camera, hand, {width, height});
    hand.left &= !handles;
    const bool held = m_hand.use(session, look.camera, hand, width, height), taken = handles || held;
    if (held) m_gizmo.leave();
    // a click picks a particle to look at, or lets go of it
    if (const auto click = m_hand.takeClick()) look.picked = click->id;
    if (!io.WantCaptureMouse) moveCamera(look, floor, left, width, height, taken);
    m_aim = {{io.MousePos.x - left, io.MousePos.y}, width, height};
    const bool points = inside && !io.WantCaptureMouse && !io.WantCaptureKeyboard && !io.MouseDown[1];
    m_pours = points && !io.KeyShift && m_held(kPourKey), m_blows = points && m_held(kGustKey);
    return m_gifts.hold(session, look.camera, m_aim, m_pours, m_blows);
}

std::string Mouse::throwBall(Session& session, const ViewSettings& look) const {
    return SpawnTool::throwBall(session, look.camera, m_aim);
}

void Mouse::moveCamera(ViewSettings& look, std::optional<float> floor, float left, int width, int height,
                       bool buttonTaken) const {
    const ImGuiIO& io = ImGui::GetIO();
    CameraInput in;
    // the way to where a button was pressed is none of a drag; on a slow machine both come in one picture
    const bool pressed = ImGui::IsMouseClicked(0) || ImGui::IsMouseClicked(1) || ImGui::IsMouseClicked(2);
    if (!pressed) in.moved = {io.MouseDelta.x, io.MouseDelta.y};
    in.cursor = {io.MousePos.x - left, io.MousePos.y};
    in.left = io.MouseDown[0] && !buttonTaken, in.right = io.MouseDown[1], in.middle = io.MouseDown[2];
    in.shift = io.KeyShift, in.ctrl = io.KeyCtrl;
    in.wheel = io.MouseWheel;
    in.seconds = io.DeltaTime;
    in.floor = floor;
    if (!io.WantCaptureKeyboard) {
        const auto axis = [&](const FlightKeys& keys) {
            return static_cast<float>(m_held(keys.positive)) - static_cast<float>(m_held(keys.negative));
        };
        in.fly = {axis(kFlyRight), axis(kFlyUp), axis(kFlyForward)};
    }
    look.camera = coalesce::moveCamera(look.camera, in, width, height);
}

void Mouse::draw(Session& session, const ViewSettings& look, float left, int width, int height) const {
    m_gizmo.draw(session, look.selection, look.camera, left, {width, height});
    if (m_pours || m_blows)
        ImGui::GetBackgroundDrawList()->AddCircle(
            {left + m_aim.cursor.x, m_aim.cursor.y}, 10,
            m_pours ? IM_COL32(110, 180, 250, 255) : IM_COL32(240, 240, 240, 255), 0, 2);
    const auto line = m_hand.line(session, look.camera, width, height);
    if (!line) return;
    const ImVec2 from{left + line->from.x, line->from.y}, to{left + line->to.x, line->to.y};
    ImDrawList* list = ImGui::GetBackgroundDrawList();
    const ImU32 color = line->cut ? IM_COL32(240, 90, 80, 255) : IM_COL32(250, 200, 90, 255);
    list->AddLine(from, to, color, 2);
    if (!line->cut) list->AddCircleFilled(from, 4, color);
    list->AddCircle(to, 6, color, 0, 2);
}

}  // namespace coalesce
