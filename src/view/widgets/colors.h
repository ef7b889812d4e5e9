// Colors with a meaning.
#pragma once

#include <imgui.h>

namespace coalesce {

const ImVec4 kChangedColor(0.98f, 0.76f, 0.36f, 1);  // values that differ from the scene file
const ImVec4 kWarningColor(0.98f, 0.52f, 0.42f, 1);

}  // namespace coalesce
