// Colors with a meaning.
#pragma once

#include <imgui.h>

namespace coalesce {

const ImVec4 kChangedColor(0.98f, 0.76f, 0.36f, 1);  // values that differ from the scene file
const ImVec4 kWarningColor(0.98f, 0.52f, 0.42f, 1);

// X, Y, Z
constexpr ImU32 kAxisColors[] = {IM_COL32(232, 88, 84, 255), IM_COL32(116, 200, 92, 255),
                                 IM_COL32(88, 140, 244, 255)};

}  // namespace coalesce
