// Where a widget was drawn last, for who clicks at it.
#pragma once

#include <string>

namespace coalesce {

// [px] "solver.substeps", "materials.water.viscosity", "search", the name of a scene.
struct WidgetRect {
    std::string path;
    float left = 0, top = 0, right = 0, bottom = 0;
};

// The last widget.
WidgetRect placedItem(const std::string& path);

}  // namespace coalesce
