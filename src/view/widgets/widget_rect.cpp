#include "view/widgets/widget_rect.h"

#include <imgui.h>

namespace coalesce {

WidgetRect placedItem(const std::string& path) {
    const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
    return {path, low.x, low.y, high.x, high.y};
}

}  // namespace coalesce
