#include "sim/fluid/density.h"

#include <algorithm>
#include <cmath>

#include "core/for_each.h"

namespace coalesce {

int viscosityPasses(const StepContext& step) {
    const float share = step.world.parameters.fluid.maxViscosityPerPass;
    return std::max(1, int(std::ceil(step.device.summary.maxViscosity / share)));
}

void DensityConstraint::prepare(const StepContext& step) {
    const size_t n = step.world.count();
    m_xLambda.resizeDiscard(n);
    if (m_watched) {
        m_lambdaSums.resize(n);
        m_lambdaSums.fillZero();
    }
    if (step.device.summary.hasFluid && !step.device.summary.uniform) gatherTraits(step);
}

void DensityConstraint::gatherTraits(const StepContext& step) {
    World& world = step.world;
    DeviceWorld& device = step.device;
    const size_t n = world.count();
    m_traits.resizeDiscard(n);
    m_filled.resizeDiscard(n);
    m_attraction.resizeDiscard(device.summary.maxAttraction > 0 ? n : 0);
    forEach(exec, "fluid traits", n,
            GatherTraits{
                world.particles.phase.view(), device.materials.view(), device.groups.view(), m_traits.view(),
                m_filled.view(), m_attraction.view(), float(viscosityPasses(step)),
                world.parameters.fluid.solidDensity,
                world.parameters.velocity.splashes && world.parameters.solver.method == Method::velocity});
}

void DensityConstraint::solve(const StepContext& step) {
    World& world = step.world;
    DeviceWorld& device = step.device;
    if (!device.summary.hasFluid) return;
    const size_t n = world.count();
    const Parameters::Fluid& fluid = world.parameters.fluid;
    const float maxDenominator = device.summary.maxDenominator;
    const DensityOptions options{
        .epsilon = fluid.relaxation,
        .denominator = maxDenominator,
        .regularized = fluid.stiffness == Stiffness::regularized ? fluid.regularization : 0,
        .omega = fluid.overRelaxation,
        .bilateral = fluid.constraint == Density::bilateral};
    const float open = 1 - fluid.tensileDistance;
    const TensileOptions tensile{.strength = fluid.tensile / maxDenominator,
                                 .atDistance = open * open * open,
                                 .power = fluid.tensilePower};
    withPairs(step, [&]<class Pairs>(const Pairs& pairs) {
        forEach(exec, "density lambda", n,
                SolveDensityLambda<isUniform<Pairs>>{.xStar = device.xStar.view(),
                                                     .wall = device.wall.view(),
                                                     .neighbors = step.neighbors.lists(),
                                                     .pairs = pairs,
                                                     .options = options,
                                                     .xLambda = m_xLambda.view()});
        forEach(exec, "density deltas", n,
                ApplyDensityDeltas<isUniform<Pairs>>{.xLambda = m_xLambda.view(),
                                                     .x = world.particles.x.view(),
                                                     .wall = device.wall.view(),
                                                     .neighbors = step.neighbors.lists(),
                                                     .pairs = pairs,
                                                     .tensile = tensile,
                                                     .xStar = device.xStar.view()});
    });
    sumLambda(step);
}

void DensityConstraint::sumLambda(const StepContext& step) {
    if (!m_watched) return;
    forEach(exec, "sum lambda", step.world.count(),
            SumLambda{.xLambda = m_xLambda.view(), .sum = m_lambdaSums.view()});
}

}  // namespace coalesce
