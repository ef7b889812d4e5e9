// The parts of a frame that are no arrays: materials, shapes where they are now, bodies by their form, time.
#pragma once

#include "render/render_frame.h"
#include "sim/world.h"

namespace coalesce {

void describeWorld(const World& world, RenderFrame& frame);

}  // namespace coalesce
