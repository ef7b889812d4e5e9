// Test hook: where each named widget was drawn. Off in production.
#pragma once

#include <string>
#include <vector>

namespace coalesce {

struct WidgetRect {
    std::string name;    // "solver.substeps", "reset.solver.substeps", "bar.pause", the name of a scene
    std::string window;  // ImGui's name of the root window: "Coalesce" (the panel), "Time", "Notices", …
    float left = 0, top = 0, right = 0, bottom = 0;  // [px]
};

// From now on the widgets are appended to `rects`; null: not recorded.
void recordWidgets(std::vector<WidgetRect>* rects);

// Records the last ImGui item. Called by the helpers of widgets.h only.
void recordItem(const std::string& name);

}  // namespace coalesce
