// Birth, motion and death of passive particles, once per frame after its substeps. [IAAT12], [UPP14] 7.2.1
#pragma once

#include "kernels/passive/fluid_grid.h"
#include "kernels/passive/foam_generation.h"
#include "sim/fluid/density.h"

namespace coalesce {

class PassiveMotion : Stage {
public:
    using Stage::Stage;

    // At the start of a frame: where cloth is.
    void beginFrame(World& world, const DeviceWorld& device);
    // Where the liquids' viscosity writes the potentials that foam is born of; empty: before the last substep,
    // and where no liquid makes any.
    FoamPotentials preparePotentials(const StepContext& step);
    // Computes the passive particles at the end of the frame from those at its start, with the liquid as it
    // is now. step: the last substep, whose neighbor lists and potentials are still valid.
    void advance(const StepContext& step, const DensityConstraint& density);
    // Makes them those of the world; never fails, so that a frame that fails later leaves all as it was.
    void commit(World& world);

private:
    void countBirths(const StepContext& step, const DensityConstraint& density, float frameLength,
                     View<uint32_t> births);
    void keepOffCloth(const StepContext& step, float frameLength, View<Vec4> x, View<Vec4> v);

    Buffer<PassiveConstants> m_materials{exec};
    Buffer<Vec4> m_normal{exec};  // of FoamPotentials
    Buffer<float> m_swirl{exec};
    Buffer<Vec4> m_clothStart{exec};  // by row, see GatherRows
    bool m_knowsClothStart = false;   // of this frame
    PassiveArrays m_next{Buffer<Vec4>(exec), Buffer<Vec4>(exec), Buffer<uint32_t>(exec),
                         Buffer<uint32_t>(exec)};  // exchanged with those of the world
    PassiveCounters m_counters;                    // with m_next
    bool m_changed = false;                        // there are any, before or after the frame
};

}  // namespace coalesce
