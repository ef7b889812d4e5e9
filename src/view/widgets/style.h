// Style of the interface: font, colors, spacing.
#pragma once

namespace coalesce {

// Applies to the current ImGui context; scale 1 is 96 dpi.
void applyStyle(float scale);

}  // namespace coalesce
