#include "sim/fluid/density.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/for_each.h"
#include "core/scratch.h"
#include "kernels/contact/shape_contact_solve.h"
#include "kernels/fluid/wall_density.h"
#include "kernels/motion/integrate.h"
#include "sim/contact/shape_contacts.h"
#include "sim/stage/integration.h"

namespace coalesce {

int viscosityPasses(const StepContext& step) {
    const float share = step.world.parameters.fluid.maxViscosityPerPass;
    return std::max(1, int(std::ceil(step.device.summary.maxViscosity / share)));
}

void DensityConstraint::prepare(const StepContext& step) {
    const size_t n = step.world.count();
    m_xLambda.resizeDiscard(n);
    m_target.resize(0);  // keeps its memory
    if (m_watched) {
        m_lambdaSums.resize(n);
        m_lambdaSums.fillZero();
    }
    gatherTraits(step);
    findLight(step);
}

void DensityConstraint::gatherTraits(const StepContext& step) {
    if (!step.device.summary.hasFluid || step.device.summary.uniform) return;
    World& world = step.world;
    DeviceWorld& device = step.device;
    const size_t n = world.count();
    m_traits.resizeDiscard(n);
    m_filled.resizeDiscard(n);
    m_attraction.resizeDiscard(device.summary.maxAttraction > 0 ? n : 0);
    forEach(exec, "fluid traits", n,
            GatherTraits{world.particles.phase.view(), device.materials.view(), device.groups.view(),
                         m_traits.view(), m_filled.view(), m_attraction.view(), float(viscosityPasses(step)),
                         world.parameters.fluid.solidDensity, device.summary.hasSplashes});
}

void DensityConstraint::findLight(const StepContext& step) {
    const std::vector<MaterialConstants>& materials = step.device.materials.host();
    const auto inertia = [](const MaterialConstants& m) { return 1 / (m.inverseMass * m.volume); };
    float heaviest = 0;
    for (const MaterialConstants& m : materials)
        if (m.fluid) heaviest = std::max(heaviest, inertia(m));
    std::vector<int32_t> light;
    for (const MaterialConstants& m : materials)
        light.push_back(m.fluid && kEvenInertia * inertia(m) < heaviest);
    m_active.resize(0);  // keeps its memory
    if (step.world.parameters.fluid.lightIterations == 0 || std::ranges::count(light, 1) == 0) return;
    const size_t n = step.world.count();
    m_light.set(std::move(light));
    m_active.resizeDiscard(n);
    forEach(exec, "find light fluids", n,
            FindLight{step.world.particles.phase.view(), step.neighbors.lists(), m_light.view(),
                      m_active.view()});
}

void DensityConstraint::limitRecovery(const StepContext& step, ShapeContacts& shapes) {
    const float recoveryTime = step.world.parameters.fluid.recoveryTime;
    if (!step.device.summary.hasFluid || step.dt >= recoveryTime) return;
    const size_t n = step.world.count();
    const View<const Vec4> x = step.world.particles.x.view();
    m_target.resizeDiscard(n);
    Scratch::Scope scratch(exec);
    const View<float> closing = scratch.take<float>("density.closing", n);
    const bool apart = !step.device.boundary.isEmpty();  // as in solve()
    if (apart) shapes.addMovingWallDensity(step, x, closing, true);
    step.device.wall.resizeDiscard(n);
    withPairs(step, [&]<class Pairs>(const Pairs& pairs) {
        const FindInitialCompression<isUniform<Pairs>> compression{.x = x,
                                                                   .wall = step.device.wall.view(),
                                                                   .neighbors = step.neighbors.lists(),
                                                                   .pairs = pairs,
                                                                   .kept = 1 - step.dt / recoveryTime,
                                                                   .target = m_target.view()};
        if (apart)
            forEach(exec, "initial compression", n, compression);
        else
            forEach(exec, "initial compression", n, shapes.movingWallDensityKernel(step, x, closing, true),
                    compression);
    });
}

void DensityConstraint::solve(const StepContext& step, ShapeContacts& shapes, bool withContacts) {
    if (!step.device.summary.hasFluid) return;
    const size_t n = step.world.count();
    // in the first iteration, if not found with those of soft bodies
    const bool first = step.device.roundingError.size() == 0;
    step.device.roundingError.resizeDiscard(n);
    Fused beforeLambda{.roundingErrors = first, .walls = &shapes};
    if (!step.device.boundary.isEmpty()) {
        // launches of their own: boundary particles take many registers
        if (first) forEach(exec, "rounding errors", n, Integration::roundingErrorKernel(step));
        shapes.addWallDensity(step);
        beforeLambda = {};
    }
    iterateAll(step, beforeLambda, withContacts ? &shapes : nullptr);
}

void DensityConstraint::solve(const StepContext& step) {
    if (step.device.summary.hasFluid) iterateAll(step, {}, nullptr);
}

void DensityConstraint::iterateAll(const StepContext& step, Fused beforeLambda, ShapeContacts* contacts) {
    const int lightIterations = m_active.size() > 0 ? step.world.parameters.fluid.lightIterations : 0;
    for (int k = 0; k < lightIterations; ++k) iterate(step, m_active.view(), std::exchange(beforeLambda, {}));
    beforeLambda.contacts = contacts;
    iterate(step, {}, beforeLambda);
}

void DensityConstraint::iterate(const StepContext& step, View<const float> active, const Fused& fused) {
    World& world = step.world;
    DeviceWorld& device = step.device;
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
    device.wall.resizeDiscard(n);
    withPairs(step, [&]<class Pairs>(const Pairs& pairs) {
        const SolveDensityLambda<isUniform<Pairs>> lambda{.xStar = device.xStar.view(),
                                                          .wall = device.wall.view(),
                                                          .neighbors = step.neighbors.lists(),
                                                          .pairs = pairs,
                                                          .options = options,
                                                          .active = active,
                                                          .target = m_target.view(),
                                                          .xLambda = m_xLambda.view()};
        if (fused.walls && fused.roundingErrors)
            forEach(exec, "density lambda", n, Integration::roundingErrorKernel(step),
                    fused.walls->wallDensityKernel(step), lambda);
        else if (fused.walls)
            forEach(exec, "density lambda", n, fused.walls->wallDensityKernel(step), lambda);
        else
            forEach(exec, "density lambda", n, lambda);

        const ApplyDensityDeltas<isUniform<Pairs>> deltas{.xLambda = m_xLambda.view(),
                                                          .x = world.particles.x.view(),
                                                          .wall = device.wall.view(),
                                                          .neighbors = step.neighbors.lists(),
                                                          .pairs = pairs,
                                                          .tensile = tensile,
                                                          .active = active,
                                                          .xStar = device.xStar.view(),
                                                          .roundingError = device.roundingError.view()};
        if (fused.contacts)
            forEach(exec, "density deltas", n, deltas,
                    fused.contacts->solveKernel(step, m_xLambda.view(), {}));
        else
            forEach(exec, "density deltas", n, deltas);
    });
    sumLambda(step);
}

void DensityConstraint::sumLambda(const StepContext& step) {
    if (!m_watched) return;
    forEach(exec, "sum lambda", step.world.count(),
            SumLambda{.xLambda = m_xLambda.view(), .sum = m_lambdaSums.view()});
}

}  // namespace coalesce
