// Diffusion of attributes (temperature, color) in liquids.
#pragma once

#include "core/mirror.h"
#include "sim/stage/neighbors.h"
#include "sim/stage/step_context.h"

namespace coalesce {

class Diffusion : Stage {
public:
    using Stage::Stage;

    // Once per substep, at the final positions.
    void diffuse(const StepContext& step);

private:
    Mirror<float> m_table{exec};   // [m²/s] by attribute and material
    Buffer<float> m_number{exec};  // exchanged with the values of an attribute in each pass
    Buffer<Vec4> m_vector{exec};
};

// Passes in which an attribute of the diffusivity D [m²/s] diffuses through a liquid in a substep of dt [s]:
// an explicit step is stable, and creates no new extrema, as long as a particle exchanges no more than half
// of its content. No more than kMostDiffusionPasses are made: beyond, diffusion is slower than asked for.
constexpr int kMostDiffusionPasses = 100;
int diffusionPasses(const MaterialConstants& liquid, double diffusivity, double dt, bool planar);

}  // namespace coalesce
