#include "sim/projective/density_rows.h"

#include "core/for_each.h"
#include "kernels/contact/shape_contact_solve.h"
#include "kernels/fluid/wall_density.h"
#include "kernels/projective/project_density.h"
#include "sim/contact/shape_contacts.h"

namespace coalesce {

void DensityRows::prepare(const StepContext& step) {
    World& world = step.world;
    DeviceWorld& device = step.device;
    const size_t n = world.count();
    m_target.copyFrom(device.xStar);
    const bool fluid = device.summary.hasFluid;
    m_step.resizeDiscard(world.solids.rows() > 0 ? n : 0);
    m_previous.resizeDiscard(fluid ? n : 0);
    m_resistance.resizeDiscard(fluid ? n : 0);
    const size_t various = fluid && !device.summary.uniform ? n : 0;
    m_weights.resizeDiscard(various);
    m_ratios.resizeDiscard(various);
    if (various == 0) return;
    forEach(exec, "density weights", n,
            GatherDensityWeights{.phase = world.particles.phase.view(),
                                 .materials = device.materials.view(),
                                 .weight = m_weights.view(),
                                 .ratio = m_ratios.view(),
                                 .dt2 = step.dt * step.dt});
}

// Calls use(pairs, weights).
template <class Use>
void DensityRows::withWeights(const StepContext& step, const DensityConstraint& density, Use&& use) const {
    density.withPairs(step, [&]<class Pairs>(const Pairs& pairs) {
        if constexpr (isUniform<Pairs>) {
            const MaterialConstants& liquid = step.device.materials.host()[0];
            const float weight = step.dt * step.dt * liquid.densityWeight;
            use(pairs, DensityWeights<true>{weight, weight * liquid.inverseMass});
        } else {
            use(pairs, DensityWeights<false>{m_weights.view(), m_ratios.view()});
        }
    });
}

void DensityRows::project(const StepContext& step, DensityConstraint& density, ShapeContacts& shapes,
                          View<float> energy) {
    World& world = step.world;
    DeviceWorld& device = step.device;
    if (!device.summary.hasFluid) return;
    const Parameters::Projective& parameters = world.parameters.projective;
    // boundary particles take many registers: a launch of their own
    const bool apart = !device.boundary.isEmpty();
    if (apart) shapes.addWallDensity(step);
    device.wall.resizeDiscard(world.count());
    withWeights(
        step, density, [&]<bool Uniform>(const PairTraits<Uniform>& pairs, DensityWeights<Uniform> weights) {
            const ProjectDensity<Uniform> project{.xStar = device.xStar.view(),
                                                  .wall = device.wall.view(),
                                                  .neighbors = step.neighbors.lists(),
                                                  .pairs = pairs,
                                                  .weights = weights,
                                                  .newtonSteps = parameters.newtonSteps,
                                                  .tolerance = parameters.newtonTolerance,
                                                  .xLambda = density.xLambda().view(),
                                                  .error = {},
                                                  .energy = energy};
            if (apart)
                forEach(exec, "project density", world.count(), project);
            else
                forEach(exec, "project density", world.count(), shapes.wallDensityKernel(step), project);
        });
}

void DensityRows::solve(const StepContext& step, DensityConstraint& density, ShapeContacts& shapes,
                        int round) {
    World& world = step.world;
    DeviceWorld& device = step.device;
    const Parameters::Projective& parameters = world.parameters.projective;
    if (!device.summary.hasFluid) {
        forEach(exec, "inertia", world.count(),
                DescendInertia{.target = m_target.view(),
                               .xLambda = density.xLambda().view(),
                               .step = m_step.view(),
                               .xStar = device.xStar.view()});
        return;
    }
    if (round == 0) m_previous.copyFrom(device.xStar);
    m_chebyshev = chebyshevWeight(parameters.chebyshev, round, m_chebyshev);
    withWeights(step, density,
                [&]<bool Uniform>(const PairTraits<Uniform>& pairs, DensityWeights<Uniform> weights) {
                    const DescendDensity<Uniform> descend{.xLambda = density.xLambda().view(),
                                                          .target = m_target.view(),
                                                          .wall = device.wall.view(),
                                                          .neighbors = step.neighbors.lists(),
                                                          .pairs = pairs,
                                                          .weights = weights,
                                                          .relaxation = parameters.relaxation,
                                                          .chebyshev = m_chebyshev,
                                                          .previous = m_previous.view(),
                                                          .step = m_step.view(),
                                                          .resistance = m_resistance.view(),
                                                          .xStar = device.xStar.view()};
                    if (device.summary.hasSolids)
                        forEach(exec, "descend density", world.count(), descend);
                    else
                        forEach(exec, "descend density", world.count(), descend,
                                shapes.carryImpulsesKernel(step, density.xLambda().view(),
                                                           m_resistance.view(), m_chebyshev),
                                shapes.solveKernel(step, {}, {}));
                });
    if (!density.watchesLambda()) return;
    if (round == 0) {
        m_lambdaBefore.resize(world.count());
        m_lambdaBefore.fillZero();
    }
    forEach(exec, "carry lambda", world.count(),
            CarryLambda{.xLambda = density.xLambda().view(),
                        .resistance = m_resistance.view(),
                        .chebyshev = m_chebyshev,
                        .before = m_lambdaBefore.view(),
                        .sum = density.writableLambdaSums()});
}

void DensityRows::beginContacts(const StepContext& step) {
    m_beforeContacts.copyFrom(step.device.xStar);
}

void DensityRows::endContacts(const StepContext& step, bool ofShapes) {
    forEach(exec, "shift targets", step.world.count(),
            ShiftTarget{.before = m_beforeContacts.view(),
                        .xStar = step.device.xStar.view(),
                        .phase = step.world.particles.phase.view(),
                        .materials = step.device.materials.view(),
                        .liquids = !ofShapes,
                        .target = m_target.view(),
                        .previous = m_previous.view()});
}

}  // namespace coalesce
