// Volume constraints of closed cloth: kernels of volume_constraint.h over World::solids.volumeConstraints.
#pragma once

#include "core/mirror.h"
#include "kernels/cloth/volume_constraint.h"
#include "sim/stage/step_context.h"

namespace coalesce {

class VolumeConstraints : Stage {
public:
    using Stage::Stage;

    // Once per substep: target volumes, by material.
    void prepare(const StepContext& step);
    // One iteration.
    void solve(const StepContext& step);

    // Whether any material has pressure.
    bool active() const { return m_any; }
    // ∇C of every row at x*, scattered to sums that the reader clears.
    FixedPointSums findGradient(const StepContext& step);
    VolumeTables tables(const StepContext& step) const;
    View<const uint32_t> firstChunk() const { return m_firstChunk.view(); }
    View<const float> factor() const { return m_factor.view(); }

private:
    void plan(const World& world);

    Buffer<VolumeChunk> m_chunks{exec};
    Buffer<uint32_t> m_firstChunk{exec};  // by constraint, and the end
    Mirror<float> m_factor{exec};         // by material
    Buffer<float> m_change{exec};         // by constraint
    Buffer<VolumeSums> m_sums{exec};
    Buffer<int64_t> m_gradient{exec};  // three per row; all 0 between launches
    uint64_t m_topology = 0;           // of which the chunks were made
    float m_perSquareMeter = 1;        // units of the gradient
    bool m_any = false;                // any material has pressure
};

}  // namespace coalesce
