// The parts of a frame that are no arrays: materials, shapes where they are now, bodies by their form, runs
// of the arrays of cloth and ropes, time.
#pragma once

#include "render/frame/render_frame.h"
#include "sim/surface/cloth_surface.h"
#include "sim/surface/rope_tubes.h"
#include "sim/world/world.h"

namespace coalesce {

// A shape as it is drawn at a time [s].
DrawShape drawShapeOf(const Shape& shape, double time);

void describeWorld(const World& world, std::span<const ClothSurface::Part> cloth,
                   std::span<const RopeTubes::Part> ropes, RenderFrame& frame);

}  // namespace coalesce
