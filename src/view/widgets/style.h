// How the user interface looks: font, colors, distances.
#pragma once

namespace coalesce {

// For the current ImGui context; scale: of the display's content (1 = 96 dpi).
void applyStyle(float scale);

}  // namespace coalesce
