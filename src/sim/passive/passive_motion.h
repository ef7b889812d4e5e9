// Birth, motion and death of passive particles, once per frame after its substeps. [IAAT12], [UPP14] 7.2.1
#pragma once

#include "kernels/passive/fluid_grid.h"
#include "sim/fluid/density.h"

namespace coalesce {

class PassiveMotion : Stage {
public:
    using Stage::Stage;

    // Computes the passive particles at the end of the frame from those at its start, with the liquid as it
    // is now. step: the last substep, whose neighbor lists are still valid.
    void advance(const StepContext& step, const DensityConstraint& density);
    // Makes them those of the world; never fails, so that a frame that fails later leaves all as it was.
    void commit(World& world);

private:
    Buffer<PassiveConstants> m_materials{exec};
    PassiveArrays m_next{Buffer<Vec4>(exec), Buffer<Vec4>(exec), Buffer<uint32_t>(exec),
                         Buffer<uint32_t>(exec)};  // exchanged with those of the world
    PassiveCounters m_counters;                    // with m_next
    bool m_changed = false;                        // there are any, before or after the frame
};

}  // namespace coalesce
