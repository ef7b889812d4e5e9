#include "view/overlay/axis_gizmo.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <imgui.h>

#include "view/overlay/overlay.h"
#include "view/widgets/colors.h"
#include "view/widgets/widgets.h"

namespace coalesce {

namespace {

struct AxisEnd {
    int axis;         // 0 to 2
    float sign;       // ±1
    glm::vec3 place;  // right, up, and towards the viewer
};

// The six ends, from back to front.
std::array<AxisEnd, 6> endsOf(const Camera& camera) {
    const Axes a = axes(camera);
    std::array<AxisEnd, 6> ends;
    for (int k = 0; k < 6; ++k) {
        const int axis = k / 2;
        const float sign = k % 2 ? -1.0f : 1.0f;
        ends[size_t(k)] = {axis, sign, sign * glm::vec3(a.right[axis], a.up[axis], -a.forward[axis])};
    }
    std::ranges::stable_sort(ends, {}, [](const AxisEnd& end) { return end.place.z; });
    return ends;
}

}  // namespace

AxisGizmoInput drawAxisGizmo(const Camera& camera, float right, float top) {
    const float em = ImGui::GetFontSize(), reach = 2.1f * em, ball = 0.62f * em, side = 2 * (reach + ball);
    ImGui::SetNextWindowPos({right - side - kOverlayMargin, top + kOverlayMargin});
    ImGui::SetNextWindowSize({side, side});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
    ImGui::Begin("Axes", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoMove |
                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoFocusOnAppearing |
                     ImGuiWindowFlags_NoNav);
    ImGui::PopStyleVar();
    const ImVec2 corner = ImGui::GetCursorScreenPos(), middle{corner.x + side / 2, corner.y + side / 2};
    const bool pressed = ImGui::InvisibleButton("axes", {side, side}), hovered = ImGui::IsItemHovered();
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const auto isAt = [&](ImVec2 p) { return std::hypot(mouse.x - p.x, mouse.y - p.y) < ball; };

    const auto ends = endsOf(camera);
    std::optional<size_t> under;  // the nearest end under the cursor
    const auto placeOf = [&](const AxisEnd& end) {
        return ImVec2(middle.x + reach * end.place.x, middle.y - reach * end.place.y);
    };
    for (size_t k = 0; hovered && k < ends.size(); ++k)
        if (isAt(placeOf(ends[k]))) under = k;

    ImDrawList* list = ImGui::GetWindowDrawList();
    if (hovered) list->AddCircleFilled(middle, side / 2, IM_COL32(255, 255, 255, 28));
    for (size_t k = 0; k < ends.size(); ++k) {
        const AxisEnd& end = ends[k];
        const ImVec2 at = placeOf(end);
        const ImU32 color = kAxisColors[end.axis],
                    faint = (color & ~IM_COL32_A_MASK) | IM_COL32(0, 0, 0, 110);
        if (end.sign < 0) {
            list->AddCircleFilled(at, 0.8f * ball, under == k ? color : faint);
            continue;
        }
        list->AddLine(middle, at, color, 2);
        list->AddCircleFilled(at, ball, color);
        const char name[] = {char('X' + end.axis), 0};
        const ImVec2 size = ImGui::CalcTextSize(name);
        list->AddText({at.x - size.x / 2, at.y - size.y / 2},
                      under == k ? IM_COL32_WHITE : IM_COL32(20, 20, 20, 255), name);
    }
    nameItem("axes",
             "Click an end of an axis to look along it (numpad 1, 3, 7), or the center to switch perspective "
             "(numpad 5). Drag to orbit.");
    AxisGizmoInput input;
    const ImGuiIO& io = ImGui::GetIO();
    const bool drags = ImGui::IsItemActive() && ImGui::IsMouseDragging(ImGuiMouseButton_Left);
    // the button is released where a drag ends, too
    const bool clicked =
        pressed && io.MouseDragMaxDistanceSqr[0] < io.MouseDragThreshold * io.MouseDragThreshold;
    if (drags) input.dragged = {io.MouseDelta.x, io.MouseDelta.y};
    if (clicked && under) {
        input.from = glm::vec3(0);
        (*input.from)[ends[*under].axis] = ends[*under].sign;
    }
    input.switchPerspective = clicked && !under && isAt(middle);
    ImGui::End();
    return input;
}

}  // namespace coalesce
