// Outlines of what is not made of particles: emitters, sinks, hands, the box around all, axes.
#pragma once

#include <optional>
#include <vector>

#include "bridge/line_views.h"
#include "render/frame/render_frame.h"
#include "sim/world/world.h"

namespace coalesce {

// low, high: the box around all particles [m]; low > high: there are none.
std::vector<DrawGizmo> gizmosOf(World& world, const LineSet& wanted, Vec3 low, Vec3 high,
                                std::optional<uint32_t> picked);

}  // namespace coalesce
