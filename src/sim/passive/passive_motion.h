// Birth, motion and death of passive particles, once per frame after its substeps. [IAAT12], [UPP14] 7.2.1
#pragma once

#include "kernels/passive/drag_reaction.h"
#include "kernels/passive/fluid_grid.h"
#include "kernels/passive/foam_generation.h"
#include "sim/fluid/density.h"

namespace coalesce {

class PassiveMotion : Stage {
public:
    using Stage::Stage;

    // At the start of a frame: where cloth is.
    void beginFrame(World& world, const DeviceWorld& device);
    // Whether the frame is simulated, or had been with other passive particles. Then the velocities of liquids with
    // foamMass contain the reaction to the drag of their foam, and the ages of gas without smoke are known.
    enum class Reaction { none, applied };
    // Computes the passive particles at the end of the frame from those at its start, with the liquid as it
    // is now; changes velocities of liquids by the reaction only. Reads nothing else of the frame that a cache does
    // not keep. step: the last substep; density: with the traits of the particles as they are stored now.
    void advance(const StepContext& step, const DensityConstraint& density, Reaction reaction);
    // Makes them those of the world; never fails, so that a frame that fails later leaves them as they were.
    void commit(World& world);

private:
    void countBirths(const StepContext& step, const DensityConstraint& density, FluidGrid grid,
                     const std::vector<PassiveConstants>& materials, float frameLength,
                     View<uint32_t> births);
    // Sums the momentum [kg m/s] that the liquid receives, and gives foam and bubbles the velocity of the liquid
    // after the exchange, in `around`.
    void exchangeDrag(const StepContext& step, const DragPartners& foam, View<Vec4> around, float frameLength,
                      FixedPointSums momentum, float perKilogram);
    void keepOffCloth(const StepContext& step, float frameLength, View<Vec4> x, View<Vec4> v);

    Buffer<PassiveConstants> m_materials{exec};
    Buffer<Vec4> m_clothStart{exec};  // by row, see GatherRows
    bool m_knowsClothStart = false;   // of this frame
    PassiveArrays m_next{Buffer<Vec4>(exec), Buffer<Vec4>(exec), Buffer<uint32_t>(exec),
                         Buffer<uint32_t>(exec)};  // exchanged with those of the world
    PassiveCounters m_counters;                    // with m_next
    bool m_changed = false;                        // there are any, before or after the frame
};

}  // namespace coalesce
