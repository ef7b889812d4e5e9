// Builds the parts of a RenderFrame that are not arrays: materials, shapes at their current pose, bodies
// grouped by mesh, runs of the cloth and rope arrays, time.
#pragma once

#include "render/frame/render_frame.h"
#include "sim/surface/cloth_surface.h"
#include "sim/surface/rope_tubes.h"
#include "sim/world/world.h"

namespace coalesce {

// Absorption [1/m] and scattering albedo of a liquid: its own; or, where it gives a color and neither of them, such
// that a layer of 0.3 m in front of white has this color: docs/rendering.md.
struct LiquidLight {
    Vec3 absorption, scatter;
};
LiquidLight liquidLightOf(const MaterialProperties& properties);

// A shape at a time [s].
DrawShape drawShapeOf(const Shape& shape, double time);

// hidden: groups that are not drawn.
void buildRenderFrame(const World& world, std::span<const ClothSurface::Part> cloth,
                      std::span<const RopeTubes::Part> ropes, std::span<const uint32_t> hidden,
                      RenderFrame& frame);

}  // namespace coalesce
