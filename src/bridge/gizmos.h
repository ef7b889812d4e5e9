// Outlines of objects without particles: emitters, sinks, mouse constraints, bounds, axes.
#pragma once

#include <optional>
#include <vector>

#include "bridge/line_views.h"
#include "render/frame/render_frame.h"
#include "sim/world/world.h"

namespace coalesce {

// low, high: bounding box of all particles [m]; low > high: there are none.
std::vector<DrawGizmo> buildGizmos(World& world, const LineSet& wanted, Vec3 low, Vec3 high,
                                   std::optional<uint32_t> picked);

}  // namespace coalesce
