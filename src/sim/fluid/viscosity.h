// Forces of liquids on velocities: XSPH and strain viscosity, vorticity confinement, and the correction of lost spin.
#pragma once

#include "core/scratch.h"
#include "sim/fluid/density.h"
#include "sim/stage/linear_solve.h"

namespace coalesce {

class Viscosity : Stage {
public:
    using Stage::Stage;

    // XSPH viscosity; writes the volume fraction at the end of the substep too.
    void applyXsph(const StepContext& step, DensityConstraint& density);
    // Implicit viscosity against the rate of strain; nothing in scenes without strainViscosity.
    void applyStrainViscosity(const StepContext& step, const DensityConstraint& density);
    void confineVorticity(const StepContext& step, const DensityConstraint& density);

    // A copy of the velocities, as predicted, for correctSpin; empty where no material asks for it.
    View<const Vec4> copyPredicted(const StepContext& step, Scratch::Scope& scratch);
    // After the velocities have been found from positions.
    void correctSpin(const StepContext& step, const DensityConstraint& density, View<const Vec4> predicted);

private:
    void blend(const StepContext& step, const DensityConstraint& density, View<Vec4> vNew);
    View<const Vec4> findVorticity(const StepContext& step, const DensityConstraint& density,
                                   Scratch::Scope& scratch);

    LinearSolve m_strain{exec};
    Buffer<float> m_strainViscosity{exec};  // by slot, see GatherStrainViscosity
};

}  // namespace coalesce
