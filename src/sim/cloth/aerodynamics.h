// Lift and drag of the air on cloth: kernels of lift_and_drag.h over World::solids.triangles.
#pragma once

#include "sim/stage/step_context.h"

namespace coalesce {

class Aerodynamics : Stage {
public:
    using Stage::Stage;

    // Changes velocities by drag and lift. Before the prediction adds gravity, which is accounted for.
    void apply(const StepContext& step);

private:
    void plan(const World& world);

    Buffer<uint32_t> m_share{exec};  // by row
    Buffer<int64_t> m_sums{exec};    // three per row; all 0 between launches
    uint64_t m_topology = 0;         // of which the shares were counted
};

}  // namespace coalesce
