// Markers of smoke or dye at the start.
#pragma once

#include "scene/format/scene.h"

namespace coalesce {

// At random places in their regions, by the scene's seed; at rest until the first frame.
void addMarkers(const Scene& scene, World& world);

}  // namespace coalesce
