#include "view/widgets/widget_recorder.h"

#include <imgui.h>
#include <imgui_internal.h>

namespace coalesce {

namespace {
std::vector<WidgetRect>* s_rects = nullptr;
}

void recordWidgets(std::vector<WidgetRect>* rects) {
    s_rects = rects;
}

void recordItem(const std::string& name) {
    if (!s_rects) return;
    const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
    s_rects->push_back({name, ImGui::GetCurrentWindowRead()->RootWindow->Name, low.x, low.y, high.x, high.y});
}

}  // namespace coalesce
