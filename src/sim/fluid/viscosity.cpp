#include "sim/fluid/viscosity.h"

#include "core/for_each.h"
#include "kernels/fluid/spin_correction.h"
#include "kernels/fluid/strain_viscosity.h"
#include "kernels/fluid/vorticity_confinement.h"
#include "kernels/fluid/xsph_viscosity.h"

namespace coalesce {

void Viscosity::applyXsph(const StepContext& step, DensityConstraint& density) {
    if (!step.device.summary.hasFluid) return;
    Buffer<Vec4>& vNew = density.xLambda();
    const int passes = viscosityPasses(step);
    for (int pass = 0; pass < passes; ++pass) {
        // neighbors must all read the old velocities, so the new ones go to another array
        blend(step, density, vNew.view());
        step.world.particles.v.swap(vNew);
    }
}

void Viscosity::blend(const StepContext& step, const DensityConstraint& density, View<Vec4> vNew) {
    const ParticleArrays& p = step.world.particles;
    density.withPairs(step, [&]<class Pairs>(const Pairs& pairs) {
        forEach(exec, "viscosity (XSPH)", step.world.count(),
                BlendVelocities<isUniform<Pairs>>{.x = p.x.view(),
                                                  .v = p.v.view(),
                                                  .wall = step.device.wall.view(),
                                                  .neighbors = step.neighbors.lists(),
                                                  .pairs = pairs,
                                                  .vNew = vNew});
    });
}

void Viscosity::applyStrainViscosity(const StepContext& step, const DensityConstraint& density) {
    if (step.device.summary.maxStrainViscosity == 0) return;
    World& world = step.world;
    DeviceWorld& device = step.device;
    ParticleArrays& p = world.particles;
    const Parameters::Fluid& parameters = world.parameters.fluid;
    const size_t n = world.count();
    LinearCounts* const counts = &device.status.view().data->strainViscosity;
    m_strainViscosity.resizeDiscard(n);
    m_strain.resize(n);
    forEach(exec, "strain viscosity", n,
            GatherStrainViscosity{.phase = p.phase.view(),
                                  .materials = device.materials.view(),
                                  .g = m_strainViscosity.view(),
                                  .dropsApart = device.summary.hasSplashes});
    density.withPairs(step, [&]<class Pairs>(const Pairs& pairs) {
        const StrainForces<isUniform<Pairs>> forces{p.x.view(), m_strainViscosity.view(),
                                                    step.neighbors.lists(), pairs};
        forEach(exec, "begin strain viscosity", n,
                BeginStrainViscosity<isUniform<Pairs>>{.forces = forces,
                                                       .v = p.v.view(),
                                                       .scale = m_strain.scale.view(),
                                                       .dv = m_strain.dx.view(),
                                                       .r = m_strain.r.view(),
                                                       .p = m_strain.p.view(),
                                                       .dots = m_strain.dots.view()});
        m_strain.begin(double{parameters.strainTolerance}, counts);
        m_strain.iterate(parameters.strainIterations, counts, [&] {
            forEach(exec, "viscous forces", n,
                    ApplyStrainViscosity<isUniform<Pairs>>{.forces = forces,
                                                           .state = m_strain.state.view(),
                                                           .scale = m_strain.scale.view(),
                                                           .p = m_strain.p.view(),
                                                           .q = m_strain.q.view(),
                                                           .dots = m_strain.dots.view()});
        });
    });
    forEach(exec, "end strain viscosity", n, AddVelocityChanges{m_strain.dx.view(), p.v.view()});
}

View<const Vec4> Viscosity::findVorticity(const StepContext& step, const DensityConstraint& density,
                                          Scratch::Scope& scratch) {
    ParticleArrays& p = step.world.particles;
    const size_t n = step.world.count();
    const View<Vec4> vorticity = scratch.take<Vec4>("viscosity.vorticity", n);
    density.withPairs(step, [&]<class Pairs>(const Pairs& pairs) {
        forEach(exec, "vorticity", n,
                FindVorticity<isUniform<Pairs>>{.x = p.x.view(),
                                                .v = p.v.view(),
                                                .neighbors = step.neighbors.lists(),
                                                .pairs = pairs,
                                                .vorticity = vorticity});
    });
    return vorticity;
}

void Viscosity::confineVorticity(const StepContext& step, const DensityConstraint& density) {
    World& world = step.world;
    DeviceWorld& device = step.device;
    if (!device.summary.hasFluid || device.summary.maxVorticity == 0) return;
    const size_t n = world.count();
    Scratch::Scope scratch(exec);
    const View<const Vec4> vorticity = findVorticity(step, density, scratch);
    ParticleArrays& p = world.particles;
    density.withPairs(step, [&]<class Pairs>(const Pairs& pairs) {
        forEach(exec, "vorticity confinement", n,
                ConfineVorticity<isUniform<Pairs>>{.x = p.x.view(),
                                                   .vorticity = vorticity,
                                                   .neighbors = step.neighbors.lists(),
                                                   .pairs = pairs,
                                                   .phase = p.phase.view(),
                                                   .materials = device.materials.view(),
                                                   .v = p.v.view(),
                                                   .dt = step.dt});
    });
}

View<const Vec4> Viscosity::copyPredicted(const StepContext& step, Scratch::Scope& scratch) {
    if (step.device.summary.maxSpinCorrection == 0) return {};
    const View<const Vec4> v = step.world.particles.v.view();
    const View<Vec4> predicted = scratch.take<Vec4>("viscosity.predicted", v.size);
    exec.copyWithin(predicted.data, v.data, v.size * sizeof(Vec4));
    return predicted;
}

void Viscosity::correctSpin(const StepContext& step, const DensityConstraint& density,
                            View<const Vec4> predicted) {
    if (predicted.size == 0) return;
    Scratch::Scope scratch(exec);
    const View<const Vec4> vorticity = findVorticity(step, density, scratch);
    ParticleArrays& p = step.world.particles;
    forEach(exec, "spin correction", predicted.size,
            CorrectSpin{.predicted = predicted,
                        .vorticity = vorticity,
                        .phase = p.phase.view(),
                        .materials = step.device.materials.view(),
                        .x = p.x.view(),
                        .v = p.v.view(),
                        .dt = step.dt});
}

}  // namespace coalesce
