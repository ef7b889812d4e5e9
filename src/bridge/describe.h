// The parts of a frame that are no arrays: materials, shapes where they are now, bodies by their form, runs
// of the arrays of cloth and ropes, time.
#pragma once

#include "render/render_frame.h"
#include "sim/rope_tubes.h"
#include "sim/sheet_surface.h"
#include "sim/world.h"

namespace coalesce {

// A shape as it is drawn at a time [s].
DrawShape drawShapeOf(const Shape& shape, double time);

void describeWorld(const World& world, std::span<const SheetSurface::Part> sheets,
                   std::span<const RopeTubes::Part> ropes, RenderFrame& frame);

}  // namespace coalesce
