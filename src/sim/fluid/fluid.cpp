#include "sim/fluid/fluid.h"

#include <cmath>

#include "core/for_each.h"
#include "core/scratch.h"
#include "kernels/fluid/density_constraint.h"

namespace coalesce {

namespace {

// Passes are equal, and no more than needed: a larger share per pass overshoots ([VFX15] 3.2).
int viscosityPasses(const World& world, const DeviceWorld& device) {
    return std::max(
        1, static_cast<int>(std::ceil(device.largestViscosity / world.parameters.fluid.viscosityShare)));
}

template <class Pairs>
constexpr bool isUniform = std::is_same_v<Pairs, PairTraits<true>>;

}  // namespace

template <class Use>
void Fluid::withPairs(const World& world, const DeviceWorld& device, Use&& use) const {
    if (device.uniform) {
        const MaterialConstants& m = device.hostMaterials[0];
        use(PairTraits<true>{m.support, m.volume, m.viscosity / viscosityPasses(world, device),
                             m.gradientScale, m.denominator / m.inverseMass, m.attraction,
                             smoothing(m.support)});
    } else {
        use(PairTraits<false>{m_traits.view(), m_filled.view(), m_attraction.view()});
    }
}

void Fluid::prepare(World& world, DeviceWorld& device) {
    m_xLambda.resizeDiscard(world.count());
    if (m_watched) {
        m_lambda.resize(world.count());
        m_lambda.fillZero();
    }
    if (device.uniform || !device.hasFluid) return;
    m_traits.resizeDiscard(world.count());
    m_filled.resizeDiscard(world.count());
    m_attraction.resizeDiscard(device.largestAttraction > 0 ? world.count() : 0);
    forEach(world.exec, "gather traits", static_cast<int64_t>(world.count()),
            GatherTraits{world.particles.phase.view(), device.materials.view(), device.groups.view(),
                         m_traits.view(), m_filled.view(), m_attraction.view(),
                         static_cast<float>(viscosityPasses(world, device)),
                         world.parameters.fluid.solidDensity});
}

void Fluid::solveDensity(World& world, DeviceWorld& device, const Neighbors& neighbors) {
    if (!device.hasFluid) return;
    const auto n = static_cast<int64_t>(world.count());
    const Parameters::Fluid& fluid = world.parameters.fluid;
    const DensityOptions options{
        .epsilon = fluid.relaxation,
        .denominator = device.largestDenominator,
        .regularized = fluid.stiffness == Stiffness::regularized ? fluid.regularization : 0,
        .omega = fluid.overRelaxation,
        .bilateral = fluid.constraint == Density::bilateral};
    const float open = 1 - fluid.tensileDistance;
    const TensileOptions tensile{.strength = fluid.tensile / device.largestDenominator,
                                 .atDistance = open * open * open,
                                 .power = fluid.tensilePower};
    withPairs(world, device, [&]<class Pairs>(const Pairs& pairs) {
        forEach(world.exec, "density lambda", n,
                SolveDensityLambda<isUniform<Pairs>>{.xStar = device.xStar.view(),
                                                     .wall = device.wall.view(),
                                                     .neighbors = neighbors.lists(),
                                                     .pairs = pairs,
                                                     .options = options,
                                                     .xLambda = m_xLambda.view()});
        forEach(world.exec, "density deltas", n,
                ApplyDensityDeltas<isUniform<Pairs>>{.xLambda = m_xLambda.view(),
                                                     .x = world.particles.x.view(),
                                                     .wall = device.wall.view(),
                                                     .neighbors = neighbors.lists(),
                                                     .pairs = pairs,
                                                     .tensile = tensile,
                                                     .xStar = device.xStar.view()});
    });
    noteLambda(world);
}

void Fluid::noteLambda(World& world) {
    if (!m_watched) return;
    forEach(world.exec, "sum lambda", static_cast<int64_t>(world.count()),
            SumLambda{.xLambda = m_xLambda.view(), .sum = m_lambda.view()});
}

void Fluid::blendVelocities(World& world, DeviceWorld& device, const Neighbors& neighbors) {
    if (!device.hasFluid) return;
    const auto n = static_cast<int64_t>(world.count());
    withPairs(world, device, [&]<class Pairs>(const Pairs& pairs) {
        for (int pass = 0; pass < viscosityPasses(world, device); ++pass) {
            // neighbors must all read the old velocities, so the new ones go to another array
            forEach(world.exec, "blend velocities", n,
                    BlendVelocities<isUniform<Pairs>>{.x = world.particles.x.view(),
                                                      .v = world.particles.v.view(),
                                                      .wall = device.wall.view(),
                                                      .neighbors = neighbors.lists(),
                                                      .pairs = pairs,
                                                      .vNew = m_xLambda.view()});
            world.particles.v.swap(m_xLambda);
        }
    });
}

void Fluid::confineVorticity(World& world, DeviceWorld& device, const Neighbors& neighbors, float dt) {
    if (!device.hasFluid || device.largestVorticity == 0) return;
    const auto n = static_cast<int64_t>(world.count());
    Scratch::Scope scratch(world.exec);
    const View<Vec4> vorticity = scratch.take<Vec4>("fluid.vorticity", n);
    ParticleArrays& p = world.particles;
    withPairs(world, device, [&]<class Pairs>(const Pairs& pairs) {
        forEach(world.exec, "find vorticity", n,
                FindVorticity<isUniform<Pairs>>{.x = p.x.view(),
                                                .v = p.v.view(),
                                                .neighbors = neighbors.lists(),
                                                .pairs = pairs,
                                                .vorticity = vorticity});
        forEach(world.exec, "confine vorticity", n,
                ConfineVorticity<isUniform<Pairs>>{.x = p.x.view(),
                                                   .vorticity = vorticity,
                                                   .neighbors = neighbors.lists(),
                                                   .pairs = pairs,
                                                   .phase = p.phase.view(),
                                                   .materials = device.materials.view(),
                                                   .v = p.v.view(),
                                                   .dt = dt});
    });
}

}  // namespace coalesce
