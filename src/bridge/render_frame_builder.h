// Builds the parts of a RenderFrame that are not arrays: materials, shapes at their current pose, bodies
// grouped by mesh, runs of the cloth and rope arrays, time.
#pragma once

#include "render/frame/render_frame.h"
#include "sim/surface/cloth_surface.h"
#include "sim/surface/rope_tubes.h"
#include "sim/world/world.h"

namespace coalesce {

// A shape at a time [s].
DrawShape drawShapeOf(const Shape& shape, double time);

void buildRenderFrame(const World& world, std::span<const ClothSurface::Part> cloth,
                      std::span<const RopeTubes::Part> ropes, RenderFrame& frame);

}  // namespace coalesce
