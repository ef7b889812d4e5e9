#include "sim/stage/deforming_shapes.h"

namespace coalesce {

void DeformingShapes::beginFrame(World& world, double length) {
    m_ahead.resize(world.shapes.size());
    for (size_t s = 0; s < world.shapes.size(); ++s) {
        Shape& shape = world.shapes[s];
        if (!shape.deforming) continue;
        Job& job = m_ahead[s];
        const double from = world.time, to = from + length;
        const bool ready =
            job.of == shape.deforming && job.from == from && job.to == to && job.geometry.valid();
        shape.geometry = ready ? job.geometry.get() : shape.deforming->between(from, to);
        job = {shape.deforming, to, to + length,
               std::async(std::launch::async, [of = shape.deforming, from = to, to = to + length] {
                   return of->between(from, to);
               })};
    }
}

}  // namespace coalesce
